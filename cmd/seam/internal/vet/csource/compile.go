package csource

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
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
	command, env, err := p.Compiler(ctx, objdir, false)
	if err != nil {
		return &Facts{Missing: gotool.Brief(err).Error()}, nil
	}
	work, err := os.MkdirTemp("", "seam-vet-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	facts := &Facts{Funcs: map[string]*Func{}}
	var bodies []*body
	for i, file := range slices.Concat(p.CFiles, made) {
		if !filepath.IsAbs(file) {
			file = filepath.Join(p.Dir, file)
		}
		u := unit{base: filepath.Join(work, fmt.Sprint(i)), facts: facts}
		compile := func(lto ...string) error {
			args := slices.Concat(command, u.flags(), lto, []string{file})
			_, err := gotool.Run(ctx, gotool.Cmd{Args: args, Dir: p.Dir, Env: append(slices.Clip(env), "LC_ALL=C")})
			return err
		}
		// With these gcc writes down what it knows after the dumps, and makes no machine code:
		// half of the time for SQLite.
		err := compile("-flto", "-fno-fat-lto-objects")
		if err != nil && strings.Contains(err.Error(), "LTO") { // a gcc without it
			err = compile("-fno-lto")
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			facts.Missing = fmt.Sprintf("%s does not compile here: %v", filepath.Base(file), gotool.Brief(err))
			continue // the other files are known
		}
		b, err := u.read()
		if err != nil {
			return nil, err
		}
		bodies = append(bodies, b...)
	}
	solve(bodies, facts.Funcs)
	return facts, nil
}

// unit is one file that is compiled, for what the compiler says about it.
type unit struct {
	base  string
	facts *Facts
}

func (u unit) flags() []string {
	return strings.Fields("-w -g0 -O0 -fdiagnostics-color=never -S -o " + u.base + ".s" +
		" -aux-info " + u.base + ".aux -fdump-tree-gimple-raw-lineno=" + u.base + ".gimple")
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
	return readBodies(dump)
}
