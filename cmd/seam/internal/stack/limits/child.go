package limits

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"go/version"
	"io"
	"math/bits"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

//go:embed program/main.go
var programFile string

// program is the file without its first line, which keeps it out of our own build and
// which Go 1.16 would not take without a second one of the older form.
var program = strings.TrimPrefix(programFile, "//go:build ignore\n")

const (
	buildTime    = 10 * time.Minute // the first build of a Go compiles its runtime
	runTime      = time.Minute
	overflowTime = 3 * time.Minute // half a gigabyte is touched
)

// mostCounted is how many elements the program tries; program/main.go has it too.
const mostCounted = 256 << 10

// build builds the program.
func (t *toolchain) build(ctx context.Context) (path string, err error) {
	mod := "module limits\n"
	if lang := version.Lang(language(t.version)); lang != "" {
		mod += "\ngo " + strings.TrimPrefix(lang, "go") + "\n"
	}
	for name, text := range map[string]string{"go.mod": mod, "main.go": program} {
		if err := os.WriteFile(filepath.Join(t.work, name), []byte(text), 0o666); err != nil {
			return "", fmt.Errorf("no folder to build in: %w", err)
		}
	}
	path = filepath.Join(t.work, "limits.exe")
	_, err = t.goCommand(ctx, buildTime, "build", "-o", path, "main.go")
	return path, err
}

// askRuntime runs the program and reads what it counts.
func (t *toolchain) askRuntime(ctx context.Context, o *Options, path string, values map[string]Value) error {
	read := &counts{}
	if err := t.runProgram(ctx, runTime, o, read.line, path); err != nil {
		return err
	}
	return read.values(values)
}

// runProgram runs the program, which says its lines on standard error.
func (t *toolchain) runProgram(ctx context.Context, limit time.Duration, o *Options, line func(string) error, path string, args ...string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("the program took more than %v", limit))
	defer cancel()
	argv := append(append(append([]string{}, o.Exec...), path), args...)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = t.work
	// Stacks would start larger after a collection that saw large ones.
	cmd.Env = append(os.Environ(), environment("GODEBUG=adaptivestackstart=0", "GOTRACEBACK=none", "GOMAXPROCS=2")...)
	cmd.WaitDelay = 2 * time.Second
	from, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		if t.foreign() && len(o.Exec) == 0 {
			return fmt.Errorf("this machine runs no programs for %s/%s", t.goos, t.goarch)
		}
		return fmt.Errorf("the program can't be run: %w", err)
	}
	failed := lines(from, line)
	err = cmd.Wait()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case failed != nil:
		return failed
	case errors.As(err, &exit) && exit.ExitCode() == exitFatal && len(args) > 0:
		return nil // as it should
	case err != nil:
		return fmt.Errorf("the program: %w", err)
	}
	return nil
}

// exitFatal is the code of a Go program that the runtime ends.
const exitFatal = 2

// lines passes on each line, of a long one the beginning. All is read even after
// an error, so that the program is not held up.
func lines(from io.Reader, line func(string) error) (err error) {
	r := bufio.NewReaderSize(from, 4<<10)
	whole := true
	for {
		part, more, failed := r.ReadLine()
		if failed != nil {
			return err
		}
		if whole && err == nil {
			err = line(string(bytes.TrimRight(part, "\r")))
		}
		whole = !more
	}
}

// said reads a line of the program: "seam", a key and so many numbers.
func said(line string) (key string, numbers []int64, ok bool) {
	words := strings.Fields(line)
	if len(words) < 3 || words[0] != "seam" {
		return "", nil, false
	}
	for _, w := range words[2:] {
		n, err := strconv.ParseInt(w, 10, 64)
		if err != nil || n < 0 {
			return "", nil, false
		}
		numbers = append(numbers, n)
	}
	return words[1], numbers, true
}

// counts is what the program counted.
type counts struct {
	numbers map[string][]int64
	other   string // the last line that is not ours
}

func (c *counts) line(text string) error {
	key, numbers, ok := said(text)
	if !ok {
		c.other = text
		return nil
	}
	if c.numbers == nil {
		c.numbers = map[string][]int64{}
	}
	c.numbers[key] = numbers
	return nil
}

// counted are the program's keys for ours, and how many times its number a value is in
// bytes at most.
var counted = map[string]struct {
	says string
	most int64
}{
	"make_variable":   {"make", mostCounted},
	"append":          {"append", mostCounted},
	"append_returned": {"return", 8 * mostCounted},
	"string_bytes":    {"bytes", mostCounted},
	"max":             {"max", 1 << 62},
}

func (c *counts) values(values map[string]Value) error {
	if c.numbers["end"] == nil {
		return fmt.Errorf("the program ended early and said %q", c.other)
	}
	for key, from := range counted {
		n := c.numbers[from.says]
		if len(n) != 1 || n[0] > from.most {
			return fmt.Errorf("the program said %v for %q", n, from.says)
		}
		values[key] = Value{N: n[0], AtLeast: n[0] == from.most}
	}
	start := c.numbers["start"]
	if len(start) != 2 || start[1] == 0 {
		return fmt.Errorf("the program said %v for %q", start, "start")
	}
	// Stacks have powers of two; the runtime keeps some in stock.
	each := start[0] / start[1]
	size := int64(1) << bits.Len64(uint64(each)*2/3)
	if off := each - size; off < -size/8 || off > size/8 {
		values["start"] = Value{Missing: fmt.Sprintf("%d goroutines have stacks of %d bytes in the mean, which is no power of two", start[1], each)}
		return nil
	}
	values["start"] = Value{N: size}
	return nil
}

// foreign reports whether the toolchain builds for another machine than this.
func (t *toolchain) foreign() bool { return t.goos+"/"+t.goarch != hostPlatform }
