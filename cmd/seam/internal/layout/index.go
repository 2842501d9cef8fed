package layout

import (
	"debug/dwarf"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/nearest"
)

// An index finds the types and variables of a compilation by name.
type index struct {
	types      map[string]dwarf.Offset // "struct point", "point_t", "ns::point"
	incomplete map[string]bool
	variables  map[string]dwarf.Offset // the types of variables
}

// keep says which variables to index.
func readIndex(data *dwarf.Data, keep func(name string) bool) (*index, error) {
	x := &index{types: map[string]dwarf.Offset{}, incomplete: map[string]bool{}, variables: map[string]dwarf.Offset{}}
	d := data.Reader()
	var scope []string // names of namespaces and classes around
	for {
		e, err := d.Next()
		if err != nil {
			return nil, fmt.Errorf("DWARF: %w", err)
		}
		if e == nil {
			return x, nil
		}
		switch name := nameOf(e); e.Tag {
		case 0:
			if len(scope) > 0 {
				scope = scope[:len(scope)-1]
			}
			continue
		case dwarf.TagCompileUnit:
			scope = nil
			if e.Children {
				scope = append(scope, "")
			}
			continue
		case dwarf.TagNamespace:
			if e.Children {
				scope = append(scope, name)
			}
			continue
		case dwarf.TagTypedef:
			x.add(scope, "", name, e)
		case dwarf.TagStructType, dwarf.TagClassType, dwarf.TagUnionType, dwarf.TagEnumerationType:
			x.add(scope, tagWords[e.Tag], name, e)
			if e.Tag != dwarf.TagEnumerationType && e.Children {
				scope = append(scope, name)
				continue
			}
		case dwarf.TagVariable:
			if to, ok := e.Val(dwarf.AttrType).(dwarf.Offset); ok && keep(name) {
				x.variables[name] = to
			}
		}
		if e.Children {
			d.SkipChildren()
		}
	}
}

func (x *index) add(scope []string, word, name string, e *dwarf.Entry) {
	if name == "" {
		return
	}
	full := ""
	for _, s := range scope {
		if s != "" {
			full += s + "::"
		}
	}
	name = full + name
	if word != "" {
		name = word + " " + name
	}
	if declared, _ := e.Val(dwarf.AttrDeclaration).(bool); declared {
		x.incomplete[name] = true
		return
	}
	if _, ok := x.types[name]; !ok {
		x.types[name] = e.Offset
	}
}

// find gives the place of a type, and the name by which the compiler knows it.
func (x *index) find(name string, cxx bool) (dwarf.Offset, string, error) {
	if at, ok := x.types[name]; ok {
		return at, name, nil
	}
	word, bare, tagged := strings.Cut(name, " ")
	if cxx {
		// In C++ the keyword may be left out, and struct is as good as class.
		if !tagged {
			word, bare = "struct", name
		}
		for _, w := range []string{word, "struct", "class", "union", "enum"} {
			if at, ok := x.types[w+" "+bare]; ok && (w == word || !tagged || word != "union" && word != "enum" && w != "union" && w != "enum") {
				return at, w + " " + bare, nil
			}
		}
	}
	if x.incomplete[name] || cxx && (x.incomplete["struct "+bare] || x.incomplete["class "+bare]) {
		return 0, "", fmt.Errorf("%s is declared but not defined: include the header that defines it", name)
	}
	// struct point where point_t or a typedef of that name was meant, and the other
	// way round.
	var meant []string
	for _, other := range []string{bare, "struct " + name, "union " + name, "enum " + name} {
		if _, ok := x.types[other]; ok && other != "" {
			meant = append(meant, other)
		}
	}
	if len(meant) == 0 {
		var names []string
		for _, n := range slices.Sorted(maps.Keys(x.types)) {
			if !strings.HasPrefix(n, "__") {
				names = append(names, n)
			}
		}
		meant = nearest.Names(name, names)
	}
	return 0, "", &unknown{what: "C has no type " + name, meant: meant}
}

// defined is an error if a name stands for a struct that is only declared, as
// libraries do with what they keep to themselves: its layout is not to be had.
func (r *reader) defined(at dwarf.Offset, name string) error {
	for range maxDepth {
		e, _, err := r.entry(at)
		if err != nil {
			return err
		}
		to, more := e.Val(dwarf.AttrType).(dwarf.Offset)
		switch declared, _ := e.Val(dwarf.AttrDeclaration).(bool); {
		case declared && name == tagged(e).Name:
			return fmt.Errorf("%s is declared but not defined: include the header that defines it", name)
		case declared:
			return fmt.Errorf("%s is %s, which is declared but not defined: include the header that defines it; if the library keeps that to itself, Go can only have a pointer to it", name, tagged(e).Name)
		case e.Tag == dwarf.TagTypedef && !more:
			return fmt.Errorf("%s is void, which has no layout", name)
		case !more || e.Tag != dwarf.TagTypedef && e.Tag != dwarf.TagConstType && e.Tag != dwarf.TagVolatileType:
			return nil
		}
		at = to
	}
	return nil
}

// unknown is the error for a name that isn't known.
type unknown struct {
	what  string
	meant []string
	hint  string
}

func (u *unknown) Error() string {
	switch {
	case len(u.meant) > 0:
		return u.what + " (did you mean " + clean(strings.Join(u.meant, ", ")) + "?)"
	case u.hint != "":
		return u.what + ": " + u.hint
	}
	return u.what
}
