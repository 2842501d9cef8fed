package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/stack/overlay"
)

// A stackBuild is how the go command is called so that it builds the tracer in.
type stackBuild struct {
	tool    string   // the go command
	goroot  string   // what it overlays
	version string   // its Go
	env     []string // for it alone
	names   []string // of these variables
	user    string   // the user's own overlay
	exec    []string // and -exec
	first   bool     // nothing has been built so yet
}

// prepareStack finds out how to build with the tracer.
func prepareStack(command *gotool.Command, env *gotool.Env) (*stackBuild, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, fmt.Errorf("no folder for the build cache: %w (set HOME or XDG_CACHE_HOME)", err)
	}
	cache = filepath.Join(cache, "seam", "stack")
	b := &stackBuild{tool: command.Tool, version: env.GOVERSION}
	if b.goroot, err = overlay.Goroot(env.GOROOT, env.GOMODCACHE, filepath.Join(cache, "goroot")); err != nil {
		return nil, withCode(exitFailed, err)
	}
	built := filepath.Join(cache, "go-build")
	b.set("GOCACHE", built)
	_, err = os.Stat(built)
	b.first = errors.Is(err, fs.ErrNotExist)
	if b.goroot != env.GOROOT {
		// That Go has been chosen already.
		b.tool = filepath.Join(b.goroot, "bin", "go")
		b.set("GOROOT", b.goroot)
		b.set("GOTOOLCHAIN", "local")
	}
	if b.user, err = command.FlagOrEnv("overlay", env.GOFLAGS); err != nil {
		return nil, err
	}
	if b.user != "" && !filepath.IsAbs(b.user) {
		b.user = filepath.Join(command.Dir, b.user)
	}
	launcher, err := command.FlagOrEnv("exec", env.GOFLAGS)
	if err != nil {
		return nil, err
	}
	if b.exec, err = gotool.SplitQuoted(launcher); err != nil {
		return nil, fmt.Errorf("-exec %s: %w", launcher, err)
	}
	return b, nil
}

func (b *stackBuild) set(name, value string) {
	b.env = append(b.env, name+"="+value)
	b.names = append(b.names, name)
}

// restore are the variables' values that the program is to have.
func (b *stackBuild) restore() map[string]*string {
	old := map[string]*string{}
	for _, name := range b.names {
		old[name] = nil
		if value, ok := os.LookupEnv(name); ok {
			old[name] = &value
		}
	}
	return old
}

// overlay is the flag that gives the runtime its tracer.
func (b *stackBuild) overlay(dir string) (flag string, err error) {
	name, err := overlay.Write(dir, b.goroot, b.version, b.user)
	return "-overlay=" + name, err
}

// execFlag is the flag that lets this program start the one that was built.
func (b *stackBuild) execFlag(dir string) (string, error) {
	words := []string{"stack", "exec", "--session", dir, "--launcher", strconv.Itoa(len(b.exec)), "--"}
	return gotool.SelfFlag("-exec", append(words, b.exec...)...)
}

// with is the go command's line.
func (b *stackBuild) with(command *gotool.Command, flags ...string) []string {
	line := command.Without("overlay").Without("exec").With(flags...)
	line[0] = b.tool
	return line
}
