package cli

import (
	"fmt"
	"os"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/seamgo/seam/cmd/seam/internal/output"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// An outputFlag names a file to be written; nil where it is not given.
type outputFlag struct {
	flag string
	name *string
}

// given is the name of a file; nil for none, which is empty.
func given(name string) *string {
	if name == "" {
		return nil
	}
	return &name
}

// outputName is the file of an output that is standard output if none is named: --json, --json=FILE,
// --json FILE. A pattern of packages, or a folder, is not taken for the file.
type outputName string

// Decode takes the file from the command line if there is one.
func (n *outputName) Decode(ctx *kong.DecodeContext) error {
	*n = "-"
	next := ctx.Scan.Peek()
	if next.Type != kong.FlagValueToken && (next.IsEOL() || !next.IsValue() || namesPackages(next.String())) {
		return nil
	}
	*n = outputName(ctx.Scan.Pop().String())
	return nil
}

// namesPackages reports whether an argument is one that the go command takes for packages and not
// for a file.
func namesPackages(arg string) bool {
	if info, err := os.Stat(arg); err == nil && info.IsDir() {
		return true
	}
	return arg == "all" || arg == "std" || strings.Contains(arg, "...") || strings.HasSuffix(arg, ".go")
}

// checkOutputs finds out before a long run whether the files can be written.
func checkOutputs(files ...outputFlag) error {
	for i, file := range files {
		if file.name == nil {
			continue
		}
		if *file.name == "" {
			return fmt.Errorf("%s: the file's name is empty (is a shell variable unset?)", file.flag)
		}
		if err := output.Check(*file.name); err != nil {
			return fmt.Errorf("%s: %w", file.flag, err)
		}
		for _, other := range files[:i] {
			if other.name != nil && output.Same(*other.name, *file.name) {
				return fmt.Errorf("%s and %s both write to %s: give one of them another file", other.flag, file.flag, *file.name)
			}
		}
	}
	return nil
}

// writeGenerated writes the files that differ from what is there. by is the verb, and
// ours recognises what it has written.
func (s *session) writeGenerated(files []output.File, by string, ours func(text []byte) bool) error {
	changed, err := output.Changed(files, by, ours)
	if err != nil {
		return err
	}
	if len(changed) == 0 {
		return s.upToDate(len(files))
	}
	out := output.Writer{Stdout: s.stdout, Stderr: s.stderr}
	err = out.WriteFiles(s.ctx, changed, func(path string) { fmt.Fprintln(s.stdout, path) })
	if err != nil && s.ctx.Err() != nil {
		return withCode(exitInterrupted, err)
	}
	return withCode(exitFailed, err)
}

func (s *session) upToDate(files int) error {
	_, err := fmt.Fprintf(s.stdout, "up to date: %s\n", quantity.Plural(files, "file"))
	return withCode(exitFailed, err)
}
