// Package rewrite rewrites what cgo generated so that the functions of a plan are
// called as leaves. See Leaves.Passes.
package rewrite

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/weld/cgofile"
	"github.com/seamgo/seam/cmd/seam/internal/weld/plan"
	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/bundle"
	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/leaf"
	"github.com/seamgo/seam/cmd/seam/internal/weld/toolexec"
)

// Leaves are the functions that a plan makes leaves.
type Leaves struct {
	Plan *plan.Plan

	// Off says why nothing can be welded in this build (the Go version, the
	// system); "" if it can.
	Off string
}

// Transform builds programs in which they are welded.
func (l *Leaves) Transform() toolexec.Transform {
	return toolexec.Transform{
		Passes:  l.Passes(),
		Runtime: l.runtime,
		ID:      func() string { return l.PackageID("") }, // covers the whole plan
	}
}

// PackageID covers the plan's lines for one package and the run-time: what the
// package's code depends on.
func (l *Leaves) PackageID(importPath string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "weld %s %q %s", RuntimeID(), l.Off, l.Plan.Hash(importPath)))
	return hex.EncodeToString(sum[:12])
}

// source is this package: what it writes depends on it.
//
//go:embed *.go
var source embed.FS

// RuntimeID covers what is added to package runtime/cgo.
func RuntimeID() string {
	h := sha256.New()
	fmt.Fprintln(h, cgofile.Hash(source), cgofile.SourceID(), toolexec.SourceID())
	c := leaf.C()
	for _, name := range slices.Sorted(maps.Keys(c)) {
		h.Write(c[name])
	}
	for _, arch := range []string{"amd64", "arm64"} {
		r, err := leaf.Runtime(arch)
		if err != nil {
			panic(err) // embedded
		}
		h.Write(r.Go)
		h.Write(r.WithRuntime)
		h.Write(r.Asm)
		fmt.Fprintln(h, r.Rename)
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}

func (l *Leaves) runtime(goarch string) (toolexec.Runtime, error) {
	if l.Off != "" || !bundle.Known("linux", goarch) {
		return toolexec.Runtime{}, nil
	}
	return leaf.Runtime(goarch)
}

// Packages lists the packages of which a function is to be welded, in the order
// of the plan.
func (l *Leaves) Packages() []string {
	var list []string
	for _, e := range l.Plan.Entries {
		if e.Mode == plan.Leaf && !slices.Contains(list, e.Package) {
			list = append(list, e.Package)
		}
	}
	return list
}

// Has tells whether a function is to be a leaf.
func (l *Leaves) Has(importPath, function string) bool {
	_, ok := l.entry(importPath, function)
	return ok
}

func (l *Leaves) entry(importPath, function string) (plan.Entry, bool) {
	for _, e := range l.Plan.Entries {
		if e.Mode == plan.Leaf && e.Package == importPath && e.Func == function {
			return e, true
		}
	}
	return plan.Entry{}, false
}
