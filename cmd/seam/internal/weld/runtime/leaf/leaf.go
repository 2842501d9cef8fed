// Package leaf carries the run-time of welded programs: the Go and assembly
// that become a part of package runtime/cgo and the C that becomes a part of
// every welded package.
package leaf

import (
	"embed"
	"fmt"
	"regexp"
	"strings"
)

//go:embed rt/*.go rt/*.s
var goFiles embed.FS

// Header and Implementation are the C side, by the names under which they
// include each other.
var (
	//go:embed c/seam_weld.h
	Header []byte
	//go:embed c/seam_weld_impl.h
	Implementation []byte
)

// Names of the two, beside cgo's files.
const (
	HeaderName         = "seam_weld.h"
	ImplementationName = "seam_weld_impl.h"
)

// Known tells whether welded programs can be built for a system.
func Known(goos, goarch string) bool {
	return goos == "linux" && (goarch == "amd64" || goarch == "arm64")
}

// minors are the minor versions of Go 1 whose layout has been read, see
// internal/abi in the library.
var minors = []string{"25", "26", "27"}

var version = regexp.MustCompile(`^go1\.([0-9]+)(\D.*)?$`)

// KnownGo tells whether programs can be welded with a version of Go, as
// runtime.Version writes it.
func KnownGo(v string) bool {
	m := version.FindStringSubmatch(v)
	if m == nil {
		return false
	}
	for _, minor := range minors {
		if m[1] == minor {
			return true
		}
	}
	return false
}

// GoFile is the Go side as one file of package runtime/cgo.
func GoFile(goarch string) ([]byte, error) {
	main, err := goFiles.ReadFile("rt/rt.go")
	if err != nil {
		return nil, err
	}
	slot, err := goFiles.ReadFile("rt/slot_" + goarch + ".go")
	if err != nil {
		return nil, fmt.Errorf("no run-time for %s: %w", goarch, err)
	}
	_, body, ok := strings.Cut(string(main), "\npackage rt\n")
	if !ok {
		return nil, fmt.Errorf("rt.go has no package clause")
	}
	_, more, ok := strings.Cut(string(slot), "\npackage rt\n")
	if !ok {
		return nil, fmt.Errorf("slot_%s.go has no package clause", goarch)
	}
	// What the second file imports, the first does too.
	more = strings.Replace(more, "import \"sync\"\n", "", 1)
	return []byte("// Code added by seam. See github.com/seamgo/seam.\n\npackage cgo\n" + body + more), nil
}

// AsmFile is the assembly that goes behind that of runtime/cgo.
func AsmFile(goarch string) ([]byte, error) {
	src, err := goFiles.ReadFile("rt/asm_" + goarch + ".s")
	if err != nil {
		return nil, fmt.Errorf("no run-time for %s: %w", goarch, err)
	}
	_, body, ok := strings.Cut(string(src), "#include \"textflag.h\"\n")
	if !ok {
		return nil, fmt.Errorf("asm_%s.s has another beginning than expected", goarch)
	}
	return []byte(body), nil
}
