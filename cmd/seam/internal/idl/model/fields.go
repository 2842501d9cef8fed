package model

import (
	"fmt"
	"math"

	"github.com/seamgo/seam/cmd/seam/internal/idl/syntax"
)

// A fieldRole is what a list of fields is for.
type fieldRole uint8

const (
	memberRole fieldRole = iota // of a struct or an exception
	unionRole
	argRole
	throwsRole
)

func (f *file) structFields(s structAST) []pending {
	role := memberRole
	if s.def.Kind == syntax.Union {
		role = unionRole
	}
	var defaults []pending
	s.def.Fields, defaults = f.fieldList(s.ast.Fields, role, s.def.Name)
	s.def.Reserved = f.reserved(s.def.Annotations, s.def.Pos, s.def.Name)
	f.fieldsNotReserved(s.def.Reserved, s.def.Fields, s.def.Name)
	f.structRules(s)
	if role == unionRole && len(defaults) > 1 {
		for _, p := range defaults[1:] {
			f.errorf(p.ast.Pos, "%s.%s is the second field of the union with a default, after %s: only one field of a union is set, so delete one default", clip(s.def.Name), clip(p.field.Name), clip(defaults[0].field.Name))
		}
	}
	return defaults
}

// fieldList checks fields and gives them their ids. Those with a mistake
// in their id or name are left out.
func (f *file) fieldList(list []*syntax.Field, role fieldRole, owner string) ([]*Field, []pending) {
	if len(list) == 0 {
		return nil, nil
	}
	fields := make([]*Field, 0, len(list))
	var defaults []pending
	ids := numbering{file: f, next: -1, taken: make(map[int64]*Field, len(list))}
	for _, ast := range list {
		if ast != nil && ast.HasID && ast.ID <= math.MaxInt16 {
			ids.most = max(ids.most, ast.ID)
		}
	}
	names := make(map[string]*Field, len(list))
	for _, ast := range list {
		if ast == nil {
			continue
		}
		field := &Field{
			Name: ast.Name.Name, Req: f.requiredness(ast, role, owner), Reference: ast.Reference,
			Doc: ast.Comments.Text(), Annotations: annotations(ast.Annotations), Pos: ast.Pos,
		}
		field.Type = f.fieldType(ast, field.Annotations, owner)
		field.GoTags = f.goTags(field)
		ok := ids.number(ast, field, owner)
		if old := names[field.Name]; old != nil {
			f.errorf(ast.Name.Pos, "%s.%s is defined twice: line %d already has a field of that name; rename one of them", clip(owner), clip(field.Name), old.Pos.Line)
			ok = false
		}
		if !ok {
			continue
		}
		names[field.Name] = field
		fields = append(fields, field)
		if ast.Default != nil {
			defaults = append(defaults, pending{ast.Default, field})
			f.hasDefault[field] = true
		}
	}
	return fields, defaults
}

// requiredness is what the word before a field means where it is.
func (f *file) requiredness(ast *syntax.Field, role fieldRole, owner string) Req {
	what := func() string { return clip(owner) + "." + clip(ast.Name.Name) }
	switch role {
	case unionRole:
		if ast.Req == syntax.Required {
			f.warnf(ast.Pos, "%s: fields of a union are optional, so required is ignored; delete the word", what())
		}
		return Optional
	case argRole:
		if ast.Req == syntax.Optional {
			return DefaultReq // package syntax has a warning for it
		}
	case throwsRole:
		if ast.Req == syntax.Required {
			f.warnf(ast.Pos, "%s: required is ignored in throws; delete the word", what())
		}
		return DefaultReq
	}
	switch ast.Req {
	case syntax.Required:
		return Required
	case syntax.Optional:
		return Optional
	}
	return DefaultReq
}

// A numbering gives the fields of a list their ids, as Apache's compiler does.
type numbering struct {
	*file
	next  int64 // for the next field without an id
	taken map[int64]*Field
	most  int64 // the largest id in the list
}

func (n *numbering) number(ast *syntax.Field, field *Field, owner string) bool {
	id := ast.ID
	if ast.HasID && id > 0 && id <= math.MaxInt16 && n.taken[id] == nil { // as it should be
		n.taken[id] = field
		field.ID = int16(id)
		return true
	}
	what := clip(owner) + "." + clip(field.Name)
	switch {
	case !ast.HasID:
		id, n.next = n.next, n.next-1
		n.warnf(ast.Pos, "%s has no id and gets %d, which changes when a field before it is added or removed: write an unused id, as in 1:", what, id)
	case id > 0 || id < math.MinInt16:
	case n.opt.KeepNegativeIDs:
		if id != n.next {
			n.warnf(ast.Pos, "%s has the id %d, but without an id it would get %d: other compilers may use that; use an id above 0", what, id, n.next)
		}
		n.next = id - 1
	default:
		given := id
		id, n.next = n.next, n.next-1
		n.warnf(ast.Pos, "%s has the id %d, which is not above 0: it gets %d, as with Apache's compiler without --allow-neg-keys; use an id above 0", what, given, id)
	}
	if id < math.MinInt16 || id > math.MaxInt16 {
		n.errorf(ast.Pos, "%s has the id %d: ids are from 1 to %d", what, id, math.MaxInt16)
		return false
	}
	field.ID = int16(id)
	if old := n.taken[id]; old != nil {
		hint := ""
		if n.most < math.MaxInt16 {
			hint = fmt.Sprintf("; %d is unused here", n.most+1)
		}
		n.errorf(ast.Pos, "%s has the id %d, like %s on line %d%s", what, id, clip(old.Name), old.Pos.Line, hint)
		return false
	}
	n.taken[id] = field
	return true
}
