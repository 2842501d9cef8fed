package progcache

import (
	"context"
	"runtime"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
)

// environment is what every such build has, with more on top: what the user has set for
// builds of their own does not count. An empty GOFLAGS would be that of go env -w.
func environment(more []string) []string {
	return append([]string{"GOFLAGS=-buildvcs=false", "GOWORK=off", "GO111MODULE=on", "GOOS=" + runtime.GOOS, "GOARCH=" + runtime.GOARCH}, more...)
}

// Run runs a go command and gives what it prints, on standard error too. Errors of this and of
// [Env] are one line.
func Run(ctx context.Context, dir string, env []string, args ...string) (string, error) {
	out, err := gotool.Run(ctx, gotool.Cmd{Args: args, Dir: dir, Env: environment(env), Merge: true})
	return string(out), gotool.Brief(err)
}

// Env is what the go command would build with.
func Env(ctx context.Context, tool string, env []string) (*gotool.Env, error) {
	e, err := gotool.ReadEnv(ctx, tool, "", environment(env)...)
	return e, gotool.Brief(err)
}
