// Package limits finds what a Go toolchain keeps on the stack and where a stack ends:
// by asking its compiler and by running a program that it built. No figure is taken
// from anywhere else; those that were measured when Seam was made (see [History])
// only tell since when one holds.
package limits

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
)

// Options say what is measured.
type Options struct {
	Go         string   // the go command in use
	Dir        string   // where the user is, whose go.mod may choose the toolchain
	Named      []string // toolchains that the user named; fetched where they are missing
	Only       bool     // not the other toolchains that are installed
	NoOverflow bool     // no stack is made to overflow
	Exec       []string // what runs the built programs, where this machine doesn't
	Seam       string   // version of the tool

	Progress func(toolchain, what string) // may be nil

	maxStack int64 // bounds the stack that overflows; 0: the runtime's own limit
}

// Run measures all toolchains that were asked for. One that can't be measured is in the
// report with the reason.
func Run(ctx context.Context, o Options) (*Report, error) {
	if o.Progress == nil {
		o.Progress = func(string, string) {}
	}
	o.Progress("", "looking for toolchains")
	used, err := inUse(ctx, o)
	if err != nil {
		return nil, err
	}
	list, err := toolchains(ctx, o, used)
	if err != nil {
		return nil, err
	}
	r := &Report{Seam: o.Seam, GOOS: used.goos, GOARCH: used.goarch, Limits: describe()}
	for _, t := range list {
		m := Measured{Version: t.version, Root: t.root, InUse: t.inUse, Named: t.named, Missing: t.missing}
		if m.Missing == "" {
			err := measure(ctx, &o, t, &m)
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			if err != nil {
				m.Missing = err.Error()
			}
		}
		r.Toolchains = append(r.Toolchains, m)
	}
	return r, r.compare(History())
}

// measure fills in all figures of a toolchain. An error is about the toolchain as a
// whole; what is wrong with one figure stands in its place.
func measure(ctx context.Context, o *Options, t toolchain, m *Measured) error {
	work, err := os.MkdirTemp("", "seam-limits-")
	if err != nil {
		return fmt.Errorf("no folder to compile in: %w", err)
	}
	defer os.RemoveAll(work)
	t.work = work
	o.Progress(t.version, "asking the compiler")
	m.Values = map[string]Value{}
	if err := t.askCompiler(ctx, m.Values); err != nil {
		return err
	}
	o.Progress(t.version, "building a program")
	program, err := t.build(ctx)
	if err == nil {
		o.Progress(t.version, "running it")
		err = t.askRuntime(ctx, o, program, m.Values)
	}
	if err != nil {
		missing(m.Values, atRunTime, err)
		missing(m.Values, byOverflow, err)
		return nil
	}
	if o.NoOverflow {
		missing(m.Values, byOverflow, errors.New("no stack was made to overflow (--no-overflow)"))
		return nil
	}
	o.Progress(t.version, "making a stack overflow")
	if err := t.overflow(ctx, o, program, m.Values); err != nil {
		missing(m.Values, byOverflow, err)
	}
	return nil
}

// missing gives a reason for all figures of a kind that have no value.
func missing(values map[string]Value, k kind, why error) {
	for _, l := range all {
		if _, ok := values[l.key]; l.kind == k && !ok {
			values[l.key] = Value{Missing: why.Error()}
		}
	}
}

// Failed are the toolchains that had to be measured, since they are in use or were
// named, and could not be, with the reason.
func (r *Report) Failed() []string {
	var list []string
	for _, m := range r.Toolchains {
		if m.Missing != "" && (m.InUse || m.Named) {
			list = append(list, m.Version+": "+m.Missing)
		}
	}
	slices.Sort(list)
	return list
}
