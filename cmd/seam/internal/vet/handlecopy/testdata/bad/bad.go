// Package bad closes copies.
package bad

/*
typedef struct db db;
db *db_open(void);
void db_close(db *d);
int db_use(db *d);
*/
import "C"

// DB is closed twice.
type DB struct{ ptr *C.db }

// Open opens one.
func Open() DB { return DB{C.db_open()} }

// Close frees it.
func (d DB) Close() {
	C.db_close(d.ptr) // want warning "the package may call it twice for one value"
}

// Reset closes it twice.
func Reset() int {
	d := Open()
	defer d.Close()
	n := int(C.db_use(d.ptr))
	if n < 0 {
		d.Close()
	}
	return n
}

// Cleared sets its copy.
type Cleared struct{ ptr *C.db }

// Close clears nothing.
func (c Cleared) Close() {
	if c.ptr != nil {
		C.db_close(c.ptr) // want warning "setting the field of the copy to nil changes nothing"
		c.ptr = nil
	}
}

// Once is closed by its users.
type Once struct{ ptr *C.db }

// Close frees it.
func (o Once) Close() { C.db_close(o.ptr) } // want note "a copy of its receiver"
