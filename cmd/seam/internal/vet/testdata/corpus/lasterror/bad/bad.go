// Package bad asks for the last error of a thread in a function for all.
package bad

// typedef struct domain domain;
// typedef struct { int code; const char *message; } lib_error;
// lib_error *libGetLastError(void);
// int domain_start(domain *d);
import "C"

import "errors"

// LastError is the last error.
func LastError() error {
	e := C.libGetLastError()
	if e == nil {
		return errors.New("missing error")
	}
	return errors.New(C.GoString(e.message))
}

// Domain is a machine.
type Domain struct{ d *C.domain }

// Start starts it.
func (d *Domain) Start() error {
	if C.domain_start(d.d) < 0 {
		return LastError() // want error "LastError (C.libGetLastError) returns the error of this thread"
	}
	return nil
}
