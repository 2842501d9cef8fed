// Package bad gives C the address of a Go value, as a number, for its callbacks.
package bad

// #include <stdint.h>
// typedef struct db db;
// int create_function(db *d, const char *name, uintptr_t data);
// uintptr_t user_data(void *ctx);
import "C"

import (
	"errors"
	"unsafe"
)

// DB is a database.
type DB struct {
	db    *C.db
	funcs []*info
}

type info struct{ f func() }

// Register makes a Go function known to SQL.
func (d *DB) Register(name *C.char, f func()) error {
	var fi info
	fi.f = f
	d.funcs = append(d.funcs, &fi)
	if C.create_function(d.db, name, C.uintptr_t(uintptr(unsafe.Pointer(&fi)))) != 0 { // want warning "the address of Go memory is passed as a number"
		return errors.New("can't register")
	}
	return nil
}
