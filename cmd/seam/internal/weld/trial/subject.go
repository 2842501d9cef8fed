package trial

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
)

// A Program is what a go command runs, built on both sides.
type Program struct {
	Package string // import path of a test; "" for a program
	Dir     string // where it is run
	Files   [sides]string
	Args    []string // of each run

	Load  *Load // of a server; nil for what ends by itself
	tests bool
	bench string // the benchmarks that match, of a test
	often bool   // how often a process runs a benchmark is for us to say
}

// Parse takes the line after -- apart: a go command that runs something, or a package's
// folder with arguments, which stands for go run.
func Parse(args []string) (*gotool.Command, error) {
	if len(args) > 0 && !gotool.IsGo(args[0]) && !strings.HasPrefix(args[0], "-") {
		switch info, err := os.Stat(args[0]); {
		case err != nil:
			return nil, fmt.Errorf("%s is neither a go command nor the folder of a package", args[0])
		case !info.IsDir():
			return nil, fmt.Errorf("%s is a file: name the package that it is built from, so that it can be built in both ways", args[0])
		}
		if !filepath.IsAbs(args[0]) && !strings.HasPrefix(args[0], ".") {
			args = append([]string{"./" + args[0]}, args[1:]...)
		}
		args = append([]string{"go", "run"}, args...)
	}
	c, err := gotool.Parse(args)
	if err != nil {
		return nil, err
	}
	_, bench := c.Flag("bench")
	if !bench {
		_, bench = c.Flag("test.bench")
	}
	switch _, exec := c.Flag("exec"); {
	case !c.RunsProgram():
		return nil, fmt.Errorf("go %s runs nothing that could be compared: use go test -bench . or go run", c.Verb)
	case c.Verb == "test" && !bench:
		return nil, errors.New("there are no benchmarks to compare: add -bench . (or an expression) to go test")
	case exec:
		return nil, errors.New("-exec is for go run and go test, and here the programs are run without them; leave it out")
	}
	return c, nil
}

// Programs finds what a command runs and builds it: build is given the commands that do, once
// for each side that the options run. It builds into dir.
func (o Options) Programs(ctx context.Context, c *gotool.Command, dir string, build func(side Side, c *gotool.Command) error) ([]*Program, error) {
	var list []*Program
	if c.Verb == "run" {
		list = []*Program{{Dir: c.Dir, Args: c.Arguments()}}
	} else {
		tests, err := withBenchmarks(ctx, c)
		if err != nil {
			return nil, err
		}
		list = tests
	}
	if err := buildAll(list, Cgo, c, dir, build); err != nil || o.Alone {
		return list, err
	}
	return Beside(list, c, dir, build)
}

// Beside builds the welded programs of those that were built as they are.
func Beside(plain []*Program, c *gotool.Command, dir string, build func(side Side, c *gotool.Command) error) ([]*Program, error) {
	var list []*Program
	for _, p := range plain {
		both := *p
		list = append(list, &both)
	}
	return list, buildAll(list, Weld, c, dir, build)
}

func buildAll(list []*Program, side Side, c *gotool.Command, dir string, build func(side Side, c *gotool.Command) error) error {
	for i, p := range list {
		p.Files[side] = filepath.Join(dir, fmt.Sprintf("%s-%d", side, i))
		if err := build(side, c.Building(p.Files[side], p.Package)); err != nil {
			return err
		}
	}
	return nil
}

// How a process runs a benchmark where neither -benchtime nor -count says: the median of
// short runs leaves those out that something interrupted.
const (
	runTime = 40 * time.Millisecond
	runs    = 5
)

// withBenchmarks are the tests of the command's packages that contain benchmarks.
func withBenchmarks(ctx context.Context, c *gotool.Command) ([]*Program, error) {
	patterns := c.Packages()
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	packages, err := gotool.List(ctx, c.Tool, c.Dir, append(c.ListFlags(), "-find"), patterns...)
	if err != nil {
		return nil, err
	}
	flags := []string{"-test.run=^$", "-test.benchmem"}
	_, time := c.Flag("benchtime")
	_, count := c.Flag("count")
	often := !time && !count
	if often {
		flags = append(flags, fmt.Sprintf("-test.benchtime=%v", runTime), countFlag(runs))
	}
	flags = append(flags, c.TestFlags("benchtime", "count", "cpu", "parallel", "short", "skip", "timeout")...)
	match, _ := c.Flag("bench")
	if text, given := c.Flag("test.bench"); given {
		match = text
	}
	var list []*Program
	for _, p := range packages {
		has, err := anyBenchmark(p)
		if err != nil {
			return nil, err
		}
		if has {
			list = append(list, &Program{Package: p.ImportPath, Dir: p.Dir, Args: append(flags, c.Arguments()...), tests: true, bench: match, often: often})
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("no benchmark in %s", strings.Join(patterns, " "))
	}
	return list, nil
}

func countFlag(n int) string { return fmt.Sprintf("-test.count=%d", n) }

var benchmarkFunc = regexp.MustCompile(`(?m)^func Benchmark[^a-z]`)

// anyBenchmark saves building the tests of packages that have none.
func anyBenchmark(p gotool.Package) (bool, error) {
	for _, name := range append(p.TestGoFiles[:len(p.TestGoFiles):len(p.TestGoFiles)], p.XTestGoFiles...) {
		text, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			return false, err
		}
		if benchmarkFunc.Match(text) {
			return true, nil
		}
	}
	return false, nil
}
