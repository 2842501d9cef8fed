package model

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/idl/syntax"
	"github.com/seamgo/seam/cmd/seam/internal/nearest"
)

// unknown reports a name that was not found.
func (f *file) unknown(pos syntax.Pos, what, name string, known []string) {
	hint := f.didYouMean(name, known)
	if dot := strings.IndexByte(name, '.'); hint == "" && dot >= 0 {
		hint = f.notIncluded(name[:dot])
	}
	f.errorf(pos, "unknown %s %s%s", what, clip(name), hint)
}

// notIncluded explains a prefix that stands for no file.
func (f *file) notIncluded(prefix string) string {
	if len(f.programs(prefix)) > 0 {
		return ""
	}
	for _, g := range f.order {
		if g.prog.Name == prefix {
			return fmt.Sprintf("; %s includes no file named %s.thrift itself, so add an include of %s", f.prog.Path, clip(prefix), g.prog.Path)
		}
	}
	var names []string
	for _, g := range f.includes {
		names = append(names, g.prog.Name)
	}
	if near := f.nearestName(prefix, names); near != "" {
		return fmt.Sprintf("; no file named %s.thrift is included, did you mean %s?", clip(prefix), near)
	}
	return fmt.Sprintf("; no file named %s.thrift is included", clip(prefix))
}

// typeNames are all names that a type may have in the file.
func (f *file) typeNames() []string {
	if f.typeNamesKnown == nil {
		for _, b := range baseTypes {
			f.typeNamesKnown = append(f.typeNamesKnown, b.name)
		}
		f.typeNamesKnown = append(f.typeNamesKnown, f.names(func(s *symbol) bool { return s.service == nil })...)
	}
	return f.typeNamesKnown
}

// names are the names of types and services, here and in included files, in a
// stable order.
func (f *file) names(want func(*symbol) bool) []string {
	var names []string
	for _, g := range append([]*file{f}, f.includes...) {
		prefix := ""
		if g != f {
			prefix = g.prog.Name + "."
		}
		for _, d := range g.tree.Decls {
			if d == nil {
				continue
			}
			if s := g.symbols[d.DeclName().Name]; s != nil && want(s) {
				names = append(names, prefix+d.DeclName().Name)
			}
		}
	}
	return names
}

// constNames are the names that a constant may have in the file.
func (f *file) constNames() []string {
	if f.constNamesKnown != nil {
		return f.constNamesKnown
	}
	names := []string{"true", "false"}
	for _, g := range append([]*file{f}, f.includes...) {
		prefix := ""
		if g != f {
			prefix = g.prog.Name + "."
		}
		for _, d := range g.tree.Decls {
			switch d := d.(type) {
			case *syntax.Const:
				names = append(names, prefix+d.Name.Name)
			case *syntax.Enum:
				for _, v := range d.Values {
					if v != nil {
						names = append(names, prefix+d.Name.Name+"."+v.Name.Name)
					}
				}
			}
		}
	}
	f.constNamesKnown = names
	return names
}

func (l *loader) didYouMean(word string, names []string) string {
	if near := l.nearestName(word, names); near != "" {
		return fmt.Sprintf("; did you mean %s?", near)
	}
	return ""
}

// longestName is the length of names that are compared: comparing takes
// time in proportion to the product of two lengths.
const longestName = 64

// nearestName is the name that somebody who wrote word may have meant, or "".
// A file with very many wrong names isn't worth the time to look for all of
// them.
func (l *loader) nearestName(word string, names []string) string {
	if len(word) > longestName || l.nearBudget < len(names) {
		return ""
	}
	l.nearBudget -= len(names)
	for _, name := range names {
		if strings.HasSuffix(name, "."+word) {
			return name // right but for the file or the enum
		}
	}
	for _, name := range names {
		if word != name && (strings.EqualFold(word, name) || len(word) > 2 && sameLetters(word, name)) {
			return name
		}
	}
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		// If half of a short word differs, too little of it is left.
		return len(name) > longestName || name == word || len(word) < 3 || len(name) < 3
	})
	if near := nearest.Names(word, names); len(near) > 0 {
		return near[0]
	}
	return ""
}

// sameLetters reports whether two words differ only in the order of their
// letters, a common slip.
func sameLetters(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	x, y := []byte(a), []byte(b)
	slices.Sort(x)
	slices.Sort(y)
	return bytes.Equal(x, y)
}

// clip shortens what is shown of long text.
func clip(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	cut := most
	for cut > 0 && s[cut]&0xC0 == 0x80 { // within a letter
		cut--
	}
	return s[:cut] + "…"
}
