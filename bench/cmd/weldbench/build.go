package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/seamgo/seam/bench/internal/command"
	"github.com/seamgo/seam/bench/internal/seam"
)

// A module is one that benchmarks are of.
type module struct {
	name   string
	path   string
	folder string // the package with its benchmarks
}

// modules are all of them, in the order in which they are measured.
var modules = []module{
	{"sqlite", "github.com/mattn/go-sqlite3", "github.com/seamgo/seam/bench/weld/sqlite"},
	{"h3", "github.com/uber/h3-go/v4", "github.com/seamgo/seam/bench/weld/h3"},
	{"sitter", "github.com/smacker/go-tree-sitter", "github.com/seamgo/seam/bench/weld/sitter"},
	{"zstd", "github.com/DataDog/zstd", "github.com/seamgo/seam/bench/weld/zstd"},
}

// choose finds the module that is meant by "sqlite" or "sqlite@v1.14.53".
func choose(asked string) (m module, version string, err error) {
	name, version, at := strings.Cut(asked, "@")
	if at && version == "" {
		return m, "", fmt.Errorf("module %s: no version after the @ (want one like %s@latest)", asked, name)
	}
	var names []string
	for _, m := range modules {
		if m.name == name {
			return m, version, nil
		}
		names = append(names, m.name)
	}
	return m, "", fmt.Errorf("no module %s: want %s", name, strings.Join(names, ", "))
}

// The two sides, as the names of results say them.
const (
	viaCgo = iota
	viaWeld
)

var via = [...]string{viaCgo: "cgo", viaWeld: "weld"}

// A target package is built once as it is and once welded.
type target struct {
	seam.Project
	name     string // of its files in the work folder
	binaries [2]string
	plan     string
}

// A measurement is one run of weldbench.
type measurement struct {
	options
	tool       string
	stderr     command.Screen
	targets    []*target
	benchmarks []*benchmark
	facts      []string // configuration lines of the benchmarks: "cpu: …"
}

func (m *measurement) build(ctx context.Context) error {
	defer m.stderr.Say("")
	if err := m.find(ctx); err != nil {
		return err
	}
	for _, t := range m.targets {
		m.stderr.Say("%s: building", t.name)
		t.binaries[viaCgo] = filepath.Join(m.work, t.name+".cgo")
		if _, err := t.Run(ctx, t.Go("test", "-c", "-o", t.binaries[viaCgo], ".")); err != nil {
			return err
		}
		if err := m.makePlan(ctx, t); err != nil {
			return err
		}
		m.stderr.Say("%s: welding", t.name)
		t.binaries[viaWeld] = filepath.Join(m.work, t.name+".weld")
		if _, err := t.Run(ctx, t.Weld(t.plan, "test", "-c", "-o", t.binaries[viaWeld], ".")); err != nil {
			return err
		}
	}
	return nil
}

func (m *measurement) project(dir string) seam.Project {
	p := seam.Project{Seam: m.tool, Dir: dir}
	if m.verbose {
		p.Log = m.stderr
	}
	return p
}

// find sets the targets: the chosen package or modules.
func (m *measurement) find(ctx context.Context) error {
	if m.pkg != "" {
		dir, err := filepath.Abs(m.pkg)
		if err != nil {
			return err
		}
		if info, err := os.Stat(dir); err != nil {
			return err
		} else if !info.IsDir() {
			return fmt.Errorf("%s is a file (-pkg wants the folder of a package)", m.pkg)
		}
		m.targets = []*target{{name: filepath.Base(dir), Project: m.project(dir)}}
		return nil
	}
	asked := m.options.modules
	if len(asked) == 0 {
		for _, mod := range modules {
			asked = append(asked, mod.name)
		}
	}
	here := m.project("")
	for _, a := range asked {
		mod, version, err := choose(a)
		if err != nil {
			return err
		}
		out, err := here.Run(ctx, here.Go("list", "-test", "-f", "{{if not .ForTest}}{{.Dir}}{{end}}", mod.folder))
		if err != nil {
			return fmt.Errorf("%w\n\t(run weldbench inside the repository of Seam, or choose a package with -pkg)", err)
		}
		dir, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
		t := &target{name: a, Project: m.project(dir)}
		if version != "" {
			if err := m.atVersion(ctx, t, mod.path+"@"+version); err != nil {
				return err
			}
		}
		m.targets = append(m.targets, t)
	}
	return nil
}

// atVersion makes the target's commands use another version of its module, by a
// copy of the go.mod.
func (m *measurement) atVersion(ctx context.Context, t *target, version string) error {
	out, err := t.Run(ctx, t.Go("env", "GOMOD"))
	if err != nil {
		return err
	}
	theirs := strings.TrimSpace(string(out))
	mine := filepath.Join(m.work, t.name+".mod")
	for _, end := range []string{".mod", ".sum"} {
		text, err := os.ReadFile(strings.TrimSuffix(theirs, ".mod") + end)
		if err != nil {
			return err
		}
		if err := os.WriteFile(strings.TrimSuffix(mine, ".mod")+end, text, 0o666); err != nil {
			return err
		}
	}
	t.Env = append(t.Env, "GOWORK=off", "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -modfile="+mine))
	_, err = t.Run(ctx, t.Go("get", version))
	return err
}

// makePlan sets the target's plan: one that is there, or one that is made from a
// trace of the benchmarks.
func (m *measurement) makePlan(ctx context.Context, t *target) (err error) {
	switch m.options.plan {
	case planTraced:
		m.stderr.Say("%s: tracing", t.name)
		trace := filepath.Join(m.work, t.name+".trace")
		t.plan = filepath.Join(m.work, t.name+".plan")
		if err := t.Trace(ctx, trace, "test", "-run", "^$", "-bench", m.bench, "-benchtime", m.tracetime.String(), "."); err != nil {
			return err
		}
		m.stderr.Say("%s: planning", t.name)
		return t.Plan(ctx, trace, t.plan)
	case planCommitted:
		t.plan = filepath.Join(t.Dir, "seam.plan")
	default:
		if t.plan, err = filepath.Abs(m.options.plan); err != nil {
			return err
		}
	}
	if _, err := os.Stat(t.plan); err != nil {
		return fmt.Errorf("no plan: %w (-plan %s makes one)", err, planTraced)
	}
	return nil
}
