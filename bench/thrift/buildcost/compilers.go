package buildcost

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/seamgo/seam/bench/internal/seam"
)

// A compiler turns cost.thrift in the root of a module into the package cost there.
type compiler struct {
	name string

	// prepare makes the command line.
	prepare func(ctx context.Context, w *workshop) ([]string, error)

	// require replaces a requirement of bench's go.mod: "PATH@VERSION".
	require string
}

// module is the path of the modules that code is generated into.
const module = "cost.example"

// thriftgo's code for Apache's library is for this version of it, the last whose
// methods take no context.
const oldApache = "github.com/apache/thrift@v0.13.0"

var compilers = []compiler{
	{name: "seam", prepare: func(_ context.Context, w *workshop) ([]string, error) {
		tool, err := seam.Find(w.Seam)
		return []string{tool, "gen", "cost.thrift"}, err
	}},
	{name: "apache", prepare: func(ctx context.Context, w *workshop) ([]string, error) {
		out, err := w.bench(ctx, filepath.Join("thrift", "apache-compiler"))
		return []string{strings.TrimSpace(string(out)), "-out", ".", "-gen", "go:skip_remote", "cost.thrift"}, err
	}},
	{name: "thriftgo", require: oldApache, prepare: func(ctx context.Context, w *workshop) ([]string, error) {
		tool, err := w.tool(ctx, "github.com/cloudwego/thriftgo")
		return []string{tool, "-q", "-o", ".", "-g", "go", "cost.thrift"}, err
	}},
	{name: "fastgo", prepare: func(ctx context.Context, w *workshop) ([]string, error) {
		tool, err := w.tool(ctx, "github.com/cloudwego/thriftgo")
		return []string{tool, "-q", "-o", ".", "-g", "fastgo:no_default_serdes", "cost.thrift"}, err
	}},
	{name: "kitex", prepare: func(ctx context.Context, w *workshop) ([]string, error) {
		tool, err := w.tool(ctx, "github.com/cloudwego/kitex/tool/cmd/kitex")
		return []string{tool, "-module", module, "-no-dependency-check", "-gen-path", ".", "cost.thrift"}, err
	}},
	{name: "frugal", prepare: func(ctx context.Context, w *workshop) ([]string, error) {
		tool, err := w.tool(ctx, "github.com/cloudwego/thriftgo")
		return []string{tool, "-q", "-o", ".", "-g", "go:template=slim,frugal_tag", "cost.thrift"}, err
	}},
}

// Compilers are the names of all.
func Compilers() (names []string) {
	for _, c := range compilers {
		names = append(names, c.name)
	}
	return names
}

// A workshop is a folder in which modules are made.
type workshop struct {
	Options
	root  string            // of the repository
	tools map[string]string // what was built, by import path
}

// bench runs a command in the folder of the module bench.
func (w *workshop) bench(ctx context.Context, line ...string) ([]byte, error) {
	if filepath.Dir(line[0]) != "." {
		line[0] = filepath.Join(w.root, "bench", line[0])
	}
	return seam.Project{Dir: filepath.Join(w.root, "bench"), Log: w.Log}.Run(ctx, line)
}

// tool builds a tool of bench's go.mod.
func (w *workshop) tool(ctx context.Context, path string) (string, error) {
	if file, ok := w.tools[path]; ok {
		return file, nil
	}
	file := filepath.Join(w.Dir, "bin", filepath.Base(path))
	_, err := w.bench(ctx, "go", "build", "-o", file, path)
	w.tools[path] = file
	return file, err
}

// module makes the module for a compiler's code. It requires what bench requires, in
// a workspace with the library in the working tree.
func (w *workshop) module(ctx context.Context, c compiler, structs int) (seam.Project, error) {
	p := seam.Project{Dir: filepath.Join(w.Dir, c.name), Env: []string{"GOWORK=" + filepath.Join(w.Dir, c.name, "go.work")}, Log: w.Log}
	if err := os.MkdirAll(p.Dir, 0o777); err != nil {
		return p, err
	}
	files := map[string]string{
		"go.work":     fmt.Sprintf("go 1.25.0\n\nuse .\nuse %s\n", filepath.Join(w.root, "thrift")),
		"cost.thrift": IDL("cost", structs),
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(w.root, "bench", name))
		if err != nil {
			return p, err
		}
		files[name] = string(text)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(p.Dir, name), []byte(text), 0o666); err != nil {
			return p, err
		}
	}
	if _, err := p.Run(ctx, p.Go("mod", "edit", "-module="+module)); err != nil {
		return p, err
	}
	if c.require == "" {
		return p, nil
	}
	// Which sums are missing is found out alone: workspaces are read-only.
	alone := seam.Project{Dir: p.Dir, Env: []string{"GOWORK=off", "GOFLAGS=-mod=mod"}, Log: w.Log}
	path, version, _ := strings.Cut(c.require, "@")
	if _, err := alone.Run(ctx, alone.Go("mod", "edit", "-replace="+path+"="+path+"@"+version)); err != nil {
		return p, err
	}
	_, err := alone.Run(ctx, alone.Go("mod", "download", path))
	return p, err
}
