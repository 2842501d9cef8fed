package gotool

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Error is the failure of a tool.
type Error struct {
	Args   []string // the command line
	Output string   // what it printed, whole
	Err    error    // how it ended, or why it could not be started
}

// maxLines bounds what is shown of a tool's complaints.
const maxLines = 20

// Error names the command and shows the beginning of what it printed. Lines after the first
// begin with a tab, as in all errors of seam that are longer than a line.
func (e *Error) Error() string {
	var exit *exec.ExitError
	ended := errors.As(e.Err, &exit)
	lines := lines(e.Output)
	switch {
	case !ended && isNotFound(e.Err):
		return fmt.Sprintf("%s can't be started: %v", e.Args[0], e.Err)
	case !ended || len(lines) == 0:
		return e.command() + ": " + e.Err.Error()
	}
	if n := len(lines); n > maxLines {
		lines = append(lines[:maxLines], fmt.Sprintf("… and %d more lines", n-maxLines))
	}
	text := strings.Join(lines, "\n\t")
	if exit.ExitCode() < 0 { // a signal, which says more than what was printed before it
		text = exit.Error() + ": " + text
	}
	return e.command() + ": " + text
}

func (e *Error) Unwrap() error { return e.Err }

// command is how messages name the command: "gcc", "go list", "go tool compile".
func (e *Error) command() string {
	name := strings.TrimSuffix(filepath.Base(e.Args[0]), ".exe")
	if words := e.Args[1:]; IsGo(e.Args[0]) && len(words) > 0 {
		name += " " + words[0]
		if words[0] == "tool" && len(words) > 1 {
			name += " " + words[1]
		}
	}
	return name
}

// remark matches what a compiler says of code that it accepts, when it was asked to (-m).
var remark = regexp.MustCompile(`^\S+:\d+:(\d+:)?( {2}|.*\b(can inline|cannot inline|inlining call to|moved to heap|leaking param|leaks to|escapes? to|does not escape)\b)`)

// lines are those of a tool's output, without remarks unless there is nothing else.
func lines(output string) []string {
	text := strings.TrimSpace(output)
	if text == "" {
		return nil
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.Map(func(r rune) rune {
			if r < ' ' && r != '\t' || r == 0x7f {
				return '·' // no control characters for the user's terminal
			}
			return r
		}, strings.TrimRight(line, " \t\r"))
	}
	isRemark := func(line string) bool { return remark.MatchString(line) && !strings.Contains(line, "error:") }
	if other := slices.DeleteFunc(slices.Clone(lines), isRemark); len(other) > 0 {
		return other
	}
	return lines
}

// Brief is an error as one line, for reports and tables: of what a tool printed, the line
// that says why. Errors of other kinds stay as they are.
func Brief(err error) error {
	var e *Error
	if !errors.As(err, &e) || e.Output == "" {
		return err
	}
	return &Error{Args: e.Args, Output: why(lines(e.Output)), Err: e.Err}
}

// why prefers a linker's or a compiler's error, then a word of the go command or cgo itself, then the first
// line that is not the name of a package.
func why(lines []string) string {
	first, tool := "", ""
	for _, line := range lines {
		switch line = strings.TrimSpace(line); {
		case strings.Contains(line, "ld: cannot find "), strings.Contains(line, "undefined reference to "):
			return line
		case strings.Contains(line, "error:"):
			return line
		case tool == "" && (strings.HasPrefix(line, "go: ") || strings.HasPrefix(line, "cgo: ")):
			tool = line
		case first == "" && !strings.HasPrefix(line, "#"):
			first = line
		}
	}
	return cmp.Or(tool, first, "it does not say why")
}

// NotFound reports whether err is that of a tool which is not installed.
func NotFound(err error) bool {
	var e *Error
	return errors.As(err, &e) && isNotFound(e.Err)
}

func isNotFound(err error) bool {
	return errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist)
}
