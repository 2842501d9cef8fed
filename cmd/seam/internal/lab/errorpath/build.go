package errorpath

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

// patience is how long the programs of a process may take to build. It is below
// the time after which a silent worker is taken for hung.
func patience(mode lab.Mode) time.Duration {
	if mode == lab.Quick {
		return 50 * time.Second
	}
	return 4 * time.Minute
}

// A source is what a program is built from.
type source struct {
	types  int
	layout string
	seed   int
}

// A workshop builds the programs of this process, once each.
type workshop struct {
	mu    sync.Mutex
	built map[key]*outcome
}

type key struct {
	variant string
	source
}

type outcome struct {
	path string
	err  error
}

var shop = workshop{built: map[key]*outcome{}}

// program is the path of a program of this process. The first who asks for one
// has all layouts built.
func (v variant) program(ctx context.Context, b *lab.Bench, layout string) (string, error) {
	s := source{slices.Max(v.sizesOf(b.Mode)), layout, 1 + b.Round%seeds(b.Mode)}
	shop.mu.Lock()
	defer shop.mu.Unlock()
	if shop.built[key{v.name, s}] == nil {
		ctx, cancel := context.WithTimeoutCause(ctx, patience(b.Mode), fmt.Errorf("it took more than %v", patience(b.Mode)))
		defer cancel()
		var all sync.WaitGroup
		turns := make(chan struct{}, max(1, runtime.GOMAXPROCS(0)))
		for _, l := range v.layouts() {
			one, o := s, &outcome{}
			one.layout = l
			shop.built[key{v.name, one}] = o
			all.Go(func() {
				turns <- struct{}{}
				defer func() { <-turns }()
				o.path, o.err = v.build(ctx, one)
			})
		}
		all.Wait()
	}
	o := shop.built[key{v.name, s}]
	return o.path, o.err
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
	version, err := run(ctx, tool, "", "env", "GOVERSION", "GOOS", "GOARCH", "GOAMD64", "GOARM64", "GOEXPERIMENT")
	if err != nil {
		return "", lab.Skip("the go command can't be used to build the decoders: %v", err)
	}
	dir, err := cacheDir()
	if err != nil {
		return "", lab.Skip("no folder for the decoders: %v", err)
	}
	flags := []string{"build", fmt.Sprintf("-ldflags=-w -randlayout=%d", s.seed)}
	code := hashFiles(files)
	program := filepath.Join(dir, hash(code, version, strings.Join(flags, " "))+exeSuffix)
	if found(program) {
		return program, nil
	}
	defer trim(dir)
	folder := filepath.Join(dir, sourcePrefix+code)
	if !found(folder) {
		err := whole(dir, folder, func(folder string) error { return writeFiles(folder, files) })
		if err != nil {
			return "", lab.Skip("can't write the decoders: %v", err)
		}
	}
	// The same folder for each order of functions: the go command compiles once.
	err = whole(dir, program, func(made string) error {
		_, err := run(ctx, tool, folder, append(flags, "-o", made, "./"+programDir)...)
		return err
	})
	if err != nil {
		return "", lab.Skip("can't build the decoders: %v", err)
	}
	return program, nil
}

// found tells whether something is in the cache, and notes that it is in use.
func found(path string) bool {
	now := time.Now()
	return os.Chtimes(path, now, now) == nil
}

// whole makes a file or folder under another name and renames it, so that nobody
// finds half of it. Somebody else may be making the same.
func whole(dir, path string, make func(path string) error) error {
	work, err := os.MkdirTemp(dir, workPrefix)
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	made := filepath.Join(work, filepath.Base(path))
	if err := make(made); err != nil {
		return err
	}
	if err := os.Rename(made, path); err != nil && !found(path) {
		return err
	}
	return nil
}

func writeFiles(folder string, files map[string]string) error {
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

// run runs the go command and gives what it prints.
func run(ctx context.Context, tool, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, tool, args...)
	cmd.Dir = dir
	cmd.WaitDelay = time.Second
	// What the user has set for builds of their own must not change this one. An
	// empty GOFLAGS would be that of go env -w.
	cmd.Env = append(os.Environ(), "GOFLAGS=-buildvcs=false", "GOWORK=off", "GO111MODULE=on", "GOPROXY=off", "CGO_ENABLED=0",
		"GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH)
	var out, words bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &words
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case err != nil && words.Len() > 0:
		return "", fmt.Errorf("go %s: %w: %s", args[0], err, brief(words.String()))
	case err != nil:
		return "", fmt.Errorf("go %s: %w", args[0], err)
	}
	return out.String(), nil
}

// brief is the first line of what the go command says that isn't the name of a
// package.
func brief(words string) string {
	for line := range strings.Lines(words) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return line
		}
	}
	return "it does not say why"
}

func hashFiles(files map[string]string) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(files)) {
		parts = append(parts, name, files[name])
	}
	return hash(parts...)
}

func hash(parts ...string) string {
	h := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(h, "%d\n%s", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Beginnings of names in the cache, where programs have none.
const (
	workPrefix   = "new-"
	sourcePrefix = "src-"

	// keep is how long a program stays that nobody asks for.
	keep = 7 * 24 * time.Hour
)

var exeSuffix = map[bool]string{true: ".exe"}[runtime.GOOS == "windows"]

// cacheDir is the folder where programs and their sources are kept from run to run. It may be
// deleted at any time.
func cacheDir() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir = filepath.Join(dir, "seam", "errorpath")
	return dir, os.MkdirAll(dir, 0o777)
}

// trim removes what has not been used for long, and what killed builds have
// left behind.
func trim(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			continue
		}
		age := time.Since(info.ModTime())
		if age > keep || strings.HasPrefix(e.Name(), workPrefix) && age > time.Hour {
			os.RemoveAll(filepath.Join(dir, e.Name()))
		}
	}
}
