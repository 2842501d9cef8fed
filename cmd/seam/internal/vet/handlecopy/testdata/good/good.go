// Package good closes what there is.
package good

/*
typedef struct db db;
db *db_open(void);
void db_close(db *d);
int db_use(db *d);
void db_release_key(db *d, int key);
*/
import "C"

// DB is closed by its pointer.
type DB struct{ ptr *C.db }

// Close frees it.
func (d *DB) Close() {
	if d.ptr != nil {
		C.db_close(d.ptr)
		d.ptr = nil
	}
}

// View has a pointer and frees nothing.
type View struct{ ptr *C.db }

// Use uses it.
func (v View) Use() int { return int(C.db_use(v.ptr)) }

// Ref is a reference to its handle.
type Ref struct{ h *DB }

// Close closes what it refers to.
func (r Ref) Close() { r.h.Close() }
