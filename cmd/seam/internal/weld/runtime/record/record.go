// Package record carries what traced programs and programs that are searched for
// leaks have in common: the C that maps a file to record in, and the Go that tells
// stacks.
package record

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/weld/cgofile"
	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/bundle"
	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/macros"
	"github.com/seamgo/seam/cmd/seam/internal/weld/toolexec"
)

//go:embed c/*.h
var headers embed.FS

var (
	//go:embed rt/record.go
	shared []byte
	//go:embed rt/callers.go
	callers []byte
)

// A Runtime is that of one kind of program that records.
type Runtime struct {
	Name    string     // of the kind: "trace"
	Headers []embed.FS // c/*.h
	Go      []byte     // for package runtime/cgo

	Apart []byte // C for package runtime/cgo; may be empty

	WithRuntime []byte // Go, where that may import package runtime; nil if there is none
}

// C returns the C files by name. They lie beside those that cgo generates.
func (r Runtime) C() map[string][]byte {
	return macros.ShieldAll(append([]embed.FS{headers}, r.Headers...)...)
}

// ApartName is the file with the C for package runtime/cgo.
const ApartName = "seam_record_apart.h"

// ApartC is its text.
func (r Runtime) ApartC() []byte {
	return bundle.C(r.Apart, append([]embed.FS{headers}, r.Headers...)...)
}

// Transform builds programs with this run-time by passes, whose source is given
// because what they write depends on it.
func (r Runtime) Transform(passes []cgofile.Pass, source embed.FS) toolexec.Transform {
	withRuntime := [][]byte{callers}
	if r.WithRuntime != nil {
		withRuntime = append(withRuntime, r.WithRuntime)
	}
	added := toolexec.Runtime{Go: bundle.Go(shared, r.Go), WithRuntime: bundle.Go(withRuntime...), C: r.ApartC(), CName: ApartName}
	return toolexec.Transform{
		Passes:  passes,
		Runtime: func(string) (toolexec.Runtime, error) { return added, nil },
		MainVar: "runtime/cgo.SeamMain",
		ID: func() string {
			h := sha256.New()
			fmt.Fprintln(h, r.Name, cgofile.Hash(source), cgofile.SourceID(), toolexec.SourceID())
			c := r.C()
			for _, name := range slices.Sorted(maps.Keys(c)) {
				h.Write(c[name])
			}
			h.Write(added.Go)
			h.Write(added.WithRuntime)
			h.Write(added.C)
			return hex.EncodeToString(h.Sum(nil)[:12])
		},
	}
}
