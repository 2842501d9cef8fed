package limits

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
)

// noFlags stands for no GOFLAGS: an empty variable would be that of go env -w. Every
// version knows this flag.
const noFlags = "GOFLAGS=-a=false"

// neutral takes back what the user has set that would change the figures or choose another
// toolchain. Go treats an empty one of these like one that is not set.
var neutral = []string{"GOROOT=", "GOTOOLDIR=", "GODEBUG=", "GOGC=", "GOMEMLIMIT=", "GOTRACEBACK=", "GORACE="}

// environment is neutral with more on top: of variables set twice the last counts.
func environment(list ...string) []string {
	return append(neutral[:len(neutral):len(neutral)], list...)
}

// goCommand runs the go command of the toolchain in its work folder. What it leaves in
// the folder of temporary files goes with that.
func (t *toolchain) goCommand(ctx context.Context, limit time.Duration, args ...string) (said string, err error) {
	return runGo(ctx, limit, t.command, t.work, environment("GOROOT="+t.root, "GOTOOLCHAIN=local", "GOOS="+t.goos, "GOARCH="+t.goarch,
		noFlags, "GOWORK=off", "GO111MODULE=on", "GOPROXY=off", "CGO_ENABLED=0", "GOTMPDIR="+t.work, "TMPDIR="+t.work), args...)
}

// runGo gives all that a go command prints, on standard error too.
func runGo(ctx context.Context, limit time.Duration, command, dir string, env []string, args ...string) (said string, err error) {
	ctx, cancel := withLimit(ctx, limit)
	defer cancel()
	out, err := gotool.Run(ctx, gotool.Cmd{Args: append([]string{command}, args...), Dir: dir, Env: env, Merge: true})
	return string(out), gotool.Brief(err)
}

// readEnv asks a go command about itself.
func readEnv(ctx context.Context, limit time.Duration, o Options, env ...string) (*gotool.Env, error) {
	ctx, cancel := withLimit(ctx, limit)
	defer cancel()
	e, err := gotool.ReadEnv(ctx, o.Go, o.Dir, env...)
	if err == nil && e.GOROOT == "" {
		err = errors.New("it does not know its GOROOT")
	}
	return e, gotool.Brief(err)
}

func withLimit(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, limit, fmt.Errorf("it took more than %v", limit))
}
