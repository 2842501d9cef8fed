// Package rewrite rewrites what cgo generated so that the functions of a plan are
// called as leaves, or by so many goroutines at once. See Leaves.Passes.
package rewrite

import (
	"cmp"
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
	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/park"
	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/trim"
	"github.com/seamgo/seam/cmd/seam/internal/weld/toolexec"
)

// Leaves are the functions that a plan makes leaves, and those that it bounds.
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

// RuntimeID covers what may be added to package runtime/cgo.
func RuntimeID() string {
	h := sha256.New()
	fmt.Fprintln(h, cgofile.Hash(source), cgofile.SourceID(), toolexec.SourceID(), leaf.SourceID())
	c := leaf.C()
	for _, name := range slices.Sorted(maps.Keys(c)) {
		h.Write(c[name])
	}
	h.Write(park.C())
	h.Write(park.CoroC())
	h.Write(leaf.WatchC())
	h.Write(trim.C(0))
	fmt.Fprintln(h, park.LDFlags())
	for _, arch := range []string{"amd64", "arm64"} {
		r, err := leaf.Runtime(arch)
		if err != nil {
			panic(err) // embedded
		}
		h.Write(r.Go)
		h.Write(r.WithRuntime)
		h.Write(r.WithoutRuntime)
		h.Write(r.Asm)
		fmt.Fprintln(h, r.Rename)
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}

func (l *Leaves) runtime(goarch string) (toolexec.Runtime, error) {
	if l.Off != "" || !bundle.Known("linux", goarch) {
		return toolexec.Runtime{}, nil
	}
	rt, err := leaf.Runtime(goarch)
	l.addC(&rt)
	return rt, err
}

// addC adds what the plan needs of C to package runtime/cgo.
func (l *Leaves) addC(rt *toolexec.Runtime) {
	switch {
	case l.has(plan.Park):
		rt.C, rt.CName, rt.LDFlags = park.C(), park.Name, park.LDFlags()
	case l.has(plan.Coro):
		rt.C, rt.CName, rt.LDFlags = park.CoroC(), park.Name, park.LDFlags()
	}
	if l.has(plan.Leaf) || l.has(plan.Coro) {
		rt.C, rt.CName = slices.Concat(rt.C, leaf.WatchC()), cmp.Or(rt.CName, leaf.WatchName)
	}
	if l.Plan.Trim != 0 {
		rt.C, rt.CName = slices.Concat(rt.C, trim.C(l.Plan.Trim)), cmp.Or(rt.CName, trim.Name)
	}
}

// RuntimeID covers what is added to package runtime/cgo for this plan.
func (l *Leaves) RuntimeID() string {
	var rt toolexec.Runtime
	l.addC(&rt)
	return fmt.Sprintf("%s%x", RuntimeID(), sha256.Sum256(rt.C))
}

// Packages lists the packages of which the plan names a function to be welded, in the
// order of the plan. With its threads, it welds all that call C.
func (l *Leaves) Packages() []string {
	var list []string
	for _, e := range l.Plan.Entries {
		if e.Mode != plan.Cgo && !slices.Contains(list, e.Package) {
			list = append(list, e.Package)
		}
	}
	return list
}

// Has reports whether the plan names a function to be welded.
func (l *Leaves) Has(importPath, function string) bool {
	e, ok := l.line(importPath, function)
	return ok && e.Mode != plan.Cgo
}

// line is the function's line in the plan.
func (l *Leaves) line(importPath, function string) (plan.Entry, bool) {
	for _, e := range l.Plan.Entries {
		if e.Package == importPath && e.Func == function {
			return e, true
		}
	}
	return plan.Entry{}, false
}
