package model

import "github.com/seamgo/seam/cmd/seam/internal/idl/syntax"

// checkRequiredCycles warns of structs that require themselves. Such
// structs are in one file, because files can't include each other in a
// circle.
func (f *file) checkRequiredCycles() {
	const onPath, clean = 1, 2
	state := map[*Struct]int{}
	type step struct {
		s     *Struct
		field *Field
	}
	var path []step
	var visit func(s *Struct)
	visit = func(s *Struct) {
		state[s] = onPath
		for _, field := range s.Fields {
			if field.Req != Required || field.Type == nil || field.Type.Kind != StructKind {
				continue
			}
			next := field.Type.Struct
			if next.Program != f.prog || state[next] == clean {
				continue
			}
			path = append(path, step{s, field})
			if state[next] == onPath {
				var names []string
				for _, one := range path {
					if len(names) > 0 || one.s == next {
						names = append(names, one.s.Name+"."+one.field.Name)
					}
				}
				f.warnf(field.Pos, "no value of %s can exist, since it requires itself: %s → %s; make one of these fields optional", clip(next.Name), chainText(names), clip(next.Name))
			} else {
				visit(next)
			}
			path = path[:len(path)-1]
		}
		state[s] = clean
	}
	for _, s := range f.prog.Structs {
		if state[s] == 0 {
			visit(s)
		}
	}
}

// checkDefaultCycles finds defaults that hold a struct whose own defaults hold
// them again, so that a new value would never be complete.
func (f *file) checkDefaultCycles() {
	d := defaultCycles{file: f, state: map[any]int{}}
	for _, s := range f.prog.Structs {
		for _, field := range s.Fields {
			d.field(s, field)
		}
	}
}

type defaultCycles struct {
	*file
	state map[any]int // of *Field and *Value: 1 on the path, 2 done
	path  []string
}

func (d *defaultCycles) field(s *Struct, field *Field) {
	// A default in another file can't come back to this one.
	if field.Default == nil || s.Program != d.prog || d.state[field] == 2 {
		return
	}
	name := s.Name + "." + field.Name
	if d.state[field] == 1 {
		circle := circleText(d.path, name, func(name string) string { return name })
		d.errorf(field.Pos, "the default of %s contains itself: %s; set the field in it, or make it optional without a default", clip(name), circle)
		return
	}
	d.state[field] = 1
	d.path = append(d.path, name)
	d.value(field.Default)
	d.path = d.path[:len(d.path)-1]
	d.state[field] = 2
}

func (d *defaultCycles) value(v *Value) {
	if v.Const != nil {
		v = v.Const.Value // the same, looked at once
	}
	if d.state[v] != 0 {
		return // values by themselves form no circles
	}
	d.state[v] = 2
	for _, e := range v.List {
		d.value(e)
	}
	for _, e := range v.Map {
		d.value(e.Key)
		d.value(e.Value)
	}
	if v.Type.Kind != StructKind {
		return
	}
	set := map[*Field]bool{}
	for _, e := range v.Fields {
		set[e.Field] = true
		d.value(e.Value)
	}
	if v.Type.Struct.Kind == syntax.Union {
		return // its one field is set
	}
	for _, field := range v.Type.Struct.Fields {
		if !set[field] {
			d.field(v.Type.Struct, field)
		}
	}
}
