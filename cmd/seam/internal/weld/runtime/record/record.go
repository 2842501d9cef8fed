// Package record carries the C that lets a program record something about
// itself: what traced programs and programs that are searched for leaks have in
// common.
package record

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/weld/cgofile"
	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/macros"
	"github.com/seamgo/seam/cmd/seam/internal/weld/toolexec"
)

//go:embed c/seam_record.h
var header []byte

// Callers is the part of the Go side that imports package runtime.
//
//go:embed rt/callers.go.txt
var Callers []byte

// C returns a verb's C files by name, with the one that all include. They lie
// beside those that cgo generates.
func C(headers embed.FS) map[string][]byte {
	files := map[string][]byte{"seam_record.h": macros.Shield(header)}
	names, err := fs.Glob(headers, "c/*.h")
	if err != nil {
		panic(err) // the pattern is ours
	}
	for _, name := range names {
		text, err := headers.ReadFile(name)
		if err != nil {
			panic(err) // it is embedded
		}
		files[path.Base(name)] = macros.Shield(text)
	}
	return files
}

// ID names a verb's transform and covers its run-time. Source is what rewrites
// packages: what it writes depends on it.
func ID(verb string, source embed.FS, c map[string][]byte, goSide []byte) string {
	h := sha256.New()
	fmt.Fprintln(h, verb, cgofile.Hash(source), cgofile.SourceID(), toolexec.SourceID())
	for _, name := range slices.Sorted(maps.Keys(c)) {
		h.Write(c[name])
	}
	h.Write(goSide)
	h.Write(Callers)
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// Known tells whether programs that record can be built for a system.
func Known(goos, goarch string) bool {
	return goos == "linux" && (goarch == "amd64" || goarch == "arm64")
}
