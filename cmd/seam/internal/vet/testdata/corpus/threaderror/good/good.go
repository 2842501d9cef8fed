// Package good stays on its thread.
package good

// typedef struct repo repo;
// typedef struct { char *message; int klass; } lib_error;
// const lib_error *liberr_last(void);
// int repo_open(repo **out, const char *path);
import "C"

import (
	"errors"
	"runtime"
)

// MakeError makes an error of a code.
func MakeError(code C.int) error {
	e := C.liberr_last()
	if e == nil {
		return errors.New("unknown")
	}
	return errors.New(C.GoString(e.message))
}

// Open opens a repository.
func Open(path *C.char) (*C.repo, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var r *C.repo
	if n := C.repo_open(&r, path); n < 0 {
		return nil, MakeError(n)
	}
	return r, nil
}
