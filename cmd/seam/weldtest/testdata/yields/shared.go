//go:build shared

package main

// #cgo LDFLAGS: -L${SRCDIR} -lways -Wl,-rpath,${SRCDIR}
import "C"
