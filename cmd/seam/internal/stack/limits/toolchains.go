package limits

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/version"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// A toolchain is a Go that was found.
type toolchain struct {
	version      string // "go1.26.8"
	root         string // GOROOT
	command      string // its go command
	goos, goarch string // what it is to build for
	host         string // what it has to run on: "linux-amd64"
	inUse, named bool
	missing      string // why it can't be measured
	work         string // folder of this measurement
}

const (
	askTime   = 30 * time.Second
	fetchTime = 15 * time.Minute
)

// inUse is the toolchain that the go command uses in a folder, where a go.mod may ask for
// another than the one installed.
func inUse(ctx context.Context, o Options) (toolchain, error) {
	env, err := readEnv(ctx, askTime, o)
	if err != nil {
		return toolchain{}, fmt.Errorf("the go command in use can't be asked about itself: %w", err)
	}
	t := toolchain{root: env.GOROOT, goos: env.GOOS, goarch: env.GOARCH, host: env.GOHOSTOS + "-" + env.GOHOSTARCH}
	t.ask(ctx)
	t.inUse = true
	return t, nil
}

// ask finds out what toolchain is at a root.
func (t *toolchain) ask(ctx context.Context) {
	t.version = nameOf(t.root)
	name, what, _ := strings.Cut(filepath.Base(t.root), ".")
	if name == "toolchain@v0" {
		// toolchain@v0.0.1-go1.25.5.linux-amd64
		if platform := what[strings.LastIndexByte(what, '.')+1:]; platform != t.host {
			t.missing = "it is for " + strings.Replace(platform, "-", "/", 1)
			return
		}
	}
	t.command = filepath.Join(t.root, "bin", "go")
	if runtime.GOOS == "windows" {
		t.command += ".exe"
	}
	env := environment("GOROOT="+t.root, "GOTOOLCHAIN=local", noFlags)
	out, err := runGo(ctx, askTime, t.command, t.root, env, "version")
	if err != nil {
		t.missing = "it does not run: " + err.Error()
		return
	}
	// go version go1.26.8 linux/amd64; go version devel go1.28-1234 … linux/amd64
	words := strings.Fields(out)
	i := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, "go1") })
	if len(words) < 4 || i < 0 {
		t.missing = fmt.Sprintf("its version is not understood: %q", strings.TrimSpace(out))
		return
	}
	t.version = words[i]
}

// nameOf is the version that the path of a toolchain has, for one that can't be asked.
func nameOf(root string) string {
	base := filepath.Base(root)
	if _, after, ok := strings.Cut(base, "-"); ok && strings.HasPrefix(base, "toolchain@") {
		if i := strings.LastIndexByte(after, '.'); i > 0 {
			return after[:i]
		}
	}
	return base
}

// toolchains are all that are to be measured, older ones first.
func toolchains(ctx context.Context, o Options, used toolchain) ([]toolchain, error) {
	list := []toolchain{used}
	add := func(root string, named bool) {
		for i := range list {
			if sameFolder(list[i].root, root) {
				list[i].named = list[i].named || named
				return
			}
		}
		t := toolchain{root: root, goos: used.goos, goarch: used.goarch, host: used.host, named: named}
		t.ask(ctx)
		list = append(list, t)
	}
	for _, name := range o.Named {
		root, err := fetch(ctx, o, name, used.host)
		if err != nil {
			list = append(list, toolchain{version: name, named: true, missing: err.Error()})
			continue
		}
		add(root, true)
	}
	if !o.Only {
		roots, err := installed(ctx, o)
		if err != nil {
			return nil, err
		}
		for _, root := range roots {
			add(root, false)
		}
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	slices.SortStableFunc(list, func(a, b toolchain) int {
		return compareVersions(a.version, b.version)
	})
	return list, nil
}

func compareVersions(a, b string) int {
	return cmp.Or(version.Compare(language(a), language(b)), strings.Compare(a, b))
}

// language is a version without what distributions and experiments add: "go1.26.1" of
// "go1.26.1-X:nodwarf5".
func language(v string) string {
	v, _, _ = strings.Cut(v, "-")
	return v
}

// installed are the roots of toolchains in the places where they are put: by hand, by
// golang.org/dl, and by the go command itself.
func installed(ctx context.Context, o Options) ([]string, error) {
	patterns := []string{"/usr/local/go*"}
	if home, err := os.UserHomeDir(); err == nil {
		patterns = append(patterns, filepath.Join(home, "sdk", "go*"))
	}
	// Go 1.14 and older have no GOMODCACHE to tell.
	env, err := readEnv(ctx, askTime, o)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err == nil && env.GOMODCACHE != "" {
		patterns = append(patterns, filepath.Join(env.GOMODCACHE, "golang.org", "toolchain@*"))
	}
	var roots []string
	for _, p := range patterns {
		found, err := filepath.Glob(p)
		if err != nil {
			return nil, fmt.Errorf("looking for %s: %w", p, err)
		}
		for _, root := range found {
			// Other folders may begin with "go" too: /usr/local/google.
			if _, err := os.Stat(filepath.Join(root, "src", "runtime")); err == nil {
				roots = append(roots, root)
			}
		}
	}
	return roots, nil
}

// fetch finds the root of a toolchain that the user named. The go command downloads it
// where it must.
func fetch(ctx context.Context, o Options, name, host string) (root string, err error) {
	o.Progress(name, "fetching it if it is missing")
	// go env does not mind a go.mod that asks for a newer one.
	env, err := readEnv(ctx, fetchTime, o, "GOTOOLCHAIN="+name, "GO111MODULE=on", "GOWORK=off", noFlags)
	if err != nil {
		return "", err
	}
	// A go command from before Go 1.21 does not know GOTOOLCHAIN.
	t := toolchain{root: env.GOROOT, host: host}
	if t.ask(ctx); t.version != name {
		return "", fmt.Errorf("the go command can't download it and reports %s; install it as %s", t.version, filepath.Join("~", "sdk", name))
	}
	return env.GOROOT, nil
}

// ParseNames reads a list of toolchains as --toolchain has it.
func ParseNames(list []string) ([]string, error) {
	var names []string
	for _, name := range list {
		if !strings.HasPrefix(name, "go") {
			name = "go" + name
		}
		if !version.IsValid(name) {
			return nil, fmt.Errorf("%q is no version of Go; write go1.24.13", strings.TrimPrefix(name, "go"))
		}
		if version.Compare(name, "go1.21") >= 0 && version.Lang(name) == name {
			return nil, fmt.Errorf("%s is a language version, not a toolchain; write %s.0 or a later one", name, name)
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names, nil
}

func sameFolder(a, b string) bool {
	x, err := os.Stat(a)
	y, err2 := os.Stat(b)
	return errors.Join(err, err2) == nil && os.SameFile(x, y)
}
