// Package record carries the C that lets a program record something about
// itself: what traced programs and programs that are searched for leaks have in
// common.
package record

import (
	_ "embed"

	"github.com/seamgo/seam/cmd/seam/internal/weld/inject/macros"
)

//go:embed c/seam_record.h
var header []byte

// Callers is the part of the Go side that imports package runtime.
//
//go:embed rt/callers.go.txt
var Callers []byte

// C returns the C file by its name. It lies beside those that include it.
func C() map[string][]byte {
	return map[string][]byte{"seam_record.h": macros.Shield(header)}
}

// Known tells whether programs that record can be built for a system.
func Known(goos, goarch string) bool {
	return goos == "linux" && (goarch == "amd64" || goarch == "arm64")
}
