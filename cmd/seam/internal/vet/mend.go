package vet

import (
	"bytes"
	"cmp"
	"fmt"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/output"
	"github.com/seamgo/seam/cmd/seam/internal/textdiff"
)

// Mended is a file with the changes that findings suggest.
type Mended struct {
	output.File
	Old     []byte
	Changes int
}

// Diff is the changes as a patch.
func (m *Mended) Diff() string {
	return textdiff.Unified(m.Path, m.Path, string(m.Old), string(m.Text))
}

// own are the files that the user works on: those of the main modules.
type own struct {
	modules []string        // their folders
	never   []string        // folders below which nothing is changed, whatever lies there
	others  map[string]bool // packages that are of no main module
}

// ownFiles tells the files of the main modules from others: the module cache, a vendor folder,
// replaced modules in other folders, Go's own.
func ownFiles(list []gotool.Package, env *gotool.Env) *own {
	o := &own{others: map[string]bool{}}
	add := func(to *[]string, dir string) {
		if dir = realPath(dir); dir != "" && !slices.Contains(*to, dir) {
			*to = append(*to, dir)
		}
	}
	add(&o.never, env.GOROOT)
	add(&o.never, env.GOMODCACHE)
	for _, p := range list {
		switch {
		case p.Module != nil && p.Module.Main:
			add(&o.modules, p.Module.Dir)
			add(&o.never, filepath.Join(p.Module.Dir, "vendor"))
		case p.Module == nil && !p.Standard && !slices.Contains(strings.Split(filepath.ToSlash(p.Dir), "/"), "vendor"):
			add(&o.modules, p.Dir) // without modules what is asked for is the user's
			o.others[p.ImportPath] = p.DepOnly
		default:
			o.others[p.ImportPath] = true
		}
	}
	return o
}

// realPath is where a file or folder really is, "" if that can't be told.
func realPath(name string) string {
	if name == "" {
		return ""
	}
	name, err := filepath.EvalSymlinks(name)
	if err != nil {
		return ""
	}
	return name
}

// mine reports whether a file may be changed.
func (o *own) mine(name string) bool {
	name = realPath(name)
	below := func(dir string) bool { return strings.HasPrefix(name, dir+string(filepath.Separator)) }
	return name != "" && slices.ContainsFunc(o.modules, below) && !slices.ContainsFunc(o.never, below)
}

// mark takes the changes out of a finding whose file is another's.
func (o *own) mark(f *Finding) {
	f.Other = o.others[f.Package] || !o.mine(f.File)
	f.Fixes = slices.DeleteFunc(f.Fixes, func(x Fix) bool {
		return f.Other || slices.ContainsFunc(x.Edits, func(e Edit) bool { return !o.mine(e.File) })
	})
}

// Mended returns the files that findings suggest changes for, and the number of findings
// that suggest none. Of two changes that touch each other the first is made.
func (r *Report) Mended() (files []Mended, left int, err error) {
	edits := map[string][]Edit{}
	for _, f := range r.Findings {
		if len(f.Fixes) == 0 || clash(edits, f.Fixes[0].Edits) {
			left++
			continue
		}
		for _, e := range f.Fixes[0].Edits {
			if !imports(e) || !slices.Contains(edits[e.File], e) { // one for all who need it
				edits[e.File] = append(edits[e.File], e)
			}
		}
	}
	for name, list := range edits {
		old, text, err := edited(name, list)
		if err != nil {
			return nil, 0, err
		}
		files = append(files, Mended{output.File{Path: relative(workingDir(""), name), Text: text}, old, len(list)})
	}
	slices.SortFunc(files, func(a, b Mended) int { return cmp.Compare(a.Path, b.Path) })
	return files, left, nil
}

// edited is a file as it is, and as edits make it.
func edited(name string, list []Edit) (old, text []byte, err error) {
	if old, err = os.ReadFile(name); err != nil {
		return nil, nil, err
	}
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b Edit) int { return cmp.Compare(a.Start, b.Start) })
	end := "\n"
	if bytes.Contains(old, []byte("\r\n")) {
		end = "\r\n"
	}
	var b bytes.Buffer
	at := 0
	var changed []span // of the new text
	for _, e := range list {
		if e.Start < at || e.End > len(old) {
			return nil, nil, fmt.Errorf("%s has changed while it was searched", name)
		}
		b.Write(old[at:e.Start])
		from := b.Len()
		b.WriteString(strings.ReplaceAll(e.New, "\n", end))
		changed = append(changed, span{from, b.Len()})
		at = e.End
	}
	b.Write(old[at:])
	formatted, err := format.Source(old)
	whole := err == nil && bytes.Equal(formatted, old) // it was formatted before
	if text, err = tidy(b.Bytes(), changed, whole, end); err != nil {
		return nil, nil, fmt.Errorf("%s: a suggested change is not Go: %w", name, err)
	}
	return old, text, nil
}

// span is a part of a text.
type span struct{ from, to int }

// tidy formats a text that was changed: all of it, or the functions that have changes.
func tidy(text []byte, changed []span, whole bool, end string) ([]byte, error) {
	if whole {
		return format.Source(text)
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, d := range slices.Backward(f.Decls) { // what stands before keeps its place
		from, to := fset.PositionFor(d.Pos(), false).Offset, fset.PositionFor(d.End(), false).Offset
		if !slices.ContainsFunc(changed, func(s span) bool { return s.from < to && from < s.to }) {
			continue
		}
		formatted, err := format.Source(text[from:to])
		if err != nil {
			return nil, err
		}
		if end != "\n" {
			formatted = bytes.ReplaceAll(bytes.ReplaceAll(formatted, []byte("\r\n"), []byte("\n")), []byte("\n"), []byte(end))
		}
		text = slices.Concat(text[:from], formatted, text[to:])
	}
	return text, nil
}

// clash reports whether an edit overlaps one that is to be made.
func clash(have map[string][]Edit, edits []Edit) bool {
	for _, e := range edits {
		for _, o := range have[e.File] {
			if e.Start < o.End && o.Start < e.End || e.Start == o.Start && e.New == o.New && !imports(e) {
				return true
			}
		}
	}
	return false
}

// imported is the new text of an edit that imports a package.
var imported = regexp.MustCompile(`^(\s*import )?"[\w/.-]+"\s*$`)

func imports(e Edit) bool { return imported.MatchString(e.New) }
