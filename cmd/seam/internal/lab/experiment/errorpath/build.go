package errorpath

import (
	"context"
	"fmt"
	"os/exec"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/progcache"
)

// A source is what a program is built from.
type source struct {
	types  int
	layout string
	seed   int
}

type key struct {
	variant string
	source
}

var programs progcache.Once[key]

// program is the path of a program of this process. The first request builds all
// layouts.
func (v variant) program(ctx context.Context, b *lab.Bench, layout string) (string, error) {
	s := source{slices.Max(v.sizesOf(b.Mode)), layout, 1 + b.Round%seeds(b.Mode)}
	var all []key
	for _, l := range v.layouts() {
		one := s
		one.layout = l
		all = append(all, key{v.name, one})
	}
	return programs.Get(ctx, b.Mode, key{v.name, s}, all, func(ctx context.Context, k key) (string, error) { return v.build(ctx, k.source) })
}

// build makes a program or finds it in the cache.
func (v variant) build(ctx context.Context, s source) (string, error) {
	tool, err := exec.LookPath("go")
	if err != nil {
		return "", lab.Skip("the decoders are built with the go command, and there is none: %v", err)
	}
	files, err := v.module(s.types, s.layout)
	if err != nil {
		return "", err
	}
	env := []string{"GOPROXY=off", "CGO_ENABLED=0"}
	settings, err := progcache.Env(ctx, tool, env)
	if err != nil {
		return "", lab.Skip("the go command can't be used to build the decoders: %v", err)
	}
	program, err := progcache.Program{
		Cache: "errorpath", Files: files, Package: "./" + programDir, Env: env,
		Flags: []string{fmt.Sprintf("-ldflags=-w -randlayout=%d", s.seed)},
	}.Build(ctx, tool, settings)
	if err != nil {
		return "", lab.Skip("can't build the decoders: %v", err)
	}
	return program, nil
}
