package limits

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// noFlags stands for no GOFLAGS: an empty variable would be that of go env -w. Every
// version knows this flag.
const noFlags = "GOFLAGS=-a=false"

// environment is the user's without what would change the figures or choose another
// toolchain; list comes on top. Of variables set twice the last counts.
func environment(list ...string) []string {
	var env []string
	for _, kv := range os.Environ() {
		switch name, _, _ := strings.Cut(kv, "="); name {
		case "GOROOT", "GOTOOLDIR", "GODEBUG", "GOGC", "GOMEMLIMIT", "GOTRACEBACK", "GORACE":
		default:
			env = append(env, kv)
		}
	}
	return append(env, list...)
}

// goCommand runs the go command of the toolchain in its work folder. What it leaves in
// the folder of temporary files goes with that.
func (t *toolchain) goCommand(ctx context.Context, limit time.Duration, args ...string) (out, said string, err error) {
	env := environment("GOROOT="+t.root, "GOTOOLCHAIN=local", "GOOS="+t.goos, "GOARCH="+t.goarch,
		noFlags, "GOWORK=off", "GO111MODULE=on", "GOPROXY=off", "CGO_ENABLED=0", "GOTMPDIR="+t.work, "TMPDIR="+t.work)
	return runGo(ctx, limit, t.command, t.work, env, args...)
}

func runGo(ctx context.Context, limit time.Duration, command, dir string, env []string, args ...string) (out, said string, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("it took more than %v", limit))
	defer cancel()
	cmd := exec.CommandContext(ctx, command, args...)
	cmd.Dir, cmd.Env = dir, env
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	// The go command ends its compilers at an interrupt.
	cmd.Cancel = func() error {
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			return cmd.Process.Kill()
		}
		return nil
	}
	cmd.WaitDelay = 5 * time.Second
	err = cmd.Run()
	what := "go " + args[0]
	switch {
	case err != nil && ctx.Err() != nil:
		return "", "", fmt.Errorf("%s: %w", what, context.Cause(ctx))
	case err != nil && errors.As(err, new(*exec.ExitError)):
		// go tool compile speaks on standard output.
		return "", "", fmt.Errorf("%s: %w: %s", what, err, brief(stderr.String()+stdout.String()))
	case err != nil:
		return "", "", fmt.Errorf("%s: %w", what, err)
	}
	return stdout.String(), stdout.String() + stderr.String(), nil
}

// brief is the line of what a command says that tells why it failed: the last that is
// not a verdict of the compiler.
func brief(said string) string {
	last := "it does not say why"
	for line := range strings.Lines(said) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") || strings.Contains(line, " escape") || strings.Contains(line, "moved to heap") {
			continue
		}
		last = line
	}
	return last
}
