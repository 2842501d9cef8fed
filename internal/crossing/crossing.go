// Package crossing has what the library's packages have in common at the crossing to C: when
// to fall back to cgo, how Status reads, and what Of does if the C function is missing. The
// type State is each package's own, so that its documentation lists the package's paths.
package crossing

import (
	"os"
	"strconv"
	"strings"
	"unsafe"
)

// Fallback returns why the package called pkg has to go through cgo, or "" if it need
// not: its environment variable (SEAM_LEAF for leaf) asks for it, or a check fails.
func Fallback(pkg string, checks ...func() error) string {
	variable := "SEAM_" + strings.ToUpper(pkg)
	switch env := os.Getenv(variable); env {
	case "", "auto":
	case "cgo":
		return variable + "=cgo in the environment"
	default:
		Warn(pkg, variable+"="+strconv.Quote(env)+" is not known (want auto or cgo); going on with auto")
	}
	for _, check := range checks {
		if err := check(); err != nil {
			return err.Error()
		}
	}
	return ""
}

// Line returns a package's state as one line.
func Line(pkg, path, reason string) string {
	if reason == "" {
		return pkg + ": " + path
	}
	return pkg + ": " + path + " (" + reason + ")"
}

// Warn reports a setting that was not understood, on standard error: while a program
// starts there is no caller to return an error to.
func Warn(pkg, text string) { os.Stderr.WriteString("seam: " + pkg + ": " + text + "\n") }

// MustExist panics if fn, the C function given to the Of of a package, is nil.
func MustExist(pkg, name string, fn unsafe.Pointer) {
	if fn == nil {
		panic(pkg + ": the C function " + name + " has no address: link what defines it, " +
			"or test a weak symbol for nil before Of")
	}
}
