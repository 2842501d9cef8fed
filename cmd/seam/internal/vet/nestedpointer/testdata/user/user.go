// Package user stores what another package gives.
package user

/*
#include <stdlib.h>
struct request { void *data; };
int send(const struct request *r);
*/
import "C"

import "github.com/seamgo/seam/cmd/seam/internal/vet/nestedpointer/testdata/lends"

func address(b []byte) {
	var r C.struct_request
	r.data = lends.Address(b)
	C.send(&r) // want error "r.data in it"
}

func fresh() {
	var r C.struct_request
	r.data = lends.Same(lends.Fresh())
	C.send(&r) // want error "r.data in it"
}

func ofC() {
	var r C.struct_request
	r.data = lends.Same(C.malloc(8))
	C.send(&r)
	C.free(r.data)
}
