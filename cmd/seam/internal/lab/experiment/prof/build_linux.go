package prof

import (
	"context"
	"embed"
	"fmt"
	"os/exec"

	"github.com/seamgo/seam"
	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/progcache"
)

// The program's files have build constraints that keep them out of our own build.
//
//go:embed program
var programFiles embed.FS

// tags of the program, with package prof in it and without. It is no part of seam, all of
// whose callbacks would be dearer for it.
const tagProgram, tagSeam = "prof_program", "prof_program,prof_seam"

var programs progcache.Once[string]

// program is the path of the program for a profiler. The first request builds both.
func program(ctx context.Context, mode lab.Mode, via string) (string, error) {
	tag := tagProgram
	if via == viaSeam {
		tag = tagSeam
	}
	return programs.Get(ctx, mode, tag, []string{tagProgram, tagSeam}, build)
}

func build(ctx context.Context, tag string) (string, error) {
	tool, err := exec.LookPath("go")
	if err != nil {
		return "", lab.Skip("the program is built with the go command, and there is none: %v", err)
	}
	vars := []string{"GOPROXY=off", "CGO_ENABLED=1", "CGO_CFLAGS=-O2 -g0", "CGO_CPPFLAGS=", "CGO_LDFLAGS="}
	env, err := progcache.Env(ctx, tool, vars)
	if ctx.Err() != nil {
		return "", fmt.Errorf("can't build the program: %w", context.Cause(ctx))
	}
	if err != nil {
		return "", lab.Skip("the go command can't be used to build the program: %v", err)
	}
	files := map[string]string{"go.mod": progcache.GoMod}
	for _, tree := range []embed.FS{programFiles, seam.Prof, seam.Unwind} {
		if err := progcache.AddFiles(files, "", tree); err != nil {
			return "", err
		}
	}
	path, err := progcache.Program{Cache: "prof", Files: files, Package: "./program", Env: vars, Flags: []string{"-tags=" + tag}}.Build(ctx, tool, env)
	switch {
	case ctx.Err() != nil: // the next process may get further, with what has been compiled so far
		return "", fmt.Errorf("can't build the program: %w", context.Cause(ctx))
	case err != nil:
		return "", lab.Skip("can't build the program: %v", err)
	}
	return path, nil
}
