// Package callgraph tells what the C functions of a package can do, from the call graph
// that gcc writes for their source (-fcallgraph-info), or from clang's assembly: whether a call can come back to Go,
// wait, call through pointers, recurse, and how much stack it takes.
//
// The graph is that of the optimised code, compiled with the flags that the go command
// uses, since that is the code that will run. Without optimisation there would be calls
// that the real code doesn't make, and too much stack. Nothing is lost: calls made by an
// inlined function count as those of the function it was inlined into.
//
// The graph ends where other libraries begin. What the functions of the C library do is
// listed in externals.txt; nothing is known of any others. A function is called proven if
// its graph is closed: everything it reaches is known, and nothing there calls back or
// waits. How long it takes can't be proven.
package callgraph

import (
	"context"
	"errors"

	"github.com/seamgo/seam/cmd/seam/internal/filecache"
	"github.com/seamgo/seam/cmd/seam/internal/gotool"
)

// Options of [Prove].
type Options struct {
	// Cache keeps the graphs of files; nil for none.
	Cache *filecache.Cache

	// Progress, if not nil, is told before a file is compiled. Calls may come
	// from several goroutines at once.
	Progress func(file string)
}

// Prove finds out what the C functions called by p can do. objdir holds what cgo made for p
// ([gotool.Generate]). A package that has no call graph is no error: the result says why.
func Prove(ctx context.Context, p gotool.Package, objdir string, o Options) (*Package, error) {
	c := &compiler{pkg: p, objdir: objdir, Options: o}
	units, err := c.units(ctx)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var missing *missing
	if errors.As(err, &missing) {
		return &Package{Missing: missing.why}, nil
	}
	if err != nil {
		return nil, err
	}
	if c.compiled > 0 {
		o.Cache.Trim()
	}
	prog := link(units)
	held, err := heldByGo(objdir)
	if err != nil {
		return nil, err
	}
	prog.findHooks(units, held)
	if flag := relinked(p.LinkerFlags()); flag != "" {
		prog.renames = "the linker is told " + flag
	}
	result := &Package{Functions: map[string]*Function{}, Blind: prog.blind, Compiled: c.compiled, Cached: len(units) - c.compiled}
	for name := range prog.roots {
		result.Functions[name] = prog.prove(name)
	}
	return result, nil
}

// missing is why there is no proof.
type missing struct{ why string }

func (m *missing) Error() string { return m.why }
