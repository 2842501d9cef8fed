package buildcost

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/seamgo/seam/bench/internal/paired"
	"github.com/seamgo/seam/bench/internal/seam"
)

// Options say what is measured.
type Options struct {
	Seam    string // the seam to generate with
	Dir     string // a folder to work in
	Structs int    // how many there are
	Repeat  int    // how often each step is measured

	Log io.Writer // told each command; nil: nobody
}

// A Cost is what one compiler's code costs. Times are medians.
type Cost struct {
	Compiler string
	Generate time.Duration // the compiler's process
	Lines    int           // of the Go code
	Build    time.Duration // go build of the package alone: all that it imports is built
	Text     int64         // bytes of machine code in the package's archive
}

// Measure generates and builds with one compiler.
func Measure(ctx context.Context, name string, o Options) (Cost, error) {
	cost := Cost{Compiler: name}
	for _, c := range compilers {
		if c.name == name {
			err := cost.measure(ctx, c, o)
			if err != nil {
				err = fmt.Errorf("%s: %w", name, err)
			}
			return cost, err
		}
	}
	return cost, fmt.Errorf("no compiler %q: want one of %v", name, Compilers())
}

func (cost *Cost) measure(ctx context.Context, c compiler, o Options) error {
	out, err := seam.Project{Dir: "."}.Run(ctx, []string{"go", "list", "-m", "-f", "{{.Dir}}", "github.com/seamgo/seam"})
	if err != nil {
		return err
	}
	w := &workshop{Options: o, root: strings.TrimSpace(string(out)), tools: map[string]string{}}
	line, err := c.prepare(ctx, w)
	if err != nil {
		return err
	}
	p, err := w.module(ctx, c, o.Structs)
	if err != nil {
		return err
	}
	pkg := filepath.Join(p.Dir, "cost")
	var times []float64
	for range o.Repeat {
		if err := os.RemoveAll(pkg); err != nil {
			return err
		}
		start := time.Now()
		if _, err := p.Run(ctx, line); err != nil {
			return err
		}
		times = append(times, float64(time.Since(start)))
	}
	cost.Generate = time.Duration(paired.Median(times))
	files, err := filepath.Glob(filepath.Join(pkg, "*.go"))
	if err != nil || len(files) == 0 {
		return fmt.Errorf("no Go code in %s: %v", pkg, err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			return err
		}
		cost.Lines += bytes.Count(text, []byte("\n"))
	}
	if times, err = builds(ctx, p, files[0], o.Repeat); err != nil {
		return err
	}
	cost.Build = time.Duration(paired.Median(times))
	cost.Text, err = text(ctx, p)
	return err
}

// builds times the build of the package, after what it imports has been built. Each
// build finds another comment in a file, so that the package is not in the cache.
func builds(ctx context.Context, p seam.Project, file string, repeat int) (times []float64, err error) {
	imports, err := p.Run(ctx, p.Go("list", "-f", `{{join .Imports "\n"}}`, "./cost"))
	if err != nil {
		return nil, err
	}
	if _, err := p.Run(ctx, append(p.Go("build"), strings.Fields(string(imports))...)); err != nil {
		return nil, err
	}
	code, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for range repeat {
		salted := fmt.Appendf(bytes.Clone(code), "\n// %d\n", time.Now().UnixNano())
		if err := os.WriteFile(file, salted, 0o666); err != nil {
			return nil, err
		}
		start := time.Now()
		if _, err := p.Run(ctx, p.Go("build", "./cost")); err != nil {
			return nil, err
		}
		times = append(times, float64(time.Since(start)))
	}
	return times, nil
}

// text is the size of the functions in the package's archive.
func text(ctx context.Context, p seam.Project) (int64, error) {
	archive, err := p.Run(ctx, p.Go("list", "-export", "-f", "{{.Export}}", "./cost"))
	if err != nil {
		return 0, err
	}
	symbols, err := p.Run(ctx, p.Go("tool", "nm", "-size", "-type", strings.TrimSpace(string(archive))))
	if err != nil {
		return 0, err
	}
	var sum int64
	for line := range strings.Lines(string(symbols)) {
		// Address, size, kind, name; what other packages define has no address.
		f := strings.Fields(line)
		if len(f) < 4 || f[2] != "T" && f[2] != "t" {
			continue
		}
		n, err := strconv.ParseInt(f[1], 10, 64)
		if err != nil {
			return 0, fmt.Errorf("go tool nm printed %q: %w", line, err)
		}
		sum += n
	}
	if sum == 0 {
		return 0, fmt.Errorf("go tool nm shows no code")
	}
	return sum, nil
}
