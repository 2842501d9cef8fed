package csource

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
)

// Read compiles the C of a package and tells what is known of it. objdir holds what cgo
// made for p ([gotool.Generate]). C that can't be read is no error: the result says why.
func Read(ctx context.Context, p gotool.Package, objdir string) (*Facts, error) {
	made, err := filepath.Glob(filepath.Join(objdir, "*.cgo2.c"))
	if err != nil {
		return nil, err
	}
	work, err := os.MkdirTemp("", "seam-vet-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	facts := &Facts{Funcs: map[string]*Func{}}
	r := reader{pkg: p, objdir: objdir, work: work, facts: facts}
	err = r.read(ctx, false, slices.Concat(p.CFiles, made))
	if err == nil {
		err = r.read(ctx, true, p.CXXFiles)
	}
	if err != nil {
		return nil, err
	}
	complete(r.bodies)
	facts.readWords(slices.Concat(made, r.inDir(slices.Concat(p.CFiles, p.HFiles, p.CXXFiles))))
	solve(r.bodies, facts)
	if len(r.unread) > 0 {
		var t texts
		for _, name := range slices.Concat(r.inDir(p.HFiles), r.unread) {
			t.readFile(name)
		}
		t.solve(facts.Funcs)
	}
	return facts, nil
}

// perThread declares a variable of which each thread has its own.
var perThread = regexp.MustCompile(`\b(?:__thread|_Thread_local|thread_local)\b[^;={}()]*?([A-Za-z_]\w*)\s*(?:\[[^\]]*\]\s*)*[;={]`)

// readWords reads what the compiler's dumps don't say from the text: which variables are a thread's,
// and which functions of C++ throw nothing.
func (f *Facts) readWords(files []string) {
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // one that has gone shows nothing
		}
		if bytes.Contains(text, []byte("thread")) || bytes.Contains(text, []byte("_Thread_local")) {
			for _, m := range perThread.FindAllSubmatch(text, -1) {
				f.Threads = add(f.Threads, string(m[1]))
			}
		}
		if bytes.Contains(text, []byte("noexcept")) {
			for _, m := range noThrow.FindAllSubmatch(text, -1) {
				if len(m[2]) == 0 {
					f.noexcept = add(f.noexcept, string(m[1]))
				}
			}
		}
	}
}

// inDir are files by their whole names.
func (r *reader) inDir(files []string) (paths []string) {
	for _, f := range files {
		if !filepath.IsAbs(f) {
			f = filepath.Join(r.pkg.Dir, f)
		}
		paths = append(paths, f)
	}
	return paths
}

// reader reads the C and C++ of one package.
type reader struct {
	pkg          gotool.Package
	objdir, work string
	facts        *Facts
	bodies       []*body
	unread       []string // files that don't compile here
	units        int
}

func (r *reader) read(ctx context.Context, cxx bool, files []string) error {
	if len(files) == 0 {
		return nil
	}
	command, env, err := r.pkg.Compiler(ctx, r.objdir, cxx)
	if err != nil {
		r.facts.Missing = gotool.Brief(err).Error()
		r.unread = append(r.unread, r.inDir(files)...)
		return nil
	}
	env = append(slices.Clip(env), "LC_ALL=C")
	files = r.inDir(files)
	for i, file := range files {
		u := unit{base: filepath.Join(r.work, fmt.Sprint(r.units)), facts: r.facts, cxx: cxx}
		r.units++
		compile := func(file string, more ...string) error {
			args := slices.Concat(command, u.flags(), more, []string{file})
			_, err := gotool.Run(ctx, gotool.Cmd{Args: args, Dir: r.pkg.Dir, Env: env})
			return err
		}
		// With these gcc writes down what it knows after the dumps, and makes no machine code:
		// half of the time for SQLite.
		brief := []string{"-flto", "-fno-fat-lto-objects"}
		short, err := u.withoutTables(file)
		if err != nil {
			return err
		}
		if short != "" {
			err = compile(short, append(brief, "-iquote", filepath.Dir(file))...)
		}
		if short == "" || err != nil { // whatever it is that doesn't compile without them
			err = compile(file, brief...)
		}
		if err != nil && !cxx && strings.Contains(err.Error(), "LTO") { // a gcc without it
			err = compile(file, "-fno-lto")
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if gotool.NotFound(err) {
			r.facts.Missing = err.Error()
			r.unread = append(r.unread, files[i:]...)
			return nil
		}
		if err != nil {
			r.unread = append(r.unread, file)
			r.facts.Missing = fmt.Sprintf("%s does not compile here: %v", filepath.Base(file), gotool.Brief(err))
			continue // the other files are known
		}
		if _, err := os.Stat(u.base + ".gimple"); err != nil { // clang writes none
			r.unread = append(r.unread, file)
		}
		b, err := u.read()
		if err != nil {
			return err
		}
		r.bodies = append(r.bodies, b...)
	}
	return nil
}

// unit is one file that is compiled, for what the compiler says about it.
type unit struct {
	base  string
	facts *Facts
	cxx   bool
}

func (u unit) flags() []string {
	flags := strings.Fields("-w -g0 -O0 -fdiagnostics-color=never -S -o " + u.base + ".s")
	if u.cxx {
		return append(flags, cxxDump+u.base+".gimple")
	}
	return append(flags, "-aux-info", u.base+".aux", cDump+u.base+".gimple")
}

func (u unit) read() ([]*body, error) {
	for _, name := range []string{u.base + ".aux", u.base + ".gimple"} {
		if _, err := os.Stat(name); os.IsNotExist(err) { // of clang, and where nothing is defined
			if err := os.WriteFile(name, nil, 0o600); err != nil {
				return nil, err
			}
		}
	}
	aux, err := os.Open(u.base + ".aux")
	if err != nil {
		return nil, err
	}
	defer aux.Close()
	if err := readDeclarations(aux, u.facts.Funcs); err != nil {
		return nil, err
	}
	dump, err := os.Open(u.base + ".gimple")
	if err != nil {
		return nil, err
	}
	defer dump.Close()
	if u.cxx {
		return readCxxBodies(dump)
	}
	return readBodies(dump)
}
