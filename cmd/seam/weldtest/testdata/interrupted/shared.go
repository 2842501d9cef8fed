//go:build shared

package main

// #cgo LDFLAGS: -L${SRCDIR} -lwaits -Wl,-rpath,${SRCDIR}
import "C"
