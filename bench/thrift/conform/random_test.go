package conform

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/seamgo/seam/thrift"
)

// A filler makes random values. It follows the type in the IDL, which the fields' tags
// hold, beside the Go type.
type filler struct {
	*rand.Rand
	uuids // that may be made

	// plain leaves out what has six letters in JSON: C++'s library loses U+0000 there, and
	// Python's cuts the six apart where its buffer ends.
	plain bool
}

// uuids says where a peer knows them.
type uuids int

const (
	noUUIDs    uuids = iota
	plainUUIDs       // but not in lists and maps
	allUUIDs
)

// everything returns a random value. Fields that are not optional are set, as are those
// with a default: where they are missing, libraries put different values.
func (f filler) everything() *Everything {
	e := new(Everything)
	f.structure(reflect.ValueOf(e).Elem(), 0)
	if f.IntN(8) == 0 { // deep, but not too deep for the libraries' limits
		e.Tree = &Tree{}
		for range 40 {
			e.Tree = &Tree{Value: f.Int32(), Left: e.Tree}
		}
	}
	if f.uuids < allUUIDs {
		e.Ids, e.ByID = nil, nil
	}
	if f.uuids == noUUIDs {
		e.ID = nil
	}
	return e
}

// tagged returns what a field's tag says.
func tagged(field reflect.StructField) (requiredness, typ string) {
	parts := strings.SplitN(field.Tag.Get("thrift"), ",", 4)
	if len(parts) != 4 {
		panic("no thrift tag on " + field.Name)
	}
	return parts[2], parts[3]
}

func (f filler) structure(v reflect.Value, depth int) {
	t := v.Type()
	one := -1 // field of a union
	if t == reflect.TypeFor[Choice]() {
		one = f.IntN(t.NumField())
	}
	for i := range t.NumField() {
		requiredness, typ := tagged(t.Field(i))
		switch {
		case one >= 0 && i != one, one < 0 && requiredness == "optional" && (depth > 3 || f.IntN(2) == 0):
		default:
			f.value(v.Field(i), typ, depth+1)
		}
	}
}

// inner splits the types in brackets: "map<i32,list<i64>>" has i32 and list<i64>.
func inner(typ string) (key, value string) {
	in := typ[strings.IndexByte(typ, '<')+1 : len(typ)-1]
	open := 0
	for i, c := range in {
		switch c {
		case '<':
			open++
		case '>':
			open--
		case ',':
			if open == 0 {
				return in[:i], in[i+1:]
			}
		}
	}
	return "", in
}

func (f filler) size() int {
	switch f.IntN(10) {
	case 0, 1:
		return 0
	case 2:
		return 14 + f.IntN(4) // the compact protocol has sizes below 15 in a short form
	}
	return f.IntN(5)
}

func (f filler) value(v reflect.Value, typ string, depth int) {
	t := v.Type()
	switch {
	case t.Kind() == reflect.Pointer:
		v.Set(reflect.New(t.Elem()))
		f.value(v.Elem(), typ, depth)
	case t.Kind() == reflect.Struct:
		f.structure(v, depth)
	case typ == "binary" && t.Kind() == reflect.Slice:
		v.SetBytes([]byte(f.text(false)))
	case typ == "binary":
		v.SetString(f.text(false))
	case typ == "uuid":
		for i := range v.Len() {
			v.Index(i).SetUint(uint64(f.IntN(256)))
		}
	case t == reflect.TypeFor[Color]():
		v.SetInt(int64([]Color{Color_RED, Color_GREEN, Color_BLUE, Color_NONE}[f.IntN(4)]))
	case strings.HasPrefix(typ, "map<") && t.Kind() == reflect.Slice: // of pairs
		key, value := inner(typ)
		seen := map[string]bool{}
		v.Set(reflect.MakeSlice(t, 0, 0))
		for range f.size() {
			p := reflect.New(t.Elem()).Elem()
			f.value(p.FieldByName("Key"), key, depth+1)
			f.value(p.FieldByName("Value"), value, depth+1)
			if k := text(p.FieldByName("Key"), key); !seen[k] {
				seen[k] = true
				v.Set(reflect.Append(v, p))
			}
		}
	case strings.HasPrefix(typ, "map<"):
		key, value := inner(typ)
		v.Set(reflect.MakeMap(t))
		for range f.size() {
			k, e := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
			f.value(k, key, depth+1)
			f.value(e, value, depth+1)
			v.SetMapIndex(k, e)
		}
	case t.Kind() == reflect.Slice:
		_, elem := inner(typ)
		seen := map[string]bool{}
		v.Set(reflect.MakeSlice(t, 0, 0))
		for range f.size() {
			e := reflect.New(t.Elem()).Elem()
			f.value(e, elem, depth+1)
			if k := text(e, elem); !strings.HasPrefix(typ, "set<") || !seen[k] {
				seen[k] = true
				v.Set(reflect.Append(v, e))
			}
		}
	case t.Kind() == reflect.Bool:
		v.SetBool(f.IntN(2) == 0)
	case t.Kind() == reflect.Float64:
		special := []float64{0, math.Copysign(0, -1), 1, math.Inf(1), math.Inf(-1), math.MaxFloat64, math.SmallestNonzeroFloat64}
		if v.SetFloat(f.NormFloat64()); f.IntN(3) == 0 && depth < 2 {
			v.SetFloat(special[f.IntN(len(special))])
		}
	case t.Kind() == reflect.String:
		v.SetString(f.text(true))
	default:
		n := int64(f.Uint64()) >> f.IntN(64)
		if f.IntN(10) == 0 {
			n = []int64{math.MinInt64, math.MaxInt64, 0, -1}[f.IntN(4)]
		}
		bits := 64 - t.Bits()
		v.SetInt(n << bits >> bits)
	}
}

// text is a random string, of letters or of any bytes.
func (f filler) text(utf8 bool) string {
	n := f.IntN(12)
	if f.IntN(10) == 0 {
		n = 120 + f.IntN(20) // its length takes two bytes in the compact protocol
	}
	var b strings.Builder
	for range n {
		if utf8 {
			r := []rune("abcxyz \n\"\\äß€\x00漢😀")[f.IntN(15)]
			if f.plain && r == 0 {
				r = '0'
			}
			b.WriteRune(r)
		} else {
			b.WriteByte(byte(f.Uint32()))
		}
	}
	return b.String()
}

// text writes a value so that equal ones are the same text: sets and maps in order.
func text(v reflect.Value, typ string) string {
	t := v.Type()
	switch {
	case t.Kind() == reflect.Pointer && v.IsNil():
		return "absent"
	case t.Kind() == reflect.Pointer:
		return text(v.Elem(), typ)
	case t.Kind() == reflect.Struct:
		var b strings.Builder
		b.WriteByte('{')
		for i := range t.NumField() {
			requiredness, typ := tagged(t.Field(i))
			said := text(v.Field(i), typ)
			if k := t.Field(i).Type.Kind(); requiredness == "optional" && (k == reflect.Slice || k == reflect.Map) && v.Field(i).IsNil() {
				said = "absent"
			}
			fmt.Fprintf(&b, "%s:%s\n", t.Field(i).Name, said)
		}
		return b.String() + "}"
	case typ == "binary":
		return fmt.Sprintf("%x", v.Interface())
	case strings.HasPrefix(typ, "map<"):
		key, value := inner(typ)
		var parts []string
		if t.Kind() == reflect.Slice {
			for i := range v.Len() {
				parts = append(parts, text(v.Index(i).FieldByName("Key"), key)+"="+text(v.Index(i).FieldByName("Value"), value))
			}
		} else {
			for i := v.MapRange(); i.Next(); {
				parts = append(parts, text(i.Key(), key)+"="+text(i.Value(), value))
			}
		}
		slices.Sort(parts)
		return fmt.Sprintf("%q", parts)
	case t.Kind() == reflect.Slice:
		_, elem := inner(typ)
		parts := []string{}
		for i := range v.Len() {
			parts = append(parts, text(v.Index(i), elem))
		}
		if strings.HasPrefix(typ, "set<") {
			slices.Sort(parts)
		}
		return fmt.Sprintf("%q", parts)
	case t.Kind() == reflect.Float64:
		return fmt.Sprintf("%x", math.Float64bits(v.Float()))
	case t.Kind() == reflect.String:
		return fmt.Sprintf("%q", v.String())
	}
	if t.Kind() == reflect.Int8 || t.Kind() == reflect.Int16 || t.Kind() == reflect.Int32 || t.Kind() == reflect.Int64 {
		return fmt.Sprint(v.Int()) // enums too: by number
	}
	return fmt.Sprint(v.Interface())
}

// difference shows where got is not want: "" if nowhere.
func difference(got, want *Everything) string {
	g, w := textOf(got), textOf(want)
	if g == w {
		return ""
	}
	at := 0
	for at < min(len(g), len(w)) && g[at] == w[at] {
		at++
	}
	const around = 60
	part := func(s string) string { return s[max(0, at-around):min(len(s), at+around)] }
	return fmt.Sprintf("got  …%q…\nwant …%q…", part(g), part(w))
}

func textOf(e *Everything) string { return text(reflect.ValueOf(e), "Everything") }

// What is random must reach every field, and both the present and the absent.
func TestFillerReachesEverything(t *testing.T) {
	set, unset := map[string]bool{}, map[string]bool{}
	for seed := range uint64(200) {
		e := reflect.ValueOf(filler{rand.New(rand.NewPCG(seed, 0)), allUUIDs, false}.everything()).Elem()
		for i := range e.NumField() {
			if name := e.Type().Field(i).Name; e.Field(i).IsZero() {
				unset[name] = true
			} else {
				set[name] = true
			}
		}
	}
	for i := range reflect.TypeFor[Everything]().NumField() {
		field := reflect.TypeFor[Everything]().Field(i)
		if requiredness, _ := tagged(field); !set[field.Name] || requiredness == "optional" && !unset[field.Name] {
			t.Errorf("%s, which is %s, was set: %v, unset: %v", field.Name, requiredness, set[field.Name], unset[field.Name])
		}
	}
}

// The comparison must see any difference.
func TestTextSeesDifferences(t *testing.T) {
	seen := map[string]int{}
	for seed := range 200 {
		s := textOf(filler{rand.New(rand.NewPCG(uint64(seed), 0)), allUUIDs, false}.everything())
		if other, ok := seen[s]; ok {
			t.Errorf("seeds %d and %d give the same text", seed, other)
		}
		seen[s] = seed
	}
	a, b := NewEverything(), NewEverything()
	a.Unique, b.Unique = []int32{1, 2}, []int32{2, 1}
	if textOf(a) != textOf(b) {
		t.Error("a set has an order")
	}
	a.Mediums, b.Mediums = []int32{1, 2}, []int32{2, 1}
	if textOf(a) == textOf(b) {
		t.Error("a list has no order")
	}
	a, b = NewEverything(), NewEverything()
	a.MaybeList = []int32{}
	if textOf(a) == textOf(b) {
		t.Error("an empty list is an absent one")
	}
}

// Alone: what our code writes it reads, in all protocols.
func TestRoundTrip(t *testing.T) {
	for seed := range uint64(300) {
		e := filler{rand.New(rand.NewPCG(seed, 1)), allUUIDs, false}.everything()
		for _, p := range protocols {
			b, err := p.append(e, nil)
			if err != nil {
				t.Fatalf("seed %d, %s: %v", seed, p.name, err)
			}
			got := new(Everything)
			if err := p.decode(got, b); err != nil {
				t.Fatalf("seed %d, %s: %v", seed, p.name, err)
			}
			if d := difference(got, e); d != "" {
				t.Fatalf("seed %d, %s: %s", seed, p.name, d)
			}
			if !got.Equal(e) {
				t.Fatalf("seed %d, %s: Equal says they differ", seed, p.name)
			}
		}
	}
}

// protocols are those of Apache's libraries.
var protocols = []struct {
	name   string
	append func(*Everything, []byte) ([]byte, error)
	decode func(*Everything, []byte) error
}{
	{"binary", (*Everything).AppendBinary, (*Everything).DecodeBinary},
	{"compact", (*Everything).AppendCompact, (*Everything).DecodeCompact},
	{"json", func(e *Everything, b []byte) ([]byte, error) { return thrift.AppendJSON(b, e) },
		func(e *Everything, b []byte) error { return thrift.DecodeJSON(b, e, thrift.Options{}) }},
}
