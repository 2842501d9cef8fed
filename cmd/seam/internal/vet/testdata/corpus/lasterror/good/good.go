// Package good has C return the error with the call.
package good

// typedef struct domain domain;
// typedef struct { int code; const char *message; } lib_error;
// lib_error *libGetLastError(void);
// int domain_start(domain *d);
// static int start(domain *d, lib_error *e) {
//	int n = domain_start(d);
//	if (n < 0)
//		*e = *libGetLastError();
//	return n;
// }
import "C"

import "errors"

// Domain is a machine.
type Domain struct{ d *C.domain }

// Start starts it.
func (d *Domain) Start() error {
	var e C.lib_error
	if C.start(d.d, &e) < 0 {
		return errors.New(C.GoString(e.message))
	}
	return nil
}
