// Package good has near misses.
package good

// #include <errno.h>
// #include <stdlib.h>
// typedef struct db db;
// typedef struct error error;
// int db_open(db **out, const char *path);
// const char *db_errmsg(db *d);
// error *last_error(void);
// const char *error_message(error *e);
// void clear_last_error(void);
// const char *version_of_errors(void);
// static db *the_db;
// int db_errno(db *d);
// static int pool_last_error(void) { return db_errno(the_db); }
// const char *db_last_error_text(db *d);
// static const char *pool_last_error_text(void) { return db_last_error_text(the_db); }
// const char *db_describe(db *d);
// static const char *pool_errmsg(void) { return db_describe(the_db); }
import "C"

import (
	"errors"
	"runtime"
	"unsafe"
)

func locked() error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if C.db_open(nil, nil) < 0 {
		return makeError()
	}
	return nil
}

func makeError() error { return errors.New(C.GoString(C.error_message(C.last_error()))) }

func ofObject(d *C.db) error {
	if C.db_open(&d, nil) < 0 {
		return errors.New(C.GoString(C.db_errmsg(d)))
	}
	return nil
}

func twoResults() error {
	if n, err := C.db_open(nil, nil); n < 0 {
		return err
	}
	return nil
}

func callerLocks() error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return inner()
}

func inner() error {
	C.db_open(nil, nil)
	return makeError()
}

func onlyStrings(s string) string {
	cs := C.CString(s)
	defer C.free(unsafe.Pointer(cs))
	return C.GoString(C.version_of_errors())
}

// withThread calls f with the thread locked.
func withThread(f func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return f()
}

func insideOfLock() error {
	return withThread(func() error {
		if C.db_open(nil, nil) < 0 {
			return makeError()
		}
		return nil
	})
}

func insideOfLockTwice() error {
	return withThread(func() error {
		if C.db_open(nil, nil) < 0 {
			return errors.New(C.GoString(C.error_message(C.last_error())))
		}
		return withOneMore()
	})
}

func withOneMore() error {
	C.db_open(nil, nil)
	return makeError()
}

// The body is seen to ask an object, so it has nothing to do with threads.
func ofHandle() (C.int, string, string) {
	if C.db_open(nil, nil) < 0 {
		return C.pool_last_error(), C.GoString(C.pool_last_error_text()), C.GoString(C.pool_errmsg())
	}
	return 0, "", ""
}

// connect locks the thread for its caller, whom disconnect unlocks again.
func connect() *C.db {
	runtime.LockOSThread()
	var d *C.db
	C.db_open(&d, nil)
	return d
}

func disconnect() { runtime.UnlockOSThread() }

func connected() error {
	connect()
	defer disconnect()
	if C.db_open(nil, nil) < 0 {
		return errors.New(C.GoString(C.error_message(C.last_error())))
	}
	return nil
}
