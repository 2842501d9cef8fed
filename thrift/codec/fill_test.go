package codec_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
	"github.com/seamgo/seam/thrift"
	"github.com/seamgo/seam/thrift/codec"
	"github.com/seamgo/seam/thrift/internal/kinds"
)

// kindsTypes makes every type of package kinds, empty.
var kindsTypes = []func() thrift.Message{
	func() thrift.Message { return new(kinds.Nothing) },
	func() thrift.Message { return new(kinds.Point) },
	func() thrift.Message { return new(kinds.Scalars) },
	func() thrift.Message { return new(kinds.Switches) },
	func() thrift.Message { return new(kinds.Optionals) },
	func() thrift.Message { return new(kinds.Required) },
	func() thrift.Message { return new(kinds.Defaults) },
	func() thrift.Message { return new(kinds.Lists) },
	func() thrift.Message { return new(kinds.Sets) },
	func() thrift.Message { return new(kinds.Maps) },
	func() thrift.Message { return new(kinds.Choice) },
	func() thrift.Message { return new(kinds.Failure) },
	func() thrift.Message { return new(kinds.Tree) },
	func() thrift.Message { return new(kinds.Far) },
	func() thrift.Message { return new(kinds.Everything) },
	func() thrift.Message { return new(kinds.Many) },
	func() thrift.Message { return new(kinds.Many64) },
	func() thrift.Message { return new(kinds.Wide) },
	func() thrift.Message { return new(kinds.Wide64) },
	func() thrift.Message { return new(kinds.Values) },
}

func typeName(m thrift.Message) string { return reflect.TypeOf(m).Elem().Name() }

// A filler fills messages at random, the same for the same seed.
type filler struct {
	*rand.Rand
	budget int // values that are still to be made; then all is small
	depth  int // of structs, which have a limit
}

func newFiller(seed uint64) *filler {
	return &filler{rand.New(rand.NewPCG(seed, 5)), 300, 0}
}

// fill gives every field of m another value.
func fill(m thrift.Message, seed uint64) {
	newFiller(seed).message(reflect.ValueOf(m).Elem())
}

func (f *filler) message(v reflect.Value) {
	v.SetZero()
	f.depth++
	defer func() { f.depth-- }()
	t := v.Type()
	if _, ok := reflect.PointerTo(t).MethodByName("Which"); ok {
		if k := f.IntN(t.NumField()); !f.poor() || t.Name() != "Choice" {
			f.field(v.Field(k), "required")
		} else {
			f.field(v.Field(0), "required") // no recursion
		}
		return
	}
	for k := range t.NumField() {
		need := strings.Split(t.Field(k).Tag.Get("thrift"), ",")[2]
		if t.Name() == "Defaults" && need == "default" {
			need = "required" // a struct that is absent would come back as its default
		}
		f.field(v.Field(k), need)
	}
}

func (f *filler) poor() bool {
	f.budget--
	return f.budget < 0 || f.depth > 12
}

func (f *filler) field(v reflect.Value, need string) {
	nilable := v.Kind() == reflect.Pointer || need == "optional"
	if nilable && need != "required" && (f.poor() || f.IntN(3) == 0) {
		return
	}
	f.value(v)
}

func (f *filler) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(f.IntN(2) == 0)
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(f.integer())
	case reflect.Float64:
		v.SetFloat([]float64{0, math.Copysign(0, -1), 1, -1.5, math.Inf(1), math.MaxFloat64, math.SmallestNonzeroFloat64, f.NormFloat64()}[f.IntN(8)])
	case reflect.String:
		v.SetString(f.text())
	case reflect.Array:
		for k := range v.Len() {
			v.Index(k).SetUint(uint64(f.IntN(256)))
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
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
			v.SetBytes([]byte(f.text()))
			return
		}
		n := f.length(v.Type().Elem())
		v.Set(reflect.MakeSlice(v.Type(), n, n+f.IntN(3)))
		for k := range n {
			f.value(v.Index(k))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range f.length(v.Type().Elem()) {
			key, elem := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			f.value(key)
			f.value(elem)
			v.SetMapIndex(key, elem)
		}
	default:
		panic(fmt.Sprintf("no values for %v", v.Type()))
	}
}

// length is that of a container: most are short, some of numbers long enough
// for the loops that take many at once.
func (f *filler) length(elem reflect.Type) int {
	if f.poor() {
		if f.depth > 12 {
			return 0
		}
		return f.IntN(2)
	}
	switch elem.Kind() {
	case reflect.Bool, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Float64, reflect.Array:
		if f.IntN(4) == 0 {
			return f.IntN(200)
		}
	}
	return f.IntN(5)
}

func (f *filler) integer() int64 {
	v := int64(f.Uint64()) >> f.IntN(64)
	if f.IntN(8) == 0 {
		return []int64{0, 1, -1, math.MaxInt64, math.MinInt64, math.MaxInt32, math.MinInt32, 127, -128}[f.IntN(9)]
	}
	return v
}

func (f *filler) text() string {
	n := []int{0, 1, 5, 7, 8, 15, 16, 31, 32, 33, 40, 63, 64, 65, 200}[f.IntN(15)]
	if f.IntN(200) == 0 {
		n = 5000
	}
	var b strings.Builder
	for b.Len() < n {
		if f.IntN(10) == 0 {
			b.WriteString("é€😀")
		}
		b.WriteByte(byte('a' + f.IntN(26)))
	}
	return b.String()
}

// equal calls the generated method Equal.
func equal(a, b thrift.Message) bool {
	return reflect.ValueOf(a).MethodByName("Equal").Call([]reflect.Value{reflect.ValueOf(b)})[0].Bool()
}

func encode(t testing.TB, m thrift.Message, c codec.InCompact) []byte {
	t.Helper()
	b, err := appendTo(nil, m, c)
	if err != nil {
		t.Fatalf("encoding %s: %v", typeName(m), err)
	}
	return b
}

func appendTo(b []byte, m thrift.Message, c codec.InCompact) ([]byte, error) {
	if c {
		return m.AppendCompact(b)
	}
	return m.AppendBinary(b)
}

// decode decodes a message that ends with b.
func decode(b []byte, m thrift.Message, c codec.InCompact) error {
	if c {
		return m.DecodeCompact(b)
	}
	return m.DecodeBinary(b)
}

func decodeWith(b []byte, m thrift.Message, c codec.InCompact, opt thrift.Options) (int, error) {
	if c {
		return thrift.DecodeCompact(b, m, opt)
	}
	return thrift.DecodeBinary(b, m, opt)
}

// A case is a type filled at random, in a protocol.
type codecCase struct {
	name string
	make func() thrift.Message
	seed uint64
	c    codec.InCompact
}

func (c codecCase) message() thrift.Message {
	m := c.make()
	fill(m, c.seed)
	return m
}

// codecCases runs a test for every type in both protocols with n contents, or a fifth of them
// where all have been tested natively.
func codecCases(t *testing.T, n int, test func(t *testing.T, c codecCase)) {
	if testenv.Repeated() {
		n = (n + 4) / 5
	}
	for _, make := range kindsTypes {
		for _, c := range []codec.InCompact{false, true} {
			t.Run(fmt.Sprintf("%s/%v", typeName(make()), c), func(t *testing.T) {
				for seed := range n {
					name := fmt.Sprintf("seed %d", seed)
					test(t, codecCase{name, make, uint64(seed), c})
					if t.Failed() {
						return
					}
				}
			})
		}
	}
}

// fillSome gives a few fields of m another value: what is in an object that
// is used again.
func fillSome(m thrift.Message, seed uint64) {
	f := newFiller(seed)
	f.budget = 30
	f.message(reflect.ValueOf(m).Elem())
}

// difference is where two messages begin to differ: by their fields in the
// order of the struct.
func difference(a, b thrift.Message) string {
	return firstDifference(reflect.ValueOf(a), reflect.ValueOf(b), typeName(a))
}

func firstDifference(a, b reflect.Value, path string) string {
	if a.Kind() == reflect.Pointer && !a.IsNil() && !b.IsNil() {
		return firstDifference(a.Elem(), b.Elem(), path)
	}
	if a.Kind() == reflect.Struct {
		for k := range a.NumField() {
			if d := firstDifference(a.Field(k), b.Field(k), path+"."+a.Type().Field(k).Name); d != "" {
				return d
			}
		}
		return ""
	}
	if a.Kind() == reflect.Slice && a.Len() == b.Len() && a.Type().Elem().Kind() != reflect.Uint8 {
		for k := range a.Len() {
			if d := firstDifference(a.Index(k), b.Index(k), fmt.Sprintf("%s[%d]", path, k)); d != "" {
				return d
			}
		}
		return ""
	}
	if !reflect.DeepEqual(a.Interface(), b.Interface()) {
		return fmt.Sprintf("%s: %#v, %#v", path, a, b)
	}
	return ""
}
