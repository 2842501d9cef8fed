package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/idl/gen"
	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
	"github.com/seamgo/seam/cmd/seam/internal/idl/syntax"
	"github.com/seamgo/seam/cmd/seam/internal/output"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// genVerbs is the verb gen, which writes Go code, and those below it.
type genVerbs struct {
	Go   genGo   `cmd:"" default:"withargs" hidden:"" help:"Write Go code for Thrift files."`
	Fmt  genFmt  `cmd:"" help:"Format Thrift files."`
	Desc genDesc `cmd:"" name:"descriptors" help:"Write what package descriptor reads at run time: the types and services of Thrift files."`
	Diff genDiff `cmd:"" help:"Compare two versions of Thrift files; code 1 on a breaking change."`
	Lint genLint `cmd:"" help:"Find what makes Thrift files hard to keep compatible; with --against also what breaks an older version."`
}

func (genVerbs) examples() string { return genGo{}.examples() }

// sources are what every verb below gen reads its files by.
type sources struct {
	Include     []string `short:"I" name:"include" placeholder:"DIR" help:"Also look for included files here, after the folder of the including file; may be given several times."`
	NegativeIDs bool     `name:"negative-ids" help:"Keep field ids of 0 and below as written, like --allow-neg-keys of Apache's compiler; otherwise they are renumbered."`
	Strict      bool     `help:"Treat warnings as errors."`
}

func (from sources) options() model.Options {
	return model.Options{IncludeDirs: from.Include, KeepNegativeIDs: from.NegativeIDs}
}

// genGo is the verb that writes Go code.
type genGo struct {
	Files []string `arg:"" name:"file" help:"Thrift files, or folders of them."`

	Out           string            `short:"o" default:"." placeholder:"DIR" help:"Folder to put the packages in (default: the current one)."`
	PackagePrefix string            `placeholder:"PATH" help:"Import path of that folder. Default: from the go.mod above it."`
	Import        map[string]string `mapsep:"none" placeholder:"FILE=PATH" help:"The Go code for an included file is already in package PATH; may be given several times."`
	NoIncludes    bool              `help:"Write code for the named files only, not for what they include."`

	Views                bool `help:"Decode strings and binaries as views of the input, which must not change while they are in use."`
	Unknown              bool `help:"Keep fields that the file doesn't declare, and write them back."`
	UTF8                 bool `name:"utf8" help:"Refuse strings that are not UTF-8."`
	ValueTypeInContainer bool `help:"Put structs into lists, sets and maps as they are, not as pointers; the annotation value_type_in_container does so for one."`

	ErrorLayout  string   `enum:"bare,inline,goto,outlined" default:"bare" placeholder:"bare" help:"Where decoders put their error paths: bare, inline, goto or outlined."`
	Protocols    []string `enum:"binary,compact" default:"binary,compact" placeholder:"LIST" help:"Protocols to write code for: ${enum}; all by default."`
	Naming       string   `enum:"auto,go,apache,thriftgo,kitex" default:"auto" placeholder:"STYLE" help:"Make Go names as this code has them: go (user_id is UserID), apache, thriftgo or kitex (UserId). auto is kitex with --kitex, apache with --apache, else go."`
	Kitex        bool     `help:"Write code that takes the place of what kitex writes: FILE_kitex.go, and a package for each service with its client and server."`
	KitexMain    string   `placeholder:"DIR" help:"With --kitex: also write handler.go and main.go of a server to this folder; of a handler.go that is there, add what is missing."`
	Without      []string `enum:"getters,equal,clone" placeholder:"LIST" help:"Leave methods out, of ${enum}: without all of them large files build in four fifths of the time."`
	Setters      bool     `help:"Also write methods SetX and IsSetX for fields; --kitex does in any case."`
	SQL          bool     `name:"sql" help:"Also write Scan and Value of enums, for package database/sql; --kitex does in any case."`
	FieldMask    bool     `help:"Also write Set_FieldMask for structs, by which only some fields are written: see package fieldmask."`
	Validate     bool     `help:"Also write a method Validate for each struct, with what annotations vt.* of fields ask for."`
	ValidateFunc []string `sep:"none" placeholder:"DECL" help:"A Go function for rules: \"f(string) bool=PATH.F\" for @f($x); may be given several times."`
	Apache       bool     `help:"Also write Read and Write for Apache's Go library, in FILE_apache.go."`
	Descriptors  bool     `help:"Also write FILE_descriptors.go, by which a program finds out about types and services at run time."`

	Check bool `help:"Write nothing; exit with code 1 if what is there differs from what would be written."`
	sources
}

func (genGo) examples() string {
	return `A file becomes DIR/NAMESPACE/FILE.go, where the namespace is that for go, else that
for *, else the file's name, with dots as slashes. Files that are up to date are not
touched. Errors say file:line:col, what is wrong and how to fix it.

In a Go file beside the Thrift files, for go generate:
  //go:generate seam gen order.thrift

Examples:
  seam gen order.thrift
  seam gen -o internal/rpc -I third_party idl/
  seam gen --import base.thrift=example.com/shared/base order.thrift
  seam gen --kitex -o kitex_gen --kitex-main . order.thrift
  seam gen --check -o internal/rpc -I third_party idl/
  seam gen fmt -w idl/
  seam gen diff old/order.thrift order.thrift
`
}

func (v *genGo) Run(s *session) error {
	if v.KitexMain != "" && !v.Kitex {
		return errors.New("--kitex-main is for the code that --kitex writes: give both")
	}
	files, own, err := v.generate(s)
	if err != nil {
		return err
	}
	if v.Check {
		return v.check(s, files)
	}
	if err := v.write(s, files); err != nil {
		return err
	}
	return v.writeOwn(s, own)
}

// generate makes the files in memory, and those that are the user's from now on.
func (v *genGo) generate(s *session) (files []gen.File, own []output.File, err error) {
	opt := gen.Options{
		Out: v.Out, PackagePrefix: v.PackagePrefix, Imports: v.Import,
		Views: v.Views, Unknown: v.Unknown, UTF8: v.UTF8, ErrorLayout: v.ErrorLayout,
		NoBinary: !slices.Contains(v.Protocols, "binary"), NoCompact: !slices.Contains(v.Protocols, "compact"),
		Naming: gen.Naming(strings.TrimPrefix(v.Naming, "auto")), Kitex: v.Kitex, Apache: v.Apache, Descriptors: v.Descriptors, Validate: v.Validate, Setters: v.Setters, SQL: v.SQL, FieldMask: v.FieldMask,
		NoGetters: slices.Contains(v.Without, "getters"), NoEqual: slices.Contains(v.Without, "equal"), NoClone: slices.Contains(v.Without, "clone"),
	}
	if v.PackagePrefix != "" {
		opt.MoreFlags = append(opt.MoreFlags, "--package-prefix="+v.PackagePrefix)
	}
	for _, key := range slices.Sorted(maps.Keys(v.Import)) {
		if key == "" || v.Import[key] == "" {
			return nil, nil, fmt.Errorf("--import %s=%s: both sides of = are needed: an included file and the import path of its package", key, v.Import[key])
		}
		opt.MoreFlags = append(opt.MoreFlags, "--import="+filepath.ToSlash(key)+"="+v.Import[key])
	}
	if v.ValueTypeInContainer {
		opt.MoreFlags = append(opt.MoreFlags, "--value-type-in-container")
	}
	var ruleFuncs []*model.RuleFunc
	for _, text := range v.ValidateFunc {
		f, err := model.ParseRuleFunc(text)
		switch {
		case err != nil:
			return nil, nil, fmt.Errorf("--validate-func %w", err)
		case !v.Validate:
			return nil, nil, errors.New("--validate-func is for the methods that --validate writes: give both")
		}
		for _, other := range ruleFuncs {
			if other.Name == f.Name {
				return nil, nil, fmt.Errorf("--validate-func %s: the function %s is declared twice", text, f.Name)
			}
		}
		ruleFuncs = append(ruleFuncs, f)
		opt.MoreFlags = append(opt.MoreFlags, fmt.Sprintf("--validate-func=%q", text))
	}
	if v.NegativeIDs {
		opt.MoreFlags = append(opt.MoreFlags, "--negative-ids")
	}
	paths, err := model.Find(v.Files)
	if err != nil {
		return nil, nil, err
	}
	from := v.options()
	from.ValueTypeInContainer, from.Validate, from.RuleFuncs, from.Descriptors = v.ValueTypeInContainer, v.Validate, ruleFuncs, v.Descriptors
	from.KeepStreams, from.Kitex = !opt.NoBinary, v.Kitex
	all, err := s.loadThrift(paths, from, v.Strict)
	if err != nil {
		return nil, nil, err
	}
	progs := slices.DeleteFunc(all, func(p *model.Program) bool {
		_, elsewhere := opt.Import(p)
		return !p.Requested && (elsewhere || v.NoIncludes)
	})
	if opt.PackagePrefix == "" && gen.NeedsPrefix(progs, opt) {
		if opt.PackagePrefix, err = gen.FindPrefix(v.Out); err != nil {
			return nil, nil, err
		}
	}
	if files, err = gen.Generate(progs, opt); err == nil && v.KitexMain != "" && !v.Check {
		own, err = v.kitexMain(progs, opt)
	}
	return files, own, err
}

// kitexMain makes the beginning of a Kitex server.
func (v *genGo) kitexMain(progs []*model.Program, opt gen.Options) ([]output.File, error) {
	old := map[string][]byte{}
	entries, err := os.ReadDir(v.KitexMain)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".go" || e.IsDir() {
			continue
		}
		if old[e.Name()], err = os.ReadFile(filepath.Join(v.KitexMain, e.Name())); err != nil {
			return nil, err
		}
	}
	made, err := gen.KitexMain(progs, opt, old)
	var own []output.File
	for _, name := range slices.Sorted(maps.Keys(made)) {
		own = append(own, output.File{Path: filepath.Join(v.KitexMain, name), Text: made[name]})
	}
	return own, err
}

// writeOwn writes files that the user goes on with.
func (v *genGo) writeOwn(s *session, files []output.File) error {
	out := output.Writer{Stdout: s.stdout, Stderr: s.stderr}
	return withCode(exitFailed, out.WriteFiles(s.ctx, files, func(path string) { fmt.Fprintln(s.stdout, path) }))
}

// write writes the files that differ from what is there.
func (v *genGo) write(s *session, files []gen.File) error {
	if err := s.writeGenerated(plainFiles(files), "seam gen", func(text []byte) bool { return gen.Source(text) != "" }); err != nil {
		return err
	}
	stale, err := gen.Stale(files, v.Include)
	for _, path := range stale {
		fmt.Fprintf(s.stderr, "seam: %s is left from an earlier run: remove it\n", path)
	}
	return err
}

// check compares what is there with what would be written.
func (v *genGo) check(s *session, files []gen.File) error {
	say := func(what, path string) { fmt.Fprintf(s.stdout, "%-8s %s\n", what, path) }
	found, err := output.Compare(plainFiles(files), say)
	if err != nil {
		return err
	}
	stale, err := gen.Stale(files, v.Include)
	if err != nil {
		return err
	}
	for _, path := range stale {
		say("stale", path)
	}
	if found += len(stale); found > 0 {
		return withCode(exitFinding, fmt.Errorf("%s not as seam gen would write them: run it without --check, and remove what is stale", quantity.Plural(found, "file is", "files are")))
	}
	return s.upToDate(len(files))
}

func plainFiles(files []gen.File) []output.File {
	list := make([]output.File, len(files))
	for i, f := range files {
		list[i] = output.File{Path: f.Path, Text: f.Text}
	}
	return list
}

// loadThrift reads Thrift files and says what is wrong with them.
func (s *session) loadThrift(paths []string, opt model.Options, strict bool) ([]*model.Program, error) {
	progs, errs := model.Load(paths, opt)
	return progs, s.report(errs, strict)
}

// report prints mistakes in the form that editors know, file:line:col. Its
// error counts them; there is none where all are warnings.
func (s *session) report(errs syntax.Errors, strict bool) error {
	mistakes, warnings := 0, 0
	for _, e := range errs {
		fmt.Fprintln(s.stderr, e)
		if e.Warning {
			warnings++
		} else {
			mistakes++
		}
	}
	switch {
	case mistakes > 0:
		return fmt.Errorf("%s: nothing was done", quantity.Plural(mistakes, "mistake"))
	case warnings > 0 && strict:
		return fmt.Errorf("%s, which --strict treats as errors: nothing was done", quantity.Plural(warnings, "warning"))
	}
	return nil
}
