package toolexec

import (
	"cmp"
	"embed"
	"os"
	"runtime"

	"github.com/seamgo/seam/cmd/seam/internal/weld/cgofile"
)

// A Transform is what a build does to the packages that call C.
type Transform struct {
	// Passes rewrite what cgo generated for one package.
	Passes []cgofile.Pass

	// Runtime is what is added to package runtime/cgo.
	Runtime func(goarch string) (Runtime, error)

	// MainVar is the variable that holds the program's main module and build ID, with a tab
	// between; "" if none does.
	MainVar string

	// ID names everything that the result depends on besides the package
	// itself: a change of it must rebuild.
	ID func() string
}

// Runtime is what is added to package runtime/cgo.
type Runtime struct {
	Go []byte // a file; package clause "package cgo"; may import what that package imports: sync, sync/atomic, unsafe, but not runtime

	// WithRuntime is a further file that may import package runtime. In a build for which that
	// package isn't found WithoutRuntime takes its place, if there is one.
	WithRuntime    []byte
	WithoutRuntime []byte

	// Apart: Go and Asm are compiled by themselves, see apart.go.
	Apart bool

	// C is put in front of what cgo writes for the package; may be empty. It is a file of
	// its own there, of the name CName.
	C     []byte
	CName string

	// LDFlags are the linker's if C is there, as a #cgo line of the package would have them.
	LDFlags []string

	Asm    []byte // appended to the package's assembly file; may be empty
	Rename Rename // what gets another name there, before
}

// A Rename is a piece of the assembly that is replaced where it stands, which is in one place.
type Rename struct{ Old, New string }

// Target is the system that the go command builds for; it tells its tools.
func Target() (goos, goarch string) {
	return cmp.Or(os.Getenv("GOOS"), runtime.GOOS), cmp.Or(os.Getenv("GOARCH"), runtime.GOARCH)
}

//go:embed apart.go runtime.go toolexec.go
var source embed.FS

// SourceID is a hash of what this package does with package runtime/cgo, for the
// ID of a Transform that needs package runtime there.
func SourceID() string { return cgofile.Hash(source) }
