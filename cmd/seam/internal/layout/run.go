package layout

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/nearest"
	"github.com/seamgo/seam/cmd/seam/internal/output"
)

// Options say what is compared, and how.
type Options struct {
	Go       string // the go command
	Dir      string // the folder that patterns and headers are relative to
	Packages []string
	Pairs    []Pair // more than the directives say; for one package alone
	Tags     string
	Headers  []string // of C, in place of the preambles
	CFlags   []string // for the C compiler, behind those of the package
	CXX      bool     // headers are C++
	Line     int64    // bytes of a cache line
	AnyAlign bool     // a difference of alignment is not a mismatch
	Seam     string   // version, for the JSON form
}

func (o *Options) flags() []string {
	if o.Tags == "" {
		return nil
	}
	return []string{"-tags=" + o.Tags}
}

// Limits of a cache line.
const (
	MinLine = 8
	MaxLine = 4096
)

// An Outcome is what Run found, and the checks for it.
type Outcome struct {
	Report   *Report
	Files    []output.File // none for packages with pairs that differ
	Warnings []string      // for people
}

// Run compares the pairs of packages.
func Run(ctx context.Context, o Options) (*Outcome, error) {
	if o.CXX && len(o.Headers) == 0 {
		return nil, errors.New("--lang c++ needs --header: what stands above import \"C\" is C")
	}
	if o.Line < MinLine || o.Line > MaxLine || o.Line&(o.Line-1) != 0 {
		return nil, fmt.Errorf("--line %d: the size of a cache line is a power of two from %d to %d", o.Line, MinLine, MaxLine)
	}
	env, err := gotool.ReadEnv(ctx, o.Go, o.Dir)
	if err != nil {
		return nil, err
	}
	target := targetOf(env)
	packages, err := gotool.List(ctx, o.Go, o.Dir, o.flags(), o.Packages...)
	if err != nil && env.CGO_ENABLED == "0" {
		err = fmt.Errorf("%w\n\t(CGO_ENABLED is 0, so files that import \"C\" are left out)", err)
	}
	if err != nil {
		return nil, err
	}
	if len(packages) == 0 {
		return nil, fmt.Errorf("no package matches %s", strings.Join(o.Packages, " "))
	}
	if len(o.Pairs) > 0 && len(packages) > 1 {
		return nil, fmt.Errorf("pairs on the command line need a single package, and %s match %d", strings.Join(o.Packages, " "), len(packages))
	}
	out := &Outcome{Report: &Report{Seam: o.Seam, Go: env.GOVERSION, Target: target, Line: o.Line, Pairs: []Result{}}}
	for _, p := range packages {
		if p.ImportPath == "command-line-arguments" {
			return nil, errors.New("name a package, not its files")
		}
		src, err := readSource(p)
		if err != nil {
			return nil, err
		}
		pairs := slices.Concat(src.pairs, o.Pairs)
		if len(pairs) == 0 {
			if len(packages) == 1 && src.bound {
				return nil, fmt.Errorf("package %s has no pairs of types: seam bind has written it, and had the C compiler check the sizes, offsets and alignments of its structs; seam bind --check does it again", p.ImportPath)
			}
			if len(packages) == 1 {
				return nil, fmt.Errorf("package %s has no pairs of types: put %s struct NAME above a type, or name them (GoType=CType)", p.ImportPath, Directive)
			}
			continue
		}
		if err := out.pkg(ctx, o, env, target, p, src, pairs); err != nil {
			return nil, err
		}
	}
	if len(out.Report.Pairs) == 0 {
		return nil, fmt.Errorf("none of the %d packages has a pair of types: put %s struct NAME above a type", len(packages), Directive)
	}
	return out, nil
}

// pkg compares the pairs of one package.
func (out *Outcome) pkg(ctx context.Context, o Options, env *gotool.Env, target Target, p gotool.Package, src *source, pairs []Pair) error {
	work, err := os.MkdirTemp("", "seam-layout-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	// Where the checks are included, and not for the first time, they are found
	// beside the preamble: they say nothing while we look.
	for _, name := range checkFiles(".h") {
		if err := os.WriteFile(filepath.Join(work, name), nil, 0o666); err != nil {
			return err
		}
	}
	var names []string
	seen := map[[2]string]bool{}
	unique := pairs[:0:0]
	for _, pair := range pairs {
		base, _, _ := strings.Cut(pair.Go, "[")
		f := src.fileOf[base]
		if f == nil {
			hint := "the package declares none in the files of this build"
			return at(pair, &unknown{what: fmt.Sprintf("package %s has no type %s", p.ImportPath, base), meant: nearest.Names(base, src.types), hint: hint})
		}
		pair.file = f.name
		if seen[[2]string{pair.Go, pair.C}] {
			continue
		}
		seen[[2]string{pair.Go, pair.C}] = true
		unique = append(unique, pair)
		if !slices.Contains(names, pair.Go) {
			names = append(names, pair.Go)
		}
	}
	c, err := newCSide(p, src, o, work, target)
	if err != nil {
		return err
	}
	// C first: it is quicker, and its mistakes are the more frequent ones.
	cTypes, err := c.read(ctx, unique)
	if err != nil {
		return err
	}
	goTypes, err := buildGo(ctx, o, env, c, names)
	if err != nil {
		return err
	}
	var results []Result
	agree := true
	for i, pair := range unique {
		r := newResult(pair, p.ImportPath, p.Name, goTypes[pair.Go], cTypes[i], o.Line, o.AnyAlign || pair.AnyAlign)
		agree = agree && r.Agrees
		results = append(results, r)
	}
	out.Report.Pairs = append(out.Report.Pairs, results...)
	if !agree {
		return nil
	}
	files, err := checks(p, src, results, o, target)
	if err != nil {
		return err
	}
	out.Files = append(out.Files, files...)
	if header := checkFile(".h", target); !c.includes(header) {
		out.Warnings = append(out.Warnings, fmt.Sprintf("package %s does not include %[2]s: without #include \"%[2]s\" after the types, nothing checks the C side", p.ImportPath, header))
	}
	return nil
}

// at names the place of a pair in front of an error about it.
func at(p Pair, err error) error {
	if p.Where == "" {
		return err
	}
	return fmt.Errorf("%s: %w", p.Where, err)
}
