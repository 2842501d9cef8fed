//go:build cgo && seam_servers

package main

// #include <stdlib.h>
// #include "query.h"
import "C"

import (
	"errors"
	"unsafe"
)

// statements counts the statements that are not finalized.
func (d *DB) statements() int {
	n := 0
	for s := C.sqlite3_next_stmt(d.db, nil); s != nil; s = C.sqlite3_next_stmt(d.db, s) {
		n++
	}
	return n
}

// plainly runs sql through cgo, not as a coroutine.
func (d *DB) plainly(sql string) error {
	text := C.CString(sql)
	defer C.free(unsafe.Pointer(text))
	if rc := C.sqlite3_exec(d.db, text, nil, nil, nil); rc != C.SQLITE_OK {
		return errors.New("sqlite: " + C.GoString(C.sqlite3_errmsg(d.db)))
	}
	return nil
}
