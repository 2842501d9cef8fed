// Package leaf carries the run-time of welded programs: the Go and assembly
// that become a part of package runtime/cgo and the C that becomes a part of
// every welded package.
package leaf

import (
	"bytes"
	"embed"
	"fmt"
	"regexp"
	"slices"

	"github.com/seamgo/seam"
	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/bundle"
	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/macros"
	"github.com/seamgo/seam/cmd/seam/internal/weld/toolexec"
)

//go:embed rt/*.go rt/*.s
var files embed.FS

//go:embed c/*.h
var headers embed.FS

//go:embed watch/kept.c
var kept []byte

// Names of the C files, by which they include each other. They lie beside those
// that cgo generates.
const (
	HeaderName         = "seam_weld.h"
	ImplementationName = "seam_weld_impl.h"
	ViewName           = "seam_weld_view.h"  // behind the implementation, where C.GoString may be a view
	ReuseName          = "seam_weld_reuse.h" // the same, where blocks of C.CString are used again
)

// C returns them by name.
func C() map[string][]byte { return macros.ShieldAll(headers, seam.Weld) }

// WatchName is the file with the watch, which becomes a part of package runtime/cgo.
const WatchName = "seam_watch.h"

// WatchC is its text.
func WatchC() []byte { return bundle.C(kept) }

// minors are the minor versions of Go 1 whose layout has been read, see
// internal/abi in the library.
var minors = []string{"25", "26", "27"}

var version = regexp.MustCompile(`^go1\.([0-9]+)(\D.*)?$`)

// KnownGo reports whether programs can be welded with a version of Go, as
// runtime.Version writes it.
func KnownGo(v string) bool {
	m := version.FindStringSubmatch(v)
	return m != nil && slices.Contains(minors, m[1])
}

// The places in package runtime/cgo's assembly, in Go 1.25 to 1.27, where ours comes
// between C and Go.
var crosscall2 = toolexec.Rename{Old: "TEXT crosscall2(SB)", New: "TEXT seam_crosscall2(SB)"}

// asmHead begins our assembly, and tells it that it has become a part of that package.
const asmHead = "#include \"textflag.h\"\n#define SEAM_IN_RUNTIME_CGO\n"

// Runtime is what becomes a part of package runtime/cgo.
func Runtime(goarch string) (toolexec.Runtime, error) {
	texts := map[string][]byte{}
	slot, asm := "slot_"+goarch+".go", "asm_"+goarch+".s"
	for _, name := range []string{"rt.go", "late.go", "coro.go", "bound.go", "park.go", "view.go", "reuse.go", "thread.go", "nothread.go", slot, asm} {
		var err error
		if texts[name], err = files.ReadFile("rt/" + name); err != nil {
			return toolexec.Runtime{}, fmt.Errorf("no run-time for %s: %w", goarch, err)
		}
	}
	_, body, ok := bytes.Cut(texts[asm], []byte("#include \"textflag.h\"\n"))
	if !ok {
		return toolexec.Runtime{}, fmt.Errorf("%s has another beginning than expected", asm)
	}
	return toolexec.Runtime{
		Go:             bundle.Callable(bundle.Go(texts["rt.go"], texts["late.go"], texts["coro.go"], texts["bound.go"], texts["park.go"], texts["view.go"], texts["reuse.go"], texts[slot])),
		WithRuntime:    bundle.Go(texts["thread.go"]),
		WithoutRuntime: bundle.Go(texts["nothread.go"]),
		Asm:            append([]byte(asmHead), body...),
		Rename:         crosscall2,
		Apart:          true,
	}, nil
}
