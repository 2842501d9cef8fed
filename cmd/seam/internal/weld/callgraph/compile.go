package callgraph

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/seamgo/seam/cmd/seam/internal/filecache"
	"github.com/seamgo/seam/cmd/seam/internal/gotool"
)

// compiler compiles the files of one package.
type compiler struct {
	Options
	pkg    gotool.Package
	objdir string

	mu       sync.Mutex
	compiled int
}

// job is one file to compile, with the command up to the file's name.
type job struct {
	file    string
	command []string
	version string // what the compiler calls itself
	clang   bool
	env     []string
}

// units compiles all C and C++ of the package, that of cgo too.
func (c *compiler) units(ctx context.Context) ([]*unit, error) {
	jobs, err := c.jobs(ctx)
	if err != nil {
		return nil, err
	}
	work, err := os.MkdirTemp("", "seam-callgraph-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	units, errs := make([]*unit, len(jobs)), make([]error, len(jobs))
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var group sync.WaitGroup
	for i, j := range jobs {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			if ctx.Err() != nil {
				return
			}
			if units[i], errs[i] = c.unit(ctx, j, filepath.Join(work, fmt.Sprint(i))); errs[i] != nil {
				cancel()
			}
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil && !errors.Is(err, context.Canceled) {
			return nil, err
		}
	}
	return units, errors.Join(errs...)
}

func (c *compiler) jobs(ctx context.Context) ([]job, error) {
	made, err := filepath.Glob(filepath.Join(c.objdir, "*.cgo2.c"))
	if err != nil {
		return nil, err
	}
	if len(made) == 0 {
		return nil, fmt.Errorf("%s contains nothing that cgo made", c.objdir)
	}
	var jobs []job
	add := func(cxx bool, files []string) error {
		if len(files) == 0 {
			return nil
		}
		command, env, err := c.pkg.Compiler(ctx, c.objdir, cxx)
		if err != nil {
			return err
		}
		// These come last and win. The graph of a whole program (-flto) is not
		// written file by file.
		command = append(command, "-w", "-g0", "-fno-lto", "-fdiagnostics-color=never")
		version, clang, err := c.accept(ctx, command, env)
		if err != nil {
			return err
		}
		for _, f := range files {
			if !filepath.IsAbs(f) {
				f = filepath.Join(c.pkg.Dir, f)
			}
			jobs = append(jobs, job{f, command, version, clang, env})
		}
		return nil
	}
	wrappers, wrappersCXX := c.pkg.SwigWrappers(c.objdir)
	err = add(false, slices.Concat(c.pkg.CFiles, wrappers, made, []string{filepath.Join(c.objdir, "_cgo_export.c")}))
	if err == nil {
		err = add(true, slices.Concat(c.pkg.CXXFiles, wrappersCXX))
	}
	return jobs, err
}

// unit compiles one file, or finds what it gave before. base is a name for
// temporary files of its own.
func (c *compiler) unit(ctx context.Context, j job, base string) (*unit, error) {
	var key filecache.Key
	if c.Cache != nil {
		// What the preprocessor makes of the file is all that the compiler sees of
		// it and its headers.
		text := base + ".i"
		if _, err := c.compile(ctx, j, "-E", "-P", "-o", text); err != nil {
			return nil, err
		}
		source, err := os.ReadFile(text)
		if err != nil {
			return nil, err
		}
		os.Remove(text)
		key = c.key(j, source)
		if u := (&unit{}); c.load(key, u) {
			return u, nil
		}
	}
	if c.Progress != nil {
		c.Progress(j.file)
	}
	u, err := c.graph(ctx, j, base)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	c.compiled++
	c.mu.Unlock()
	if data, err := json.Marshal(u); err == nil {
		_ = c.Cache.Put(key, data) // without it the next run takes longer
	}
	return u, nil
}

// graph compiles one file and reads what the compiler wrote.
func (c *compiler) graph(ctx context.Context, j job, base string) (*unit, error) {
	assembly, dump := base+".s", base+".gimple"
	defer os.Remove(assembly) // SQLite's have 15 MB each
	defer os.Remove(dump)
	flags := []string{graphFlag, dumpFlag + dump}
	if j.clang {
		flags = clangFlags
	}
	if _, err := c.compile(ctx, j, append(slices.Clip(flags), "-S", "-o", assembly)...); err != nil {
		return nil, err
	}
	read := func() (*unit, error) {
		if j.clang {
			return readClang(j.file, assembly, base+".su")
		}
		u, err := readUnit(base+".ci", assembly, readable(j.env))
		if err == nil && filepath.Ext(j.file) == ".c" { // C++ has other names for functions there than the linker
			u.Pointers, err = pointersIn(dump)
		}
		return u, err
	}
	u, err := read()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", j.file, err)
	}
	return u, nil
}

func (c *compiler) load(key filecache.Key, u *unit) bool {
	data, ok := c.Cache.Get(key)
	return ok && json.Unmarshal(data, u) == nil
}

// compile runs the compiler on the job's file.
func (c *compiler) compile(ctx context.Context, j job, how ...string) ([]byte, error) {
	args := slices.Concat(j.command, how, []string{j.file}) // an absolute name: no flag
	out, err := c.run(ctx, j.env, args...)
	switch {
	case err == nil:
		return out, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	return nil, &missing{fmt.Sprintf("%s does not compile: %v", j.file, err)}
}

// cacheFormat is part of every key: raised, it makes all entries stale.
const cacheFormat = "callgraph-7"

// key is of all that a graph depends on: compiler, flags and what the preprocessor wrote.
// Where cgo left its files makes no difference to the code.
func (c *compiler) key(j job, source []byte) filecache.Key {
	parts := []string{cacheFormat, j.version, graphFlag, strings.Join(clangFlags, " "), string(bytes.ReplaceAll(source, []byte(c.objdir), []byte("OBJDIR")))}
	for i, a := range j.command {
		if i > 0 && j.command[i-1] == "-I" && a == c.objdir {
			a = "OBJDIR"
		}
		parts = append(parts, a)
	}
	return filecache.KeyOf(parts...)
}

// readUnit reads what the compiler wrote. flows says that the assembly is of a kind in which
// the ways through functions can be told.
func readUnit(graph, assembly string, flows bool) (*unit, error) {
	src, err := os.ReadFile(graph)
	if err != nil {
		return nil, err
	}
	u, err := parseGraph(src)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(assembly)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := readAssembly(u, f); err != nil || !flows {
		return u, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	ways, err := readFlow(u, f)
	if err != nil {
		return nil, err
	}
	markDoomed(u, ways)
	return u, nil
}

// pointersIn reads a dump.
func pointersIn(dump string) (*pointers, error) {
	f, err := os.Open(dump)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // nothing in the file is compiled
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readPointers(f)
}
