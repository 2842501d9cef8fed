package overlay

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/seamgo/seam/cmd/seam/internal/filecache"
	"github.com/seamgo/seam/cmd/seam/internal/gotool"
)

// A Build is how the go command is called so that it builds the stack tracer in.
type Build struct {
	Env   []string // for the go command alone
	Exec  []string // the user's own -exec
	First bool     // nothing has been built in this way yet

	command *gotool.Command
	tool    string   // the go command
	cache   string   // the folder of what is kept
	goroot  string   // what is overlaid
	modules string   // the module cache
	version string   // of that Go
	names   []string // of the variables in Env
	user    string   // the user's own overlay
}

// NewBuild reads what the user's go command line and settings say.
func NewBuild(command *gotool.Command, env *gotool.Env) (*Build, error) {
	cache, err := filecache.Dir("stack")
	if err != nil {
		return nil, err
	}
	b := &Build{
		command: command, tool: command.Tool, cache: cache,
		goroot: env.GOROOT, modules: env.GOMODCACHE, version: env.GOVERSION,
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
	if b.Exec, err = gotool.SplitQuoted(launcher); err != nil {
		return nil, fmt.Errorf("-exec %s: %w", launcher, err)
	}
	return b, nil
}

// Supported refuses builds for systems on which stacks can't be traced.
func Supported(env *gotool.Env) error {
	if env.GOOS != "linux" || env.GOARCH != "amd64" && env.GOARCH != "arm64" {
		return fmt.Errorf("stacks can be traced on linux/amd64 and linux/arm64 only, and this build is for %s/%s", env.GOOS, env.GOARCH)
	}
	return nil
}

// Prepare makes what the go command needs besides the overlay: a cache of its own for
// what is built, and a GOROOT that can be overlaid.
func (b *Build) Prepare() error {
	goroot, err := gotool.OverlayRoot(b.goroot, b.modules, filepath.Join(b.cache, "goroot"))
	if err != nil {
		return err
	}
	built := filepath.Join(b.cache, "go-build")
	b.set("GOCACHE", built)
	_, err = os.Stat(built)
	b.First = errors.Is(err, fs.ErrNotExist)
	if goroot != b.goroot {
		// The go command has chosen this toolchain already.
		b.goroot = goroot
		b.tool = filepath.Join(goroot, "bin", "go")
		b.set("GOROOT", goroot)
		b.set("GOTOOLCHAIN", "local")
	}
	return nil
}

func (b *Build) set(name, value string) {
	b.Env = append(b.Env, name+"="+value)
	b.names = append(b.names, name)
}

// Restore is the variables of Env as the program is to have them; nil for one that is
// not set.
func (b *Build) Restore() map[string]*string {
	old := map[string]*string{}
	for _, name := range b.names {
		old[name] = nil
		if value, ok := os.LookupEnv(name); ok {
			old[name] = &value
		}
	}
	return old
}

// Overlay writes the overlay to a folder and returns the flag that names it.
func (b *Build) Overlay(dir string) (flag string, err error) {
	name, err := Write(dir, b.goroot, b.version, b.user)
	return "-overlay=" + name, err
}

// DebugData are the flags that make go run link what tells variables from each other, which
// it leaves out and go build doesn't. The user's own flags stay as they are.
func (b *Build) DebugData(goflags string) ([]string, error) {
	if b.command.Verb != "run" {
		return nil, nil
	}
	var flags []string
	for _, f := range []struct{ name, value string }{{"ldflags", "-s=0 -w=0"}, {"gcflags", "-dwarf=true"}} {
		given, err := b.command.FlagOrEnv(f.name, goflags)
		if err != nil {
			return nil, err
		}
		if given == "" {
			flags = append(flags, "-"+f.name+"="+f.value)
		}
	}
	return flags, nil
}

// With is the go command's line with further flags, in place of the user's own -overlay
// and -exec.
func (b *Build) With(flags ...string) []string {
	line := b.command.Without("overlay").Without("exec").With(flags...)
	line[0] = b.tool
	return line
}
