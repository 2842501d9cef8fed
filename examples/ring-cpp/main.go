//go:build linux

package main

import (
	"context"
	"embed"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/seamgo/seam/include"
)

//go:embed engine/engine.cc
var source embed.FS

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "ring-cpp:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer) error {
	dir, err := os.MkdirTemp("", "ring-cpp")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path, err := build(ctx, dir)
	if err != nil {
		return err
	}
	engine := &Engine{path: path}
	for _, question := range []string{"hello", "crash", "are you there?", "hang", "and now?"} {
		limited, cancel := context.WithTimeout(ctx, time.Second)
		answer, err := engine.Ask(limited, question)
		cancel()
		if err != nil {
			fmt.Fprintln(out, "no answer:", err)
			continue
		}
		fmt.Fprintf(out, "engine %d: %s\n", engine.Started, answer)
	}
	return engine.Close()
}

// build compiles the engine in dir. Yours would be built with the service.
func build(ctx context.Context, dir string) (path string, err error) {
	if err := os.CopyFS(dir, source); err != nil {
		return "", err
	}
	if err := os.CopyFS(filepath.Join(dir, "include"), include.Files); err != nil {
		return "", err
	}
	path = filepath.Join(dir, "engine", "engine")
	cc := exec.CommandContext(ctx, "c++", "-std=c++17", "-O2", "-Wall", "-Iinclude", "-o", path, "engine/engine.cc")
	cc.Dir, cc.Stderr = dir, os.Stderr
	return path, cc.Run()
}
