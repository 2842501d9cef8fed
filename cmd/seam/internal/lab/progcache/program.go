// Package progcache builds programs for experiments, by the user's go command, and keeps them:
// what is compiled differently from seam itself, or needs libraries that seam must not need.
package progcache

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/filecache"
	"github.com/seamgo/seam/cmd/seam/internal/gotool"
)

// A Program is what to build.
type Program struct {
	Cache   string            // the name of the cache: the experiment's
	Files   map[string]string // of its module, by path
	Package string            // "./program"
	Flags   []string          // for go build
	Env     []string          // for the go command, besides what all programs have
	More    string            // what else it depends on, like the release of a library
}

// Build returns the path of the program. The error says in one line why there is none.
func (p Program) Build(ctx context.Context, tool string, env *gotool.Env) (string, error) {
	cache, err := filecache.Open(p.Cache)
	if err != nil {
		return "", err
	}
	name := "program"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	key := KeyOf(env, p.Files, append(slices.Concat(p.Flags, []string{"--"}, p.Env), p.Package, p.More)...)
	folder, err := cache.Path(key, func(folder string) error {
		// The sources have a place of their own: the go command knows again what it has
		// compiled there for another program of the same files.
		sources, err := cache.Path(KeyOfFiles(p.Files), func(path string) error { return WriteFiles(path, p.Files) })
		if err != nil {
			return err
		}
		if err := os.Mkdir(folder, 0o700); err != nil {
			return err
		}
		defer cache.Trim()
		_, err = Run(ctx, sources, p.Env, slices.Concat([]string{tool, "build"}, p.Flags, []string{"-o", filepath.Join(folder, name), p.Package})...)
		return err
	})
	return filepath.Join(folder, name), err
}

// KeyOf makes a key of what a Go compiles from files.
func KeyOf(env *gotool.Env, files map[string]string, more ...string) filecache.Key {
	parts := []string{env.GOVERSION, env.GOOS, env.GOARCH, env.GOAMD64, env.GOARM64, env.GOEXPERIMENT, env.CC, env.CXX}
	sum := KeyOfFiles(files)
	return filecache.KeyOf(append(append(parts, more...), string(sum[:]))...)
}

// KeyOfFiles makes a key of files, by path.
func KeyOfFiles(files map[string]string) filecache.Key {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(files)) {
		parts = append(parts, name, files[name])
	}
	return filecache.KeyOf(parts...)
}

// WriteFiles writes files, by path, into a folder.
func WriteFiles(folder string, files map[string]string) error {
	for name, text := range files {
		name = filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}
