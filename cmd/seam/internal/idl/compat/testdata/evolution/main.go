// Command evolution exchanges random values between versions of Thrift files, and says where
// what arrives isn't what was sent. TestEvolution compiles it with the code of the versions.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/seamgo/seam/thrift"
)

// A version is the code of one.
type version struct {
	types     map[string]func() thrift.Message
	client    func(thrift.Caller) any
	processor func(do func(function string, args []any) (any, error)) thrift.Processor
}

// A pair is what TestEvolution asks for.
type pair struct {
	Old, New  string
	Structs   []string
	Functions []function
	NoJSON    bool
	Names     bool // encoding/json too, which goes by the names of fields
	Validate  bool
	Values    int
	Seed      uint64
}

type function struct {
	Name             string // as Go has it
	OldArgs, NewArgs []int  // ids, in order
	Oneway           bool
	OnlyOld          bool // the new version doesn't have it
}

// constructors are those of all types of all versions.
var constructors = map[reflect.Type]func() thrift.Message{}

func main() {
	debug.SetGCPercent(400)
	for _, v := range versions {
		for _, make := range v.types {
			constructors[reflect.TypeOf(make()).Elem()] = make
		}
	}
	// Another process exchanges the other pairs.
	share, err := strconv.Atoi(os.Args[1])
	shares, err2 := strconv.Atoi(os.Args[2])
	var pairs []pair
	if err := cmp.Or(err, err2); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if err := json.NewDecoder(os.Stdin).Decode(&pairs); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	out := json.NewEncoder(os.Stdout)
	for i := range pairs {
		if i%shares != share {
			continue
		}
		p := &pairs[i]
		for _, name := range p.Structs {
			report(out, i, name, exchangeStructs(p, name))
		}
		for k := range p.Functions {
			report(out, i, p.Functions[k].Name, exchangeCalls(p, &p.Functions[k]))
		}
	}
}

// report tells how many values were exchanged, and the first that didn't arrive.
func report(out *json.Encoder, pair int, root string, r outcome) {
	out.Encode(struct {
		Pair      int
		Root      string
		Exchanged int
		Wrong     string
	}{pair, root, r.exchanged, r.wrong})
}

type outcome struct {
	exchanged int
	wrong     string
}

func exchangeStructs(p *pair, name string) (o outcome) {
	for way := range 2 {
		from, to := p.Old, p.New
		if way == 1 {
			from, to = to, from
		}
		toNew = way == 0
		f := filler{rand.New(rand.NewPCG(p.Seed, uint64(way))), 0}
		for range p.Values {
			f.budget = 60
			sent := versions[from].types[name]()
			if !unlessTooDeep(func() { f.message(reflect.ValueOf(sent).Elem()) }) {
				continue
			}
			for _, protocol := range []string{"binary", "compact", "json", "names"} {
				if protocol == "json" && p.NoJSON || protocol == "names" && !p.Names {
					continue
				}
				own := versions[from].types[name]()
				if move(protocol, sent, own) != "" {
					continue // it has no value of its own, as where a default lacks a required field
				}
				arrived := versions[to].types[name]()
				if wrong := move(protocol, sent, arrived); wrong != "" {
					o.wrong = fmt.Sprintf("%s, %s to %s: %s\nsent %v\ngot  %v", protocol, from, to, wrong, sent, arrived)
					return o
				}
				o.exchanged++
				if p.Validate && way == 0 {
					// encoding/json leaves an empty list out, which breaks vt.not_nil in one's own version too.
					if b := validate(arrived); b != nil && validate(sent) == nil && validate(own) == nil {
						o.wrong = fmt.Sprintf("%s accepts %v and %s refuses what arrives: %v", from, sent, to, b)
						return o
					}
				}
			}
		}
	}
	return o
}

func validate(m thrift.Message) error { return m.(interface{ Validate() error }).Validate() }

// move writes a value and reads it as another type.
func move(protocol string, sent, arrived thrift.Message) string {
	var b []byte
	var err error
	switch protocol {
	case "binary":
		b, err = sent.AppendBinary(nil)
	case "compact":
		b, err = sent.(interface {
			AppendCompact([]byte) ([]byte, error)
		}).AppendCompact(nil)
	case "names":
		b, err = json.Marshal(sent)
	default:
		b, err = thrift.AppendJSON(nil, sent)
	}
	if err != nil {
		return "it can't be written: " + err.Error()
	}
	switch protocol {
	case "binary":
		err = arrived.DecodeBinary(b)
	case "compact":
		err = arrived.(interface{ DecodeCompact([]byte) error }).DecodeCompact(b)
	case "names":
		err = json.Unmarshal(b, arrived)
	default:
		err = thrift.DecodeJSON(b, arrived, thrift.Options{})
	}
	if err != nil {
		return "it can't be read: " + err.Error()
	}
	return differ(reflect.ValueOf(sent), reflect.ValueOf(arrived))
}

// errUndeclared is the answer of a handler that has no other.
var errUndeclared = errors.New("undeclared")

func exchangeCalls(p *pair, fn *function) (o outcome) {
	for way := range 2 {
		if way == 1 && fn.OnlyOld {
			break
		}
		from, to, fromArgs, toArgs := p.Old, p.New, fn.OldArgs, fn.NewArgs
		if way == 1 {
			from, to, fromArgs, toArgs = to, from, toArgs, fromArgs
		}
		toNew = way == 0
		f := filler{rand.New(rand.NewPCG(p.Seed, uint64(way))), 0}
		for range p.Values {
			for _, protocol := range []thrift.Protocol{thrift.Binary, thrift.Compact, thrift.JSON} {
				if protocol == thrift.JSON && p.NoJSON {
					continue
				}
				if !unlessTooDeep(func() { o.wrong = call(&f, from, to, fn, fromArgs, toArgs, protocol) }) {
					continue
				}
				if o.wrong != "" {
					o.wrong = fmt.Sprintf("%v, a call of %s by %s to %s: %s", protocol, fn.Name, from, to, o.wrong)
					return o
				}
				o.exchanged++
			}
		}
	}
	return o
}

// sound reports whether a version reads the structs of a value as it has written them itself, which
// it doesn't where a default lacks a required field.
func sound(version string, value any) bool {
	v := reflect.ValueOf(value)
	if m, ok := value.(thrift.Message); ok && !v.IsNil() {
		return move("binary", m, versions[version].types[v.Type().Elem().Name()]()) == ""
	}
	switch v.Kind() {
	case reflect.Slice:
		for i := range v.Len() {
			if !sound(version, v.Index(i).Interface()) {
				return false
			}
		}
	case reflect.Map:
		for i := v.MapRange(); i.Next(); {
			if !sound(version, i.Key().Interface()) || !sound(version, i.Value().Interface()) {
				return false
			}
		}
	case reflect.Struct: // a thrift.Pair
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() && !sound(version, v.Field(i).Interface()) {
				return false
			}
		}
	}
	return true
}

// call makes one call, and says what didn't arrive of it or of its answer.
func call(f *filler, from, to string, fn *function, fromArgs, toArgs []int, protocol thrift.Protocol) (wrong string) {
	var arrived []any
	var returned any
	var thrown error
	handled := false
	s := &thrift.Server{Logger: slog.New(slog.NewTextHandler(io.Discard, nil)), Processor: versions[to].processor(func(name string, args []any) (any, error) {
		if name != fn.Name {
			wrong = "it arrives at " + name
		}
		arrived, handled = args, true
		f.budget = 40
		if !unlessTooDeep(func() { returned, thrown = f.answer(to, name) }) || !sound(to, returned) || !sound(to, thrown) {
			returned, thrown = nil, errUndeclared
		}
		return returned, thrown
	})}
	client := reflect.ValueOf(versions[from].client(thrift.NewClient(thrift.Local(s), thrift.ClientOptions{Protocol: protocol})))
	m := client.MethodByName(fn.Name)
	in := []reflect.Value{reflect.ValueOf(context.Background())}
	for k := 1; k < m.Type().NumIn(); k++ {
		f.budget = 30
		v := reflect.New(m.Type().In(k)).Elem()
		f.field(v, "default")
		if !sound(from, v.Interface()) {
			return ""
		}
		in = append(in, v)
	}
	out := m.Call(in)
	err, _ := out[len(out)-1].Interface().(error)
	switch {
	case wrong != "":
		return wrong
	case !handled:
		return fmt.Sprintf("it doesn't arrive: %v", err)
	}
	asked := toNew
	defer func() { toNew = asked }()
	for k, id := range fromArgs {
		for l, other := range toArgs {
			if id == other {
				if wrong := differ(in[k+1], reflect.ValueOf(arrived[l])); wrong != "" {
					return fmt.Sprintf("argument %d: %s", id, wrong)
				}
			}
		}
	}
	if fn.Oneway {
		return ""
	}
	toNew = !asked // the answer goes back
	if thrown == errUndeclared {
		return ""
	}
	if thrown != nil {
		name := reflect.TypeOf(thrown).Elem().Name()
		if !declares(from, name, fn) {
			if err == nil {
				return fmt.Sprintf("it throws %s and the caller, who doesn't know that, sees success", name)
			}
			return ""
		}
		if err == nil || reflect.TypeOf(err).Elem().Name() != name {
			return fmt.Sprintf("it throws %s and the caller sees %T: %[2]v", name, err)
		}
		return differ(reflect.ValueOf(thrown), reflect.ValueOf(err))
	}
	if err != nil {
		return fmt.Sprintf("the answer doesn't arrive: %v", err)
	}
	if len(out) == 2 {
		return differ(reflect.ValueOf(returned), out[0])
	}
	return ""
}

func declares(version, exception string, fn *function) bool {
	for _, x := range throws[version+"."+fn.Name] {
		if x == exception {
			return true
		}
	}
	return false
}

// answer makes a result of a function, or one of its exceptions.
func (f *filler) answer(version, fn string) (any, error) {
	if list := throws[version+"."+fn]; len(list) > 0 && f.IntN(3) == 0 {
		m := versions[version].types[list[f.IntN(len(list))]]()
		f.message(reflect.ValueOf(m).Elem())
		return nil, m.(error)
	}
	t := results[version+"."+fn]
	if t == nil {
		return nil, nil
	}
	v := reflect.New(t).Elem()
	f.value(v)
	return v.Interface(), nil
}

// tagged is what a field's tag says.
func tagged(t reflect.StructField) (id int, requiredness string) {
	parts := strings.Split(t.Tag.Get("thrift"), ",")
	if len(parts) < 4 {
		return 0, ""
	}
	id, _ = strconv.Atoi(parts[1])
	return id, parts[2]
}

// A filler makes random values of few different ones, so that they often are defaults.
type filler struct {
	*rand.Rand
	budget int
}

// tooDeep is the panic of a filler that finds no end of a value, as of a union that holds only
// itself, or nothing. Such a value can't be exchanged.
const tooDeep = "too deep"

// unlessTooDeep runs f, and reports whether it came to an end.
func unlessTooDeep(f func()) (ok bool) {
	defer func() {
		if r := recover(); r != nil && r != tooDeep {
			panic(r)
		}
	}()
	f()
	return true
}

type structField struct {
	index        int
	requiredness string
}

var structFields = map[reflect.Type][]structField{}

// fieldsOf are the fields of a struct that are sent.
func fieldsOf(t reflect.Type) (fields []structField, union bool) {
	fields, ok := structFields[t]
	if !ok {
		for i := range t.NumField() {
			if id, requiredness := tagged(t.Field(i)); id != 0 {
				fields = append(fields, structField{i, requiredness})
			}
		}
		structFields[t] = fields
	}
	return fields, reflect.PointerTo(t).Implements(reflect.TypeFor[interface{ Which() (int16, bool) }]())
}

func (f *filler) message(v reflect.Value) {
	if f.budget < -300 {
		panic(tooDeep)
	}
	t := v.Type()
	fields, union := fieldsOf(t)
	if union {
		if len(fields) == 0 {
			panic(tooDeep) // it has no value
		}
		v.SetZero()
		f.value(v.Field(fields[f.IntN(len(fields))].index))
		return
	}
	fresh := reflect.ValueOf(constructors[t]()).Elem()
	for _, x := range fields {
		i, requiredness := x.index, x.requiredness
		if f.IntN(4) > 0 { // else as its constructor has it
			f.field(v.Field(i), requiredness)
		}
		if k := v.Field(i).Kind(); (k == reflect.Pointer || k == reflect.Slice || k == reflect.Map) && v.Field(i).IsNil() && !fresh.Field(i).IsNil() {
			f.value(v.Field(i)) // nil would be read as its default, in the same version too
		}
		if requiredness == "required" && v.Field(i).Kind() == reflect.Pointer && v.Field(i).IsNil() {
			f.value(v.Field(i))
		}
	}
}

func (f *filler) field(v reflect.Value, requiredness string) {
	f.budget--
	absent := v.Kind() == reflect.Pointer || requiredness == "optional" && (v.Kind() == reflect.Slice || v.Kind() == reflect.Map)
	if absent && requiredness != "required" && (f.budget < 0 || f.IntN(3) == 0) {
		v.SetZero()
		return
	}
	f.value(v)
}

func (f *filler) value(v reflect.Value) {
	f.budget--
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(f.IntN(2) == 0)
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(f.IntN(6) - 1))
		if f.IntN(8) == 0 {
			v.SetInt(-1 << (v.Type().Bits() - 1))
		}
	case reflect.Float64:
		v.SetFloat(float64(f.IntN(8)) / 2)
		if f.IntN(16) == 0 {
			v.SetFloat([]float64{math.Inf(1), math.Inf(-1), -1e300, 5e-324}[f.IntN(4)])
		}
	case reflect.String:
		v.SetString([]string{"", "a", "b", "aaaa", "hello!!", "é\u2028\x00"}[f.IntN(6)])
	case reflect.Array:
		v.Index(f.IntN(v.Len())).SetUint(uint64(f.IntN(256)))
	case reflect.Pointer:
		if make := constructors[v.Type().Elem()]; make != nil {
			v.Set(reflect.ValueOf(make()))
		} else {
			v.Set(reflect.New(v.Type().Elem()))
		}
		f.value(v.Elem())
	case reflect.Struct:
		if strings.HasPrefix(v.Type().Name(), "Pair[") {
			f.value(v.Field(0))
			f.value(v.Field(1))
			return
		}
		f.message(v)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([][]byte{{}, []byte("a"), []byte("abcdefgh"), {0xff, 0, 0xfe}}[f.IntN(4)])
			return
		}
		n := f.IntN(3)
		if f.budget < 0 {
			n = 0
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			f.value(v.Index(i))
		}
	case reflect.Map:
		n := f.IntN(3)
		if f.budget < 0 {
			n = 0
		}
		v.Set(reflect.MakeMap(v.Type()))
		for range n {
			key, elem := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			f.value(key)
			f.value(elem)
			v.SetMapIndex(key, elem)
		}
	default:
		panic("no value for " + v.Type().String())
	}
}

// toNew says that what is compared came from the old version. The new one must know all of it; an
// old one need not know the fields of unions and the values of enums that are new.
var toNew bool

// differ says how two values differ for programs: of structs, by their getters, the fields that
// both have; of unions, the one that is set, if the other version knows it; of enums, the number
// and what it is called.
func differ(a, b reflect.Value) string {
	if a.Kind() == reflect.Interface {
		a = a.Elem()
	}
	if b.Kind() == reflect.Interface {
		b = b.Elem()
	}
	if !a.IsValid() || !b.IsValid() {
		return fmt.Sprintf("%v is %v", a, b)
	}
	switch {
	case kindOf(a.Type()) != kindOf(b.Type()):
		return fmt.Sprintf("%v of %s is %v of %s", a, a.Type(), b, b.Type())
	case a.Kind() == reflect.Pointer && a.Type().Elem().Kind() == reflect.Struct:
		if a.IsNil() != b.IsNil() {
			return fmt.Sprintf("%v is %v", a, b)
		}
		if a.IsNil() {
			return ""
		}
		return differStructs(a, b)
	case a.Kind() == reflect.Struct && a.CanAddr() && b.CanAddr():
		return differStructs(a.Addr(), b.Addr())
	case a.Kind() == reflect.String || a.Kind() == reflect.Slice && a.Type().Elem().Kind() == reflect.Uint8:
		if text(a) != text(b) {
			return fmt.Sprintf("%q is %q", text(a), text(b))
		}
		return ""
	}
	switch a.Kind() {
	case reflect.Bool:
		if a.Bool() == b.Bool() {
			return ""
		}
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		if a.Int() == b.Int() {
			return otherName(a, b)
		}
	case reflect.Float64:
		if a.Float() == b.Float() || a.Float() != a.Float() && b.Float() != b.Float() {
			return ""
		}
	case reflect.Array:
		if a.Interface() == b.Interface() {
			return ""
		}
	case reflect.Slice:
		if a.Len() != b.Len() {
			return fmt.Sprintf("%d elements are %d", a.Len(), b.Len())
		}
		for i := range a.Len() {
			x, y := a.Index(i), b.Index(i)
			if strings.HasPrefix(x.Type().Name(), "Pair[") {
				for k := range 2 {
					if wrong := differ(x.Field(k), y.Field(k)); wrong != "" {
						return fmt.Sprintf("[%d]: %s", i, wrong)
					}
				}
			} else if wrong := differ(x, y); wrong != "" {
				return fmt.Sprintf("[%d]: %s", i, wrong)
			}
		}
		return ""
	case reflect.Map:
		if kindOf(a.Type().Key()) != kindOf(b.Type().Key()) {
			return fmt.Sprintf("%v of %s is %v of %s", a, a.Type(), b, b.Type())
		}
		if a.Len() != b.Len() {
			return fmt.Sprintf("%d pairs are %d", a.Len(), b.Len())
		}
		for _, key := range a.MapKeys() {
			v := b.MapIndex(key.Convert(b.Type().Key()))
			if !v.IsValid() {
				return fmt.Sprintf("the key %v is gone", key)
			}
			if key.CanInt() {
				if wrong := otherName(key, key.Convert(b.Type().Key())); wrong != "" {
					return fmt.Sprintf("[%v]: %s", key, wrong)
				}
			}
			if wrong := differ(addressable(a.MapIndex(key)), addressable(v)); wrong != "" {
				return fmt.Sprintf("[%v]: %s", key, wrong)
			}
		}
		return ""
	default:
		panic("can't compare " + a.Type().String())
	}
	return fmt.Sprintf("%v is %v", a, b)
}

// otherName says how the names of two enums' number differ: where one name stands for two
// numbers, or there is none any more.
func otherName(a, b reflect.Value) string {
	from, ok := a.Interface().(interface {
		Valid() bool
		MarshalText() ([]byte, error)
	})
	to, is := b.Interface().(interface{ Valid() bool })
	if !ok || !is || !from.Valid() {
		return ""
	}
	name, err := from.MarshalText()
	if err != nil {
		return err.Error()
	}
	same := reflect.New(b.Type())
	if u, ok := same.Interface().(interface{ UnmarshalText([]byte) error }); ok && u.UnmarshalText(name) == nil && same.Elem().Int() != b.Int() {
		return fmt.Sprintf("%s is %v", name, b)
	}
	if toNew && !to.Valid() {
		return fmt.Sprintf("%s is %v, without a name", name, b)
	}
	return ""
}

// kindOf is the same for types whose values can be compared.
func kindOf(t reflect.Type) reflect.Kind {
	if t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 {
		return reflect.String
	}
	return t.Kind()
}

// addressable is a copy of a value of a map.
func addressable(v reflect.Value) reflect.Value {
	c := reflect.New(v.Type()).Elem()
	c.Set(v)
	return c
}

func text(v reflect.Value) string {
	if v.Kind() == reflect.String {
		return v.String()
	}
	return string(v.Bytes())
}

// A shared is what the structs of two types have in common, by the pointers to them.
type shared struct {
	which, theirs reflect.Value // of unions
	fields        []sharedField
	known         map[int]bool // the fields that the second has
}

type sharedField struct {
	id   int
	name string
	a, b reflect.Value // getters
}

var sharedBy = map[[2]reflect.Type]*shared{}

func sharedOf(a, b reflect.Type) *shared {
	s := sharedBy[[2]reflect.Type{a, b}]
	if s != nil {
		return s
	}
	s = &shared{which: methodOf(a, "Which"), theirs: methodOf(b, "Which"), known: map[int]bool{}}
	sharedBy[[2]reflect.Type{a, b}] = s
	t, u := a.Elem(), b.Elem()
	for k := range u.NumField() {
		other, _ := tagged(u.Field(k))
		s.known[other] = true
		for i := range t.NumField() {
			if id, _ := tagged(t.Field(i)); id != 0 && id == other {
				name := t.Field(i).Name
				s.fields = append(s.fields, sharedField{id, name, methodOf(a, "Get"+name), methodOf(b, "Get"+u.Field(k).Name)})
			}
		}
	}
	return s
}

func methodOf(t reflect.Type, name string) reflect.Value {
	m, _ := t.MethodByName(name)
	return m.Func
}

func differStructs(a, b reflect.Value) string {
	only := 0 // the field of a union
	s := sharedOf(a.Type(), b.Type())
	if s.which.IsValid() {
		if !s.theirs.IsValid() {
			return fmt.Sprintf("%v, a union, is %v", a, b)
		}
		set, other := s.which.Call([]reflect.Value{a}), s.theirs.Call([]reflect.Value{b})
		if !s.known[int(set[0].Int())] {
			if other[1].Bool() || toNew {
				return fmt.Sprintf("%v, whose field isn't known, is %v", a, b)
			}
			return ""
		}
		if set[0].Int() != other[0].Int() || set[1].Bool() != other[1].Bool() {
			return fmt.Sprintf("%v is %v", a, b)
		}
		only = int(set[0].Int())
	} else if s.theirs.IsValid() {
		return fmt.Sprintf("%v is %v, a union", a, b)
	}
	for _, x := range s.fields {
		if only != 0 && x.id != only {
			continue
		}
		ours, theirs := x.a.Call([]reflect.Value{a})[0], x.b.Call([]reflect.Value{b})[0]
		if wrong := differ(addressable(ours), addressable(theirs)); wrong != "" {
			return fmt.Sprintf("%s: %s", x.name, wrong)
		}
	}
	return ""
}
