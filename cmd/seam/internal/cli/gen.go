package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/idl/gen"
	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
	"github.com/seamgo/seam/cmd/seam/internal/idl/syntax"
	"github.com/seamgo/seam/cmd/seam/internal/output"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// genVerbs is the verb gen, which writes Go code, and those below it.
type genVerbs struct {
	Go   genGo   `cmd:"" default:"withargs" hidden:"" help:"Write Go code for Thrift files."`
	Fmt  genFmt  `cmd:"" help:"Bring Thrift files into their canonical form."`
	Diff genDiff `cmd:"" help:"Compare two versions of Thrift files; code 1 on a breaking change."`
}

func (genVerbs) examples() string { return genGo{}.examples() }

// sources are what every verb below gen reads its files by.
type sources struct {
	Include     []string `short:"I" name:"include" placeholder:"DIR" help:"Look for included files here too, after the folder of the including file; may be given several times."`
	NegativeIDs bool     `name:"negative-ids" help:"Keep field ids of 0 and less as they are written, like --allow-neg-keys of Apache's compiler; otherwise they are renumbered."`
	Strict      bool     `help:"Treat warnings as errors."`
}

// genGo is the verb that writes Go code.
type genGo struct {
	Files []string `arg:"" name:"file" help:"Thrift files, or folders of them."`

	Out           string            `short:"o" default:"." placeholder:"DIR" help:"Folder above the packages (the current one)."`
	PackagePrefix string            `placeholder:"PATH" help:"Import path of that folder. Default: worked out from the go.mod above it."`
	Import        map[string]string `mapsep:"none" placeholder:"FILE=PATH" help:"The Go code of an included file already exists, in the package PATH; may be given several times."`
	NoIncludes    bool              `help:"Write code only for the named files, not for those they include."`

	Views       bool     `help:"Decoded strings and binaries are views of the input, which must not change while they are used."`
	Unknown     bool     `help:"Keep fields that the file doesn't declare, and write them again."`
	UTF8        bool     `name:"utf8" help:"Refuse strings that are not UTF-8."`
	ErrorLayout string   `enum:"bare,inline,goto,outlined" default:"bare" placeholder:"bare" help:"Where decoders have their error paths: ${enum}."`
	Protocols   []string `enum:"binary,compact" default:"binary,compact" placeholder:"LIST" help:"Protocols to write code for: ${enum}; all by default."`
	Kitex       bool     `help:"Also write BLength, FastRead, FastWrite and FastWriteNocopy, in FILE_kitex.go, for Kitex to use the types."`
	Apache      bool     `help:"Also write Read and Write for Apache's Go library, in FILE_apache.go."`

	Check bool `help:"Write nothing; compare the existing files with what would be written, code 1 if they differ."`
	sources
}

func (genGo) examples() string {
	return `A file becomes DIR/NAMESPACE/FILE.go. The namespace is the one for go, else the
one for *, else the file's name; its dots become slashes. Files that would not
change stay untouched. Errors are file:line:col: what is wrong, and how to fix it.

For go generate, in a Go file beside the Thrift files:
  //go:generate seam gen order.thrift

Examples:
  seam gen order.thrift
  seam gen -o internal/rpc -I third_party idl/
  seam gen --kitex --import base.thrift=example.com/shared/base order.thrift
  seam gen --check -o internal/rpc -I third_party idl/
  seam gen fmt -w idl/
  seam gen diff old/order.thrift order.thrift
`
}

func (v *genGo) Run(s *session) error {
	files, err := v.generate(s)
	if err != nil {
		return err
	}
	if v.Check {
		return v.check(s, files)
	}
	return v.write(s, files)
}

// generate makes the files in memory.
func (v *genGo) generate(s *session) ([]gen.File, error) {
	opt := gen.Options{
		Out: v.Out, PackagePrefix: v.PackagePrefix, Imports: v.Import,
		Views: v.Views, Unknown: v.Unknown, UTF8: v.UTF8, ErrorLayout: v.ErrorLayout,
		NoBinary: !slices.Contains(v.Protocols, "binary"), NoCompact: !slices.Contains(v.Protocols, "compact"),
		Kitex: v.Kitex, Apache: v.Apache,
	}
	if v.PackagePrefix != "" {
		opt.MoreFlags = append(opt.MoreFlags, "--package-prefix="+v.PackagePrefix)
	}
	for _, key := range slices.Sorted(maps.Keys(v.Import)) {
		if key == "" || v.Import[key] == "" {
			return nil, fmt.Errorf("--import %s=%s: both sides of = are needed: an included file and the import path of its package", key, v.Import[key])
		}
		opt.MoreFlags = append(opt.MoreFlags, "--import="+filepath.ToSlash(key)+"="+v.Import[key])
	}
	if v.NegativeIDs {
		opt.MoreFlags = append(opt.MoreFlags, "--negative-ids")
	}
	paths, err := thriftFiles(v.Files)
	if err != nil {
		return nil, err
	}
	all, err := s.loadThrift(paths, v.sources)
	if err != nil {
		return nil, err
	}
	progs := slices.DeleteFunc(all, func(p *model.Program) bool {
		_, elsewhere := opt.Import(p)
		return !p.Requested && (elsewhere || v.NoIncludes)
	})
	if opt.PackagePrefix == "" && gen.NeedsPrefix(progs) {
		if opt.PackagePrefix, err = gen.FindPrefix(v.Out); err != nil {
			return nil, err
		}
	}
	return gen.Generate(progs, opt)
}

// write writes the files that differ from what is there.
func (v *genGo) write(s *session, files []gen.File) error {
	changed, err := v.changed(files)
	if err != nil {
		return err
	}
	// All targets are tried before the first is written.
	for _, f := range changed {
		if err := os.MkdirAll(filepath.Dir(f.Path), 0o777); err != nil {
			return withCode(exitFailed, fmt.Errorf("cannot write %s: %w", f.Path, err))
		}
		if err := output.Check(f.Path); err != nil {
			return withCode(exitFailed, err)
		}
	}
	out := output.Writer{Stdout: s.stdout, Stderr: s.stderr}
	for i, f := range changed {
		if s.ctx.Err() != nil {
			return withCode(exitInterrupted, fmt.Errorf("interrupted: %d of %d files are written", i, len(changed)))
		}
		err := out.Write(s.ctx, f.Path, func(w io.Writer) error {
			_, err := w.Write(f.Text)
			return err
		})
		if err != nil {
			return withCode(exitFailed, err)
		}
		fmt.Fprintln(s.stdout, f.Path)
	}
	if len(changed) == 0 {
		fmt.Fprintf(s.stdout, "up to date: %s\n", quantity.Plural(len(files), "file"))
	}
	stale, err := v.stale(files)
	for _, path := range stale {
		fmt.Fprintf(s.stderr, "seam: %s is left from an earlier run: remove it\n", path)
	}
	return err
}

// changed gives the files that differ from what is there, and refuses to
// replace what seam gen has not written.
func (v *genGo) changed(files []gen.File) ([]gen.File, error) {
	var list []gen.File
	for _, f := range files {
		old, err := os.ReadFile(f.Path)
		switch {
		case err == nil && string(old) == string(f.Text):
			continue
		case err == nil && len(old) > 0 && gen.Source(old) == "":
			return nil, fmt.Errorf("%s was not written by seam gen, so it is not replaced: move it, or choose another folder by --out", f.Path)
		case err == nil, errors.Is(err, fs.ErrNotExist):
		default:
			if info, e := os.Stat(f.Path); e == nil && info.IsDir() {
				return nil, fmt.Errorf("%s would be a file, but is a folder: choose another folder by --out", f.Path)
			}
		}
		list = append(list, f)
	}
	return list, nil
}

// check compares what is there with what would be written.
func (v *genGo) check(s *session, files []gen.File) error {
	found := 0
	say := func(what, path string) {
		found++
		fmt.Fprintf(s.stdout, "%-8s %s\n", what, path)
	}
	for _, f := range files {
		old, err := os.ReadFile(f.Path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			say("missing", f.Path)
		case err != nil:
			return err
		case string(old) != string(f.Text):
			say("differs", f.Path)
		}
	}
	stale, err := v.stale(files)
	if err != nil {
		return err
	}
	for _, path := range stale {
		say("stale", path)
	}
	if found > 0 {
		return withCode(exitFinding, fmt.Errorf("%s not what seam gen would write: run it without --check, and remove what is stale", quantity.Plural(found, "file is", "files are")))
	}
	_, err = fmt.Fprintf(s.stdout, "up to date: %s\n", quantity.Plural(len(files), "file"))
	return withCode(exitFailed, err)
}

// stale lists files in the packages' folders that an earlier run has written
// and this one would not: their Thrift file is one of this run's, or is not
// to be found any more.
func (v *genGo) stale(files []gen.File) ([]string, error) {
	wanted, folders := map[string]bool{}, map[string]bool{}
	named, homes := map[string]bool{}, map[string]bool{}
	for _, f := range files {
		wanted[f.Path], folders[filepath.Dir(f.Path)] = true, true
		named[filepath.Base(f.Program.Path)], homes[filepath.Dir(f.Program.Path)] = true, true
	}
	for _, dir := range v.Include {
		homes[dir] = true
	}
	var list []string
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		entries, err := os.ReadDir(folder)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return list, err
		}
		for _, e := range entries {
			path := filepath.Join(folder, e.Name())
			if wanted[path] || !e.Type().IsRegular() || filepath.Ext(path) != ".go" {
				continue
			}
			text, err := head(path)
			if err != nil {
				return list, err
			}
			source := gen.Source(text)
			if source == "" {
				continue
			}
			exists := false
			for home := range homes {
				if _, err := os.Stat(filepath.Join(home, source)); err == nil {
					exists = true
				}
			}
			if named[source] || !exists {
				list = append(list, path)
			}
		}
	}
	return list, nil
}

// head reads the beginning of a file: enough for the header.
func head(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, 4096))
}

// maxSource is the size of the largest Thrift file that is read: what is
// larger is no Thrift file.
const maxSource = 64 << 20

// readSource reads a Thrift file.
func readSource(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxSource+1))
	if err == nil && len(text) > maxSource {
		err = fmt.Errorf("it is larger than %d MB: is it a Thrift file?", maxSource>>20)
	}
	return text, err
}

// loadThrift reads Thrift files and says what is wrong with them.
func (s *session) loadThrift(paths []string, from sources) ([]*model.Program, error) {
	progs, errs := model.Load(paths, model.Options{
		IncludeDirs: from.Include, ReadFile: readSource, ListDir: listFolder, KeepNegativeIDs: from.NegativeIDs,
	})
	return progs, s.report(errs, from.Strict)
}

// listFolder gives the names in a folder.
func listFolder(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, err
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

// thriftFiles replaces folders by the .thrift files below them.
func thriftFiles(paths []string) ([]string, error) {
	var list []string
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil || !info.IsDir() {
			list = append(list, path) // reading it says what is wrong
			continue
		}
		before := len(list)
		err = filepath.WalkDir(path, func(name string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() && filepath.Ext(name) == ".thrift" {
				list = append(list, name)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		if len(list) == before {
			return nil, fmt.Errorf("no file below %s has a name that ends in .thrift", path)
		}
	}
	return list, nil
}

// bareError drops the operation and path of an error whose message names the
// path already.
func bareError(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
