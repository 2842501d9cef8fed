package versions

import (
	"context"
	"embed"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/progcache"
)

// The program has a build constraint that keeps it out of our own build. It is cut off,
// since Go 1.16 wants it in the old form, too.
//
//go:embed program
var programFiles embed.FS

const mainFile, constraint = "program/main.go", "//go:build versions_program\n"

var programs progcache.Once[release]

// program is the path of a release's program. The first request builds all.
func program(ctx context.Context, mode lab.Mode, r release) (string, error) {
	return programs.Get(ctx, mode, r, releases, build)
}

// build makes a release's program or finds it in the cache.
func build(ctx context.Context, r release) (string, error) {
	tool, err := exec.LookPath("go")
	if err != nil {
		return "", lab.Skip("the program is built with the go command, and there is none: %v", err)
	}
	// The go command fetches what it is to be.
	env, err := progcache.Env(ctx, tool, []string{"GOTOOLCHAIN=" + r.toolchain})
	switch {
	case ctx.Err() != nil: // the next process may get further, with what has been fetched so far
		return "", fmt.Errorf("can't fetch %s: %w", r.toolchain, context.Cause(ctx))
	case err != nil:
		return "", lab.Skip("%s can't be fetched: %v", r.toolchain, err)
	}
	files := map[string]string{"go.mod": "module versions\n\ngo 1.14\n"}
	if err := progcache.AddFiles(files, "", programFiles); err != nil {
		return "", err
	}
	files[mainFile] = strings.TrimPrefix(files[mainFile], constraint)
	own := filepath.Join(env.GOROOT, "bin", "go")
	path, err := progcache.Program{
		Cache: "versions", Files: files, Package: "./program", More: r.toolchain,
		// -buildvcs, which other programs are built with, is unknown to the oldest. The
		// index of Go 1.19 can't be of a toolchain that lies in the module cache.
		Env: []string{"GODEBUG=goindex=0", "GOFLAGS=-mod=mod", "GOTOOLCHAIN=local", "GOROOT=" + env.GOROOT, "GOPROXY=off", "CGO_ENABLED=1", "CGO_CFLAGS=-O2 -g0", "CGO_CPPFLAGS=", "CGO_LDFLAGS="},
	}.Build(ctx, own, env)
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("can't build the program: %w", context.Cause(ctx))
	case err != nil:
		return "", lab.Skip("can't build the program by %s: %v", r.toolchain, err)
	}
	return path, nil
}
