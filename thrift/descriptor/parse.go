package descriptor

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// The text is JSON. A file is named by its place in the list, and the types of others by that
// number: 0.Item is Item of the first file.

type rawFile struct {
	Path       string      `json:"path"`
	Name       string      `json:"name"`
	Doc        string      `json:"doc,omitempty"`
	Namespaces Annotations `json:"namespaces,omitempty"`
	Includes   []int       `json:"includes,omitempty"`
	Typedefs   []rawNamed  `json:"typedefs,omitempty"`
	Enums      []rawNamed  `json:"enums,omitempty"`
	Structs    []rawNamed  `json:"structs,omitempty"`
	Consts     []rawNamed  `json:"consts,omitempty"`
	Services   []rawNamed  `json:"services,omitempty"`
}

// A rawNamed is any declaration, with what it needs of this.
type rawNamed struct {
	Name        string      `json:"name"`
	Doc         string      `json:"doc,omitempty"`
	Annotations Annotations `json:"annotations,omitempty"`
	ID          int16       `json:"id,omitempty"`
	Number      int32       `json:"number,omitempty"`
	Kind        string      `json:"kind,omitempty"` // of a struct, of a field
	Type        string      `json:"type,omitempty"` // of a field, a typedef, a const; of a service, what it extends
	Value       *rawValue   `json:"value,omitempty"`
	Oneway      bool        `json:"oneway,omitempty"`
	Members     []rawNamed  `json:"members,omitempty"` // fields, values of an enum, functions
	Result      []rawNamed  `json:"result,omitempty"`  // of a function
}

// A rawValue is a constant. Const is the name of one whose value it is.
type rawValue struct {
	Bool   bool            `json:"bool,omitempty"`
	Int    int64           `json:"int,omitempty"`
	Double string          `json:"double,omitempty"`
	Bytes  []byte          `json:"bytes,omitempty"`
	List   []*rawValue     `json:"list,omitempty"`
	Map    [][2]*rawValue  `json:"map,omitempty"`
	Fields []rawFieldValue `json:"fields,omitempty"`
	Const  string          `json:"const,omitempty"`
}

type rawFieldValue struct {
	ID    int16     `json:"id"`
	Value *rawValue `json:"value"`
}

type rawSet struct {
	Version int       `json:"seamDescriptors"`
	Files   []rawFile `json:"files"`
}

const version = 1

// A type may be so deep, and have so many parts with its typedefs written out, as seam gen has
// it: a chain of typedefs can double the size with every line.
const (
	maxTypes = 64
	maxParts = 1024
)

// Parse reads what seam gen descriptors has written. The result takes memory in proportion to
// the text.
func Parse(text []byte) (*Set, error) {
	var raw rawSet
	d := json.NewDecoder(bytes.NewReader(text))
	err := d.Decode(&raw)
	if err == nil {
		if _, more := d.Token(); more != io.EOF {
			err = fmt.Errorf("there is more behind it at byte %d", d.InputOffset())
		}
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("descriptors: this is no file of seam gen descriptors: %w", err)
	case raw.Version != version:
		return nil, fmt.Errorf("descriptors: version %d, want %d: make the file anew with seam gen descriptors", raw.Version, version)
	}
	l := &linker{raw: raw.Files, defs: make([]map[string]any, len(raw.Files)), values: map[*Const]*rawValue{}}
	set, err := l.link()
	if err != nil {
		return nil, fmt.Errorf("descriptors: %w", err)
	}
	return set, nil
}

// A Once parses a text when it is first asked for, for generated code: a variable that has to
// be initialised would bring the text into programs that never ask.
type Once struct {
	once sync.Once
	set  *Set
}

// Parse returns the descriptors of a text, which is the same in each call. A text that can't be
// read is a bug of what wrote it.
func (o *Once) Parse(text string) *Set {
	o.once.Do(func() {
		set, err := Parse([]byte(text))
		if err != nil {
			panic(err)
		}
		o.set = set
	})
	return o.set
}

// A linker makes pointers of names.
type linker struct {
	raw    []rawFile
	files  []*File
	defs   []map[string]any // by file and name: *Typedef, *Enum, *Struct, *Service, *Const
	types  map[*Typedef]string
	values map[*Const]*rawValue
	parts  int // of the type that is being read
	sizes  map[*Typedef]int
	open   map[any]bool // typedefs and constants that are being looked into
	at     string       // where, for errors
}

func (l *linker) fail(format string, args ...any) error {
	return fmt.Errorf("%s: %s", l.at, fmt.Sprintf(format, args...))
}

// isName reports whether a name can be one: it must not need quotes.
func isName(name string) bool {
	return name != "" && utf8.ValidString(name) && !strings.ContainsFunc(name, func(c rune) bool { return c <= ' ' || strings.ContainsRune("\"\\<>,:\x7f", c) })
}

// declare adds a name to a file.
func (l *linker) declare(k int, name string, what any) error {
	l.at = l.raw[k].Path + ": " + name
	if l.defs[k] == nil {
		l.defs[k] = map[string]any{}
	}
	if !isName(name) {
		return l.fail("%.40q is no name", name)
	}
	if _, twice := l.defs[k][name]; twice {
		return l.fail("it is there twice")
	}
	l.defs[k][name] = what
	return nil
}

func (l *linker) link() (*Set, error) {
	l.types, l.sizes, l.open = map[*Typedef]string{}, map[*Typedef]int{}, map[any]bool{}
	for k, r := range l.raw {
		f := &File{Path: r.Path, Name: r.Name, Doc: r.Doc, Namespaces: r.Namespaces}
		for _, i := range r.Includes {
			if i < 0 || i >= k {
				return nil, fmt.Errorf("%s: it includes file %d, which isn't before it", r.Path, i)
			}
			f.Includes = append(f.Includes, l.files[i])
		}
		l.files = append(l.files, f)
		var err error
		add := func(name string, what any) {
			if err == nil {
				err = l.declare(k, name, what)
			}
		}
		for _, x := range r.Typedefs {
			t := &Typedef{File: f, Name: x.Name, Doc: x.Doc, Annotations: x.Annotations}
			l.types[t] = x.Type
			f.Typedefs = append(f.Typedefs, t)
			add(x.Name, t)
		}
		for _, x := range r.Enums {
			e := &Enum{File: f, Name: x.Name, Doc: x.Doc, Annotations: x.Annotations, byName: map[string]*EnumValue{}, byNumber: map[int32]*EnumValue{}}
			for _, y := range x.Members {
				v := &EnumValue{Name: y.Name, Doc: y.Doc, Value: y.Number, Annotations: y.Annotations}
				if e.Values = append(e.Values, v); !isName(v.Name) && err == nil {
					l.at = r.Path + ": " + x.Name
					err = l.fail("%.40q is no name", v.Name)
				}
				if e.byName[v.Name] == nil {
					e.byName[v.Name] = v
				}
				if e.byNumber[v.Value] == nil {
					e.byNumber[v.Value] = v
				}
			}
			f.Enums = append(f.Enums, e)
			add(x.Name, e)
		}
		for _, x := range r.Structs {
			s := &Struct{File: f, Name: x.Name, Doc: x.Doc, Annotations: x.Annotations, Category: Category(x.Kind)}
			f.Structs = append(f.Structs, s)
			add(x.Name, s)
			if s.Category != Plain && s.Category != Union && s.Category != Exception && err == nil {
				err = l.fail("%q is neither struct, union nor exception", x.Kind)
			}
		}
		for _, x := range r.Consts {
			c := &Const{File: f, Name: x.Name, Doc: x.Doc, Annotations: x.Annotations}
			l.values[c] = x.Value
			f.Consts = append(f.Consts, c)
			add(x.Name, c)
		}
		for _, x := range r.Services {
			s := &Service{File: f, Name: x.Name, Doc: x.Doc, Annotations: x.Annotations}
			f.Services = append(f.Services, s)
			add(x.Name, s)
		}
		if err != nil {
			return nil, err
		}
	}
	for _, step := range []func(int, *File, *rawFile) error{l.linkTypes, l.linkValues} {
		for k, f := range l.files {
			if err := step(k, f, &l.raw[k]); err != nil {
				return nil, err
			}
		}
	}
	return &Set{Files: l.files}, nil
}

// linkTypes finds what names of types stand for.
func (l *linker) linkTypes(k int, f *File, r *rawFile) error {
	for _, t := range f.Typedefs {
		l.at = r.Path + ": " + t.Name
		if err := l.typedef(t); err != nil {
			return err
		}
	}
	for i, s := range f.Structs {
		l.at = r.Path + ": " + s.Name
		if err := l.fields(s, r.Structs[i].Members); err != nil {
			return err
		}
	}
	for i, c := range f.Consts {
		l.at = r.Path + ": " + c.Name
		var err error
		if c.Type, err = l.typeOf(r.Consts[i].Type); err != nil {
			return err
		}
	}
	for i, s := range f.Services {
		l.at = r.Path + ": " + s.Name
		if name := r.Services[i].Type; name != "" {
			base, ok := l.named(name).(*Service)
			if !ok {
				return l.fail("%q, which it extends, is no service", name)
			}
			// A service extends one that is before it.
			if at := slices.Index(l.files, base.File); at > k || at == k && slices.Index(f.Services, base) >= i {
				return l.fail("it extends %s, which isn't before it", base.Name)
			}
			s.Extends = base
		}
		for _, x := range r.Services[i].Members {
			l.at = r.Path + ": " + s.Name + "." + x.Name
			fn := &Function{Name: x.Name, Doc: x.Doc, Oneway: x.Oneway, Annotations: x.Annotations,
				Args: &Struct{File: f, Name: x.Name + "_args", Category: Plain}}
			if err := l.fields(fn.Args, x.Members); err != nil {
				return err
			}
			if !fn.Oneway {
				fn.Result = &Struct{File: f, Name: x.Name + "_result", Category: Plain}
				if err := l.fields(fn.Result, x.Result); err != nil {
					return err
				}
				if at := slices.IndexFunc(fn.Result.Fields, func(x *Field) bool { return x.ID == 0 }); at > 0 {
					return l.fail("what it returns isn't the first of its results")
				}
			}
			if s.Functions = append(s.Functions, fn); !isName(fn.Name) {
				return l.fail("it is no name")
			}
		}
	}
	return nil
}

func (l *linker) fields(s *Struct, list []rawNamed) error {
	s.byName, s.byID = map[string]*Field{}, map[int16]*Field{}
	for _, x := range list {
		t, err := l.typeOf(x.Type)
		if err != nil {
			return err
		}
		f := &Field{ID: x.ID, Name: x.Name, Doc: x.Doc, Type: t, Requiredness: Requiredness(x.Kind), Annotations: x.Annotations}
		switch {
		case !isName(f.Name):
			return l.fail("%.40q is no name", f.Name)
		case s.byName[f.Name] != nil || s.byID[f.ID] != nil:
			return l.fail("two fields are %s or have the id %d", strconv.Quote(f.Name), f.ID)
		case t.Kind == Void:
			return l.fail("field %s is void", f.Name)
		case f.Requiredness == "":
			f.Requiredness = Default
		case f.Requiredness != Required && f.Requiredness != Optional:
			return l.fail("field %s is %q", f.Name, x.Kind)
		}
		s.byName[f.Name], s.byID[f.ID] = f, f
		s.Fields = append(s.Fields, f)
	}
	return nil
}

// named is what stands under a name: 0.Item.
func (l *linker) named(name string) any {
	number, rest, _ := strings.Cut(name, ".")
	k, err := strconv.Atoi(number)
	if err != nil || k < 0 || k >= len(l.defs) {
		return nil
	}
	return l.defs[k][rest]
}

// typedef finds the type of a typedef.
func (l *linker) typedef(t *Typedef) error {
	if t.Type != nil {
		return nil
	}
	if l.open[t] || len(l.open) > 1000 {
		return l.fail("typedef %s leads to itself, or over a thousand others", t.Name)
	}
	l.open[t] = true
	defer delete(l.open, t)
	before := l.parts
	made, err := l.typeOf(l.types[t])
	t.Type, l.sizes[t] = made, l.parts
	l.parts = before
	return err
}

// typeOf reads a type.
func (l *linker) typeOf(text string) (*Type, error) {
	rest := text
	l.parts = 0
	t, err := l.partOf(&rest, 0)
	if err == nil && rest != "" {
		err = l.fail("%.40q is no type", text)
	}
	return t, err
}

func (l *linker) partOf(rest *string, depth int) (*Type, error) {
	text := *rest
	if depth > maxTypes {
		return nil, l.fail("a type is more than %d deep", maxTypes)
	}
	end := strings.IndexAny(text, "<>,")
	if end < 0 {
		end = len(text)
	}
	name := text[:end]
	*rest = text[end:]
	skip := func(c byte) error {
		if *rest == "" || (*rest)[0] != c {
			return l.fail("%.40q is no type", text)
		}
		*rest = (*rest)[1:]
		return nil
	}
	if l.parts++; l.parts > maxParts {
		return nil, l.tooLarge()
	}
	k := Kind(max(slices.Index(kinds[:], name), 0))
	switch k {
	case EnumKind, StructKind:
		return nil, l.fail("%q is no type", name)
	case List, SetKind, Map:
		t := &Type{Kind: k}
		err := skip('<')
		if err == nil && k == Map {
			if t.Key, err = l.partOf(rest, depth+1); err == nil {
				err = skip(',')
			}
		}
		if err == nil {
			t.Elem, err = l.partOf(rest, depth+1)
		}
		if err == nil {
			err = skip('>')
		}
		if err == nil && (t.Elem.Kind == Void || t.Key != nil && t.Key.Kind == Void) {
			err = l.fail("%.40q is no type", text)
		}
		return t, err
	case Void:
		if name == "void" && depth == 0 {
			return &Type{}, nil
		}
	default:
		return &Type{Kind: k}, nil
	}
	switch x := l.named(name).(type) {
	case *Enum:
		return &Type{Kind: EnumKind, Enum: x}, nil
	case *Struct:
		return &Type{Kind: StructKind, Struct: x}, nil
	case *Typedef:
		if err := l.typedef(x); err != nil {
			return nil, err
		}
		if l.parts += l.sizes[x]; l.parts > maxParts {
			return nil, l.tooLarge()
		}
		t := *x.Type
		t.Typedef = x
		return &t, nil
	}
	return nil, l.fail("%.40q is no type", name)
}

// linkValues makes constants and defaults, when all types are there.
func (l *linker) linkValues(_ int, f *File, r *rawFile) error {
	for _, c := range f.Consts {
		l.at = r.Path + ": " + c.Name
		if err := l.constant(c); err != nil {
			return err
		}
	}
	defaults := func(s *Struct, list []rawNamed) (err error) {
		for i, x := range s.Fields {
			if v := list[i].Value; v != nil && err == nil {
				x.Default, err = l.value(x.Type, v, 0)
			}
		}
		return err
	}
	for i, s := range f.Structs {
		l.at = r.Path + ": " + s.Name
		if err := defaults(s, r.Structs[i].Members); err != nil {
			return err
		}
	}
	for i, s := range f.Services {
		for j, fn := range s.Functions {
			l.at = r.Path + ": " + s.Name + "." + fn.Name
			if err := defaults(fn.Args, r.Services[i].Members[j].Members); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *linker) constant(c *Const) error {
	if c.Value != nil {
		return nil
	}
	if l.open[c] || len(l.open) > 1000 {
		return l.fail("const %s leads to itself, or over a thousand others", c.Name)
	}
	if l.values[c] == nil {
		return l.fail("const %s has no value", c.Name)
	}
	l.open[c] = true
	defer delete(l.open, c)
	v, err := l.value(c.Type, l.values[c], 0)
	c.Value = v
	return err
}

func (l *linker) tooLarge() error {
	return l.fail("a type has more than %d parts, with its typedefs written out", maxParts)
}

var errNoValue = errors.New("a value is missing")

// value makes a value of a type. Those of constants are shared.
func (l *linker) value(t *Type, r *rawValue, depth int) (*Value, error) {
	switch {
	case r == nil:
		return nil, fmt.Errorf("%s: %w", l.at, errNoValue)
	case depth > 1000:
		return nil, l.fail("a value is more than a thousand deep")
	case r.Const != "":
		c, ok := l.named(r.Const).(*Const)
		if !ok {
			return nil, l.fail("%.40q is no const", r.Const)
		}
		if c.Type.String() != t.String() && !same(c.Type, t) {
			return nil, l.fail("const %s has another type than %s", c.Name, t)
		}
		if err := l.constant(c); err != nil {
			return nil, err
		}
		v := *c.Value
		v.Const = c
		return &v, nil
	}
	v := new(Value)
	var err error
	switch t.Kind {
	case Bool:
		v.Bool = r.Bool
	case I8, I16, I32, I64, EnumKind:
		v.Int = r.Int
		if bits := map[Kind]int{I8: 8, I16: 16, I32: 32, EnumKind: 32}[t.Kind]; bits > 0 && v.Int>>(bits-1) != 0 && v.Int>>(bits-1) != -1 {
			err = l.fail("%d is no %v", v.Int, t)
		}
	case Double:
		if v.Double, err = strconv.ParseFloat(r.Double, 64); err != nil {
			err = l.fail("%.40q is no double", r.Double)
		}
	case String, Binary, UUID:
		v.String = string(r.Bytes)
	case List, SetKind:
		for _, x := range r.List {
			e, fault := l.value(t.Elem, x, depth+1)
			if fault != nil {
				return nil, fault
			}
			v.List = append(v.List, e)
		}
	case Map:
		for _, x := range r.Map {
			key, fault := l.value(t.Key, x[0], depth+1)
			if fault != nil {
				return nil, fault
			}
			e, fault := l.value(t.Elem, x[1], depth+1)
			if fault != nil {
				return nil, fault
			}
			v.Map = append(v.Map, Pair{key, e})
		}
	case StructKind:
		for _, x := range r.Fields {
			f := t.Struct.ByID(x.ID)
			if f == nil {
				return nil, l.fail("%s has no field %d", t, x.ID)
			}
			e, fault := l.value(f.Type, x.Value, depth+1)
			if fault != nil {
				return nil, fault
			}
			v.Fields = append(v.Fields, FieldValue{f, e})
		}
	}
	return v, err
}

// same reports whether types are the same once typedefs are seen through.
func same(t, u *Type) bool {
	if t == u || t == nil || u == nil {
		return t == u
	}
	return t.Kind == u.Kind && t.Enum == u.Enum && t.Struct == u.Struct && same(t.Key, u.Key) && same(t.Elem, u.Elem)
}
