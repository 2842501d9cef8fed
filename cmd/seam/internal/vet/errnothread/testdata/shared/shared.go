// Package shared has errors that are no thread's.
package shared

/*
#include <stddef.h>
static const char *last_error_msg;
static _Thread_local const char *own_error_msg;
static int lib_load(const char *name) { last_error_msg = own_error_msg = name; return name == NULL; }
static const char *lib_last_error_msg(void) { const char *m = last_error_msg; last_error_msg = NULL; return m; }
static const char *own_last_error(void) { return own_error_msg; }
*/
import "C"

import (
	"errors"
	"runtime"
	"sync"
)

var mu sync.Mutex

// Load asks what all threads share.
func Load() error {
	if C.lib_load(nil) != 0 {
		return errors.New(C.GoString(C.lib_last_error_msg())) // want warning "the variable last_error_msg of C holds, which all threads share"
	}
	return nil
}

// Locked locks the thread, which doesn't help.
func Locked() error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if C.lib_load(nil) != 0 {
		return errors.New(C.GoString(C.lib_last_error_msg())) // want warning "which all threads share"
	}
	return nil
}

// Held holds a mutex.
func Held() error {
	mu.Lock()
	defer mu.Unlock()
	if C.lib_load(nil) != 0 {
		return errors.New(C.GoString(C.lib_last_error_msg()))
	}
	return nil
}

// Own asks what each thread has for itself.
func Own() error {
	if C.lib_load(nil) != 0 {
		return errors.New(C.GoString(C.own_last_error())) // want error "C.own_last_error returns the error of this thread"
	}
	return nil
}
