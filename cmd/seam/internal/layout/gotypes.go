package layout

import (
	"go/types"
	"slices"
	"strings"
)

// Differences says where a struct of Go and one of C, as cgo declares it, have their members in
// other places, and how to fix it: for seam vet, which has seen both without compiling them.
// What cgo leaves out (bit-fields, members that Go can't align) has no name here. Whether numbers
// of one size have a sign doesn't matter; what follows from a difference is left out.
func Differences(sizes types.Sizes, g, c types.Type, pkg *types.Package) []Mismatch {
	k := typed{sizes, pkg, true, map[types.Type]*Type{}}.typeOf(c)
	cmp := &comparer{anyAlign: true, places: true}
	cmp.compare(typed{sizes, pkg, false, map[types.Type]*Type{}}.typeOf(g), k)
	return slices.DeleteFunc(cmp.found, func(m Mismatch) bool { return m.Fix == follows })
}

// typed makes types of those of go/types.
type typed struct {
	sizes types.Sizes
	pkg   *types.Package
	c     bool // they are C's
	done  map[types.Type]*Type
}

var kindsOf = map[types.BasicInfo]Kind{types.IsBoolean: Bool, types.IsInteger: Int, types.IsInteger | types.IsUnsigned: Uint, types.IsFloat: Float, types.IsComplex: Complex, types.IsString: String}

func (r typed) typeOf(of types.Type) *Type {
	if t := r.done[of]; t != nil {
		return t
	}
	t := &Type{Kind: Other, Name: r.name(of), Size: r.sizes.Sizeof(of), Align: r.sizes.Alignof(of)}
	r.done[of] = t
	switch u := types.Unalias(of).Underlying().(type) {
	case *types.Basic:
		t.uintptr = u.Kind() == types.Uintptr
		if kind, ok := kindsOf[u.Info()]; ok {
			t.Kind = kind
		} else if u.Kind() == types.UnsafePointer {
			t.Kind = Pointer
		}
	case *types.Pointer:
		t.Kind = Pointer
	case *types.Slice:
		t.Kind = Slice
	case *types.Map:
		t.Kind = Map
	case *types.Chan:
		t.Kind = Chan
	case *types.Signature:
		t.Kind = Func
	case *types.Interface:
		t.Kind = Interface
	case *types.Array:
		t.Kind, t.Elem, t.Count = Array, r.typeOf(u.Elem()), u.Len()
	case *types.Struct:
		t.Kind, t.anonymous = Struct, t.Name == ""
		var fields []*types.Var
		for i := range u.NumFields() {
			fields = append(fields, u.Field(i))
		}
		for i, at := range r.sizes.Offsetsof(fields) {
			f := Field{Name: fields[i].Name(), Offset: at, Type: r.typeOf(fields[i].Type()), Embedded: fields[i].Embedded()}
			if f.Align = f.Type.Align; r.c && f.Name == "_" {
				f.Name = "padding" // or what Go can't have
			}
			t.Fields = append(t.Fields, f)
		}
	}
	return t
}

// name is a type as its language spells it, "" for a struct without a name.
func (r typed) name(t types.Type) string {
	if _, ok := types.Unalias(t).(*types.Struct); ok {
		return ""
	}
	name := types.TypeString(t, func(p *types.Package) string {
		if p == r.pkg {
			return ""
		}
		return p.Name()
	})
	if !r.c {
		return strings.ReplaceAll(name, "_Ctype_", "C.")
	}
	for _, tag := range []string{"struct", "union", "enum"} {
		name = strings.ReplaceAll(name, "_Ctype_"+tag+"_", tag+" ")
	}
	return strings.ReplaceAll(name, "_Ctype_", "")
}
