package progcache

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// Run runs the go command, in dir, and gives what it prints on both ways. env comes on top of
// what every such build has: cgo, the network and the like as the caller says, nothing that
// the user has set for builds of their own.
func Run(ctx context.Context, tool, dir string, env []string, args ...string) (out, words string, err error) {
	cmd := exec.CommandContext(ctx, tool, args...)
	cmd.Dir = dir
	cmd.WaitDelay = time.Second
	// An empty GOFLAGS would be that of go env -w.
	cmd.Env = append(append(os.Environ(), "GOFLAGS=-buildvcs=false", "GOWORK=off", "GO111MODULE=on",
		"GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH), env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	switch {
	case ctx.Err() != nil:
		return "", "", context.Cause(ctx)
	case err != nil && stderr.Len() > 0:
		return "", "", fmt.Errorf("go %s: %w: %s", args[0], err, Brief(stderr.String()))
	case err != nil:
		return "", "", fmt.Errorf("go %s: %w", args[0], err)
	}
	return stdout.String(), stderr.String(), nil
}

// Brief is the line of what compilers say that tells why: one with an error, else one of the
// go command or cgo itself, else the first that isn't the name of a package.
func Brief(words string) string {
	first, tool := "", ""
	for line := range strings.Lines(words) {
		switch line = strings.TrimSpace(line); {
		case strings.Contains(line, "error:"):
			return line
		case tool == "" && (strings.HasPrefix(line, "go: ") || strings.HasPrefix(line, "cgo: ")):
			tool = line
		case first == "" && line != "" && !strings.HasPrefix(line, "#"):
			first = line
		}
	}
	return cmp.Or(tool, first, "it does not say why")
}
