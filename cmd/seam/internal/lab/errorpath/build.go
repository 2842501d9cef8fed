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
		for _, l := range layouts {
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
	flags := []string{"build", "-trimpath", fmt.Sprintf("-ldflags=-w -randlayout=%d", s.seed), "-o"}
	version, err := run(ctx, tool, "", "env", "GOVERSION", "GOOS", "GOARCH", "GOAMD64", "GOARM64", "GOEXPERIMENT")
	if err != nil {
		return "", lab.Skip("the go command can't be used to build the decoders: %v", err)
	}
	dir, err := cacheDir()
	if err != nil {
		return "", lab.Skip("no folder for the decoders: %v", err)
	}
	done := filepath.Join(dir, hash(files, append(flags, version))+exeSuffix)
	if _, err := os.Stat(done); err == nil {
		now := time.Now()
		_ = os.Chtimes(done, now, now) // it is in use; at worst it is made again
		return done, nil
	}
	defer trim(dir)
	work, err := os.MkdirTemp(dir, workPrefix)
	if err != nil {
		return "", lab.Skip("no folder for the decoders: %v", err)
	}
	defer os.RemoveAll(work)
	for name, text := range files {
		name = filepath.Join(work, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(name), 0o777)
		if err == nil {
			err = os.WriteFile(name, []byte(text), 0o666)
		}
		if err != nil {
			return "", lab.Skip("can't write the decoders: %v", err)
		}
	}
	made := filepath.Join(work, "made"+exeSuffix)
	if _, err := run(ctx, tool, work, append(flags, made, "./"+programDir)...); err != nil {
		return "", lab.Skip("can't build the decoders: %v", err)
	}
	// Whole or not at all: somebody else may be building the same.
	if err := os.Rename(made, done); err != nil {
		return "", lab.Skip("can't keep the decoders: %v", err)
	}
	return done, nil
}

// run runs the go command and gives what it prints.
func run(ctx context.Context, tool, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, tool, args...)
	cmd.Dir = dir
	cmd.WaitDelay = time.Second
	// What the user has set for builds of their own must not change this one.
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "GO111MODULE=on", "GOPROXY=off", "CGO_ENABLED=0",
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

// hash is the name of what is built from some files in some way.
func hash(files map[string]string, how []string) string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(h, "%s %d\n%s", name, len(files[name]), files[name])
	}
	fmt.Fprintf(h, "%q", how)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

const (
	workPrefix = "new-"
	// keep is how long a program stays that nobody asks for.
	keep = 7 * 24 * time.Hour
)

var exeSuffix = map[bool]string{true: ".exe"}[runtime.GOOS == "windows"]

// cacheDir is the folder where programs are kept from run to run. It may be
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
