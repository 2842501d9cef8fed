package gen

import "github.com/seamgo/seam/cmd/seam/internal/idl/model"

// mostFootprint is what a default is said to take at most: defaults within defaults multiply.
const mostFootprint = 1 << 30

// defaultsFootprint is how many bytes the defaults of a new struct's fields take beside it: a
// message pays for them with each struct that it has.
func (f *file) defaultsFootprint(s *model.Struct) int {
	if n, ok := f.g.footprints[s]; ok {
		return n
	}
	n := f.fieldsFootprint(s, nil)
	f.g.footprints[s] = n
	return n
}

// fieldsFootprint is defaultsFootprint of a struct of which some fields are given.
func (f *file) fieldsFootprint(s *model.Struct, given map[*model.Field]*model.Value) int {
	n := 0
	for _, x := range s.Fields {
		v := given[x]
		if v == nil && initialised(x) {
			v = x.Default
		}
		if v == nil {
			continue
		}
		n += f.footprint(x.Type, v)
		if pointerField(x) {
			n += f.goSize(x.Type)
		}
		n = min(n, mostFootprint)
	}
	return n
}

// footprint is how many bytes a value takes beside goSize, as the Decoder counts.
func (f *file) footprint(t *model.Type, v *model.Value) int {
	n := 0
	switch t.Kind {
	case model.Binary:
		n = len(v.String)
	case model.List, model.Set:
		n = f.goSize(t.Elem) * len(v.List)
		for _, x := range v.List {
			n += f.footprint(t.Elem, x)
			n = min(n, mostFootprint)
		}
	case model.Map:
		pair, count := f.goSize(t.Key)+f.goSize(t.Elem), len(v.Map)
		switch {
		case !comparableKey(t.Key):
			n = pair * count
		case count > 8:
			n = 48 + count*(2*pair+pair/3+2)
		default:
			n = 48 + 8*pair + 8
		}
		for _, x := range v.Map {
			if t.Key.Kind != model.Binary { // a string then
				n += f.footprint(t.Key, x.Key)
			}
			n += f.footprint(t.Elem, x.Value)
			n = min(n, mostFootprint)
		}
	case model.StructKind:
		if len(v.Fields) == 0 {
			n = f.defaultsFootprint(t.Struct)
		} else {
			given := map[*model.Field]*model.Value{}
			for _, x := range v.Fields {
				given[x.Field] = x.Value
			}
			n = f.fieldsFootprint(t.Struct, given)
		}
		if !t.InPlace { // else it is part of goSize
			n += f.structSize(t.Struct)
		}
	}
	return min(n, mostFootprint)
}

// structSize is the size of a struct on a 64-bit machine, its fields padded to words.
func (f *file) structSize(s *model.Struct) int {
	n := 0
	for _, x := range s.Fields {
		size := f.goSize(x.Type)
		if pointerField(x) {
			size = 8
		}
		n += (size + 7) &^ 7
	}
	if f.opt.Unknown {
		n += 24
	}
	if f.masked(s) {
		n += 8
	}
	return n
}
