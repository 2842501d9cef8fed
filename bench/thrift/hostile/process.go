package hostile

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"
)

// taskEnv makes a process one that measures: "LIBRARY/INPUT".
const taskEnv = "SEAM_HOSTILE_TASK"

// What a child may take. Past that it dies, of a fatal error or of SIGKILL.
const (
	MemoryLimit = 4 << 30
	TimeLimit   = time.Minute
)

// baselineMark is before the size of the process, which is told first.
const baselineMark = "baseline "

// InChild does the work of a child process, if this is one.
func InChild() (bool, error) {
	lib, name, ok := strings.Cut(os.Getenv(taskEnv), "/")
	if !ok {
		return false, nil
	}
	i := slices.IndexFunc(Inputs, func(in Input) bool { return in.Name == name })
	if i < 0 {
		return true, fmt.Errorf("%s: no input %q", taskEnv, name)
	}
	limit := syscall.Rlimit{Cur: MemoryLimit, Max: MemoryLimit}
	if err := syscall.Setrlimit(syscall.RLIMIT_DATA, &limit); err != nil {
		return true, fmt.Errorf("setrlimit: %w", err)
	}
	r, err := Measure(lib, Inputs[i])
	if err != nil {
		return true, err
	}
	return true, json.NewEncoder(os.Stdout).Encode(r)
}

// Process measures in a child process, which is this program again: main must call
// [InChild] first. died says what ended one that did not survive.
func Process(ctx context.Context, lib string, in Input) (r Result, died string, err error) {
	self, err := os.Executable()
	if err != nil {
		return r, "", err
	}
	timed, cancel := context.WithTimeout(ctx, TimeLimit)
	defer cancel()
	var stdout, stderr bytes.Buffer
	c := exec.CommandContext(timed, self)
	c.Env = append(os.Environ(), taskEnv+"="+lib+"/"+in.Name, "GOTRACEBACK=none")
	c.Stdout, c.Stderr = &stdout, &stderr
	start := time.Now()
	err = c.Run()
	if ctx.Err() != nil {
		return r, "", ctx.Err()
	}
	first, rest, _ := strings.Cut(stdout.String(), "\n")
	var baseline int64
	if _, scanned := fmt.Sscanf(first, baselineMark+"%d", &baseline); scanned != nil {
		return r, "", fmt.Errorf("%s, %s: %w\n%s", lib, in.Name, errors.Join(err, scanned), stderr.Bytes())
	}
	if err == nil {
		return r, "", json.Unmarshal([]byte(rest), &r)
	}
	r.Elapsed, r.Memory = time.Since(start), -1
	if u, ok := c.ProcessState.SysUsage().(*syscall.Rusage); ok {
		r.Resident = max(0, u.Maxrss<<10-baseline)
	}
	messages := in.Make()
	r.Messages = len(messages)
	for _, m := range messages {
		r.Bytes = max(r.Bytes, len(m))
	}
	if timed.Err() != nil {
		return r, fmt.Sprintf("killed after %v", TimeLimit), nil
	}
	return r, brief(lastWords(stderr.String(), err)), nil
}

// lastWords is the line that says why a Go program died.
func lastWords(stderr string, err error) string {
	for line := range strings.Lines(stderr) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "fatal error:") || strings.HasPrefix(line, "panic:") || strings.HasPrefix(line, "runtime: goroutine stack exceeds") {
			return line
		}
	}
	return err.Error()
}
