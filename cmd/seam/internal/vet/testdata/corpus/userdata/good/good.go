// Package good gives C a handle.
package good

// #include <stdint.h>
// typedef struct db db;
// int create_function(db *d, const char *name, uintptr_t data);
import "C"

import (
	"errors"
	"runtime/cgo"
)

// DB is a database.
type DB struct {
	db      *C.db
	handles []cgo.Handle
}

type info struct{ f func() }

// Register makes a Go function known to SQL.
func (d *DB) Register(name *C.char, f func()) error {
	h := cgo.NewHandle(&info{f})
	d.handles = append(d.handles, h)
	if C.create_function(d.db, name, C.uintptr_t(h)) != 0 {
		return errors.New("can't register")
	}
	return nil
}

// Close closes.
func (d *DB) Close() {
	for _, h := range d.handles {
		h.Delete()
	}
}
