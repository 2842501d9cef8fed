package gotool

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
)

// Env is what go env says in a folder. Fields that a go command doesn't know are empty.
type Env struct {
	GOVERSION, GOFLAGS, GOEXPERIMENT       string
	GOOS, GOARCH, GOEXE, GOAMD64, GOARM64  string
	GOARM, GO386                           string
	GOHOSTOS, GOHOSTARCH                   string
	GOROOT, GOTOOLDIR, GOCACHE, GOMODCACHE string
	GOMOD, GOWORK                          string
	CGO_ENABLED, CC, CXX                   string
}

// cgoEnv has what cgo needs besides. The go command loads more to tell it, and refuses to for
// systems that it can't build for.
type cgoEnv struct {
	Env
	PKG_CONFIG                                          string
	CGO_CPPFLAGS, CGO_CFLAGS, CGO_CXXFLAGS, CGO_LDFLAGS string
}

// ReadEnv asks the go command for its settings in dir. env is on top of this process's
// environment.
func ReadEnv(ctx context.Context, goTool, dir string, env ...string) (*Env, error) {
	return readEnv[Env](ctx, goTool, dir, env)
}

func readEnv[E Env | cgoEnv](ctx context.Context, goTool, dir string, env []string) (*E, error) {
	args := []string{goTool, "env", "-json"}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[E]()) {
		if !f.Anonymous {
			args = append(args, f.Name)
		}
	}
	out, err := Run(ctx, Cmd{Args: args, Dir: dir, Env: env})
	if err != nil {
		return nil, err
	}
	e := new(E)
	if err := json.Unmarshal(out, e); err != nil {
		return nil, fmt.Errorf("the answer of %s env is not JSON: %w", goTool, err)
	}
	return e, nil
}

// ModuleRoot finds the folder and path of the main module that the go command
// uses in dir. In a workspace that is the module that dir lies in; where dir lies
// in none of them, it is the folder of go.work, with an empty path. Outside of
// modules it is dir, with an empty path.
func ModuleRoot(ctx context.Context, goTool, dir string) (root, path string, err error) {
	env, err := ReadEnv(ctx, goTool, dir)
	if err != nil {
		return "", "", err
	}
	switch {
	case env.GOMOD != "" && env.GOMOD != os.DevNull && env.GOMOD != "NUL":
		root = filepath.Dir(env.GOMOD)
	case env.GOWORK != "" && env.GOWORK != "off":
		return filepath.Dir(env.GOWORK), "", nil
	default:
		root, err = filepath.Abs(dir)
		return root, "", err
	}
	out, err := Run(ctx, Cmd{Args: []string{goTool, "list", "-m", "-mod=readonly", "-f", "{{.Path}}\t{{.Dir}}"}, Dir: root})
	if err != nil {
		return "", "", err
	}
	// A workspace lists all of its modules.
	for line := range strings.Lines(string(out)) {
		name, at, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if sameFolder(at, root) {
			return root, name, nil
		}
	}
	return root, "", nil
}

// MainModules are the names by which programs know that they were built in dir: the path of
// its main module or, where dir lies in none of a workspace's modules, those of all and the
// workspace's folder. Outside of modules there are none.
func MainModules(ctx context.Context, goTool, dir string) ([]string, error) {
	root, path, err := ModuleRoot(ctx, goTool, dir)
	switch {
	case err != nil:
		return nil, err
	case path != "":
		return []string{path}, nil
	}
	env, err := ReadEnv(ctx, goTool, root)
	if err != nil || env.GOWORK == "" || env.GOWORK == "off" {
		return nil, err
	}
	out, err := Run(ctx, Cmd{Args: []string{goTool, "list", "-m"}, Dir: root})
	if err != nil {
		return nil, err
	}
	return append(strings.Fields(string(out)), root), nil
}

func sameFolder(a, b string) bool {
	x, errA := os.Stat(a)
	y, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(x, y)
}
