// Package headless needs a header that nobody has: whose error it is isn't known.
package headless

// #include "nobody-has-this.h"
// static const char *pool_errmsg(void) { return pool_error_of(the_pool); }
import "C"

import "errors"

func open() error {
	if C.pool_open() < 0 {
		return errors.New(C.GoString(C.pool_last_error())) // want warning "C.pool_last_error returns the error of this thread"
	}
	return nil
}

// What C is there is read as text: it asks an object.
func ofObject() error {
	if C.pool_open() < 0 {
		return errors.New(C.GoString(C.pool_errmsg()))
	}
	return nil
}

// OpenAL's error belongs to the current context, and that to the program.
func ofProgram() error {
	C.alListenerf(C.AL_GAIN, 1)
	if code := C.alGetError(); code != 0 { // want warning "C.alGetError returns the last error of the program, which all threads share"
		return errors.New("OpenAL")
	}
	return nil
}
