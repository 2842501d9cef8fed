//go:build linux && !android && (amd64 || arm64) && gc && !asan && !msan && go1.25 && !go1.28

package dl

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/seamgo/seam/internal/testenv"
)

// A drawn is a C type that was drawn by chance.
type drawn struct {
	c      string
	goType reflect.Type
}

var scalars = []drawn{
	{"signed char", reflect.TypeFor[int8]()}, {"unsigned char", reflect.TypeFor[uint8]()},
	{"short", reflect.TypeFor[int16]()}, {"unsigned short", reflect.TypeFor[uint16]()},
	{"int", reflect.TypeFor[int32]()}, {"unsigned", reflect.TypeFor[uint32]()},
	{"long", reflect.TypeFor[int64]()}, {"unsigned long", reflect.TypeFor[uint64]()},
	{"void *", reflect.TypeFor[uintptr]()},
	{"float", reflect.TypeFor[float32]()}, {"double", reflect.TypeFor[float64]()},
	{"double", reflect.TypeFor[float64]()}, {"long", reflect.TypeFor[int64]()},
	{"float _Complex", reflect.TypeFor[complex64]()}, {"double _Complex", reflect.TypeFor[complex128]()},
}

// A drawer draws signatures, and writes the C for them.
type drawer struct {
	*rand.Rand
	types, code strings.Builder
	structs     int
}

func (d *drawer) scalar() drawn { return scalars[d.IntN(len(scalars))] }

func (d *drawer) any() drawn {
	if d.IntN(3) > 0 {
		return d.scalar()
	}
	return d.strukt(2)
}

// strukt draws a struct. Small ones, and ones of one type, are the interesting ones.
func (d *drawer) strukt(depth int) drawn {
	name := fmt.Sprintf("struct s%d", d.structs)
	d.structs++
	var fields []reflect.StructField
	var body strings.Builder
	same, one := d.scalar(), d.IntN(2) == 0
	for i := range 1 + d.IntN(5) {
		f := d.scalar()
		switch {
		case one:
			f = same
		case depth > 0 && d.IntN(5) == 0:
			f = d.strukt(depth - 1)
		}
		dims := ""
		if d.IntN(6) == 0 {
			n := 1 + d.IntN(4)
			dims = fmt.Sprintf("[%d]", n)
			f.goType = reflect.ArrayOf(n, f.goType)
		}
		fmt.Fprintf(&body, "%s f%d%s; ", f.c, i, dims)
		fields = append(fields, reflect.StructField{Name: fmt.Sprintf("F%d", i), Type: f.goType})
	}
	fmt.Fprintf(&d.types, "%s { %s};\n", name, body.String())
	return drawn{name, reflect.StructOf(fields)}
}

// signature draws a function and writes fN, which is called and notes what it gets, and gN,
// which calls such a function.
func (d *drawer) signature(n int) reflect.Type {
	var fields []reflect.StructField
	var args []drawn
	variadic := -1
	if d.IntN(8) == 0 {
		variadic = 1 + d.IntN(4)
	}
	count := d.IntN(21)
	if d.IntN(2) == 0 {
		count = d.IntN(7)
	}
	for i := range count {
		a := d.any()
		tag := reflect.StructTag("")
		if variadic >= 0 && i >= variadic {
			for a.goType.Kind() != reflect.Struct && (a.goType.Size() < 4 || a.goType.Kind() == reflect.Float32) {
				a = d.scalar()
			}
			if i == variadic {
				tag = `dl:"variadic"`
			}
		}
		args = append(args, a)
		fields = append(fields, reflect.StructField{Name: fmt.Sprintf("A%d", i), Type: a.goType, Tag: tag})
	}
	result := drawn{c: "void"}
	if d.IntN(8) > 0 {
		result = d.any()
		fields = append(fields, reflect.StructField{Name: "R", Type: result.goType, Tag: `dl:"result"`})
	}
	t := reflect.StructOf(fields)

	var parameters, types, body, load, values []string
	for i, a := range args {
		types = append(types, a.c)
		name := fmt.Sprintf("a%d", i)
		values = append(values, name)
		load = append(load, fmt.Sprintf("%s %s; memcpy(&%s, in + %d, sizeof %s);", a.c, name, name, t.Field(i).Offset, name))
		if variadic >= 0 && i >= variadic {
			if i == variadic {
				parameters = append(parameters, "...")
				types[i] = "..."
				body = append(body, fmt.Sprintf("va_list ap; va_start(ap, a%d);", i-1))
			}
			body = append(body, fmt.Sprintf("%s %s = va_arg(ap, %s);", a.c, name, a.c))
		} else {
			parameters = append(parameters, a.c+" "+name)
		}
		body = append(body, fmt.Sprintf("memcpy(seen + %d, &%s, sizeof %s);", t.Field(i).Offset, name, name))
	}
	give, take := "", ""
	if result.goType != nil {
		give = fmt.Sprintf("%s r; memcpy(&r, in + %d, sizeof r); return r;", result.c, t.Field(len(args)).Offset)
		take = result.c + " r = "
	}
	fmt.Fprintf(&d.code, "%s f%d(%s) { %s %s }\n", result.c, n, strings.Join(parameters, ", "), strings.Join(body, " "), give)
	if variadic < 0 || variadic >= count {
		fmt.Fprintf(&d.code, "void g%d(void *fn) { %s %s((%s (*)(%s))fn)(%s); ", n, strings.Join(load, " "), take, result.c, strings.Join(types, ", "), strings.Join(values, ", "))
		if take != "" {
			fmt.Fprintf(&d.code, "memcpy(seen + %d, &r, sizeof r); ", t.Field(len(args)).Offset)
		}
		d.code.WriteString("}\n")
	}
	return t
}

// signatures is how many are drawn.
func signatures(t *testing.T) int {
	if env := os.Getenv("SEAM_STRESS"); env != "" {
		n, err := strconv.ParseFloat(env, 64)
		if err != nil || n < 1 {
			t.Fatalf("SEAM_STRESS=%q is not a number like 1e5", env)
		}
		return int(n)
	}
	if testing.Short() || testenv.Repeated() {
		return 500
	}
	return 5000
}

// TestSignatures draws signatures and compares what Go and C pass each other: arguments and results, of calls and of
// callbacks, as a leaf and announced.
func TestSignatures(t *testing.T) {
	total := signatures(t)
	seed := rand.Uint64()
	if env := os.Getenv("SEAM_DL_SEED"); env != "" {
		seed, _ = strconv.ParseUint(env, 10, 64)
	}
	t.Logf("SEAM_DL_SEED=%d", seed)
	const each = 500
	called, back := 0, 0
	for from := 0; from < total; from += each {
		d := &drawer{Rand: rand.New(rand.NewPCG(seed, uint64(from)))}
		var types []reflect.Type
		for i := range min(each, total-from) {
			types = append(types, d.signature(i))
		}
		lib := openC(t, fmt.Sprintf("drawn%d", from), "#include <string.h>\n#include <stdarg.h>\n"+
			"_Alignas(16) unsigned char seen[1 << 16], in[1 << 16];\n"+d.types.String()+d.code.String())
		seen, in := variable(t, lib, "seen"), variable(t, lib, "in")
		for i, typ := range types {
			for _, leaf := range []bool{true, false} {
				if !tryCall(t, d, lib, fmt.Sprintf("f%d", i), typ, leaf, seen, in) {
					t.Fatalf("of %s, drawn in %d", typ, from)
				}
			}
			called++
			if lib.Has(fmt.Sprintf("g%d", i)) {
				if !tryCallback(t, d, lib, fmt.Sprintf("g%d", i), typ, seen, in) {
					t.Fatalf("of %s, drawn in %d", typ, from)
				}
				back++
			}
		}
	}
	t.Logf("%d signatures called, %d called back", called, back)
	if called != total || back < total/2 {
		t.Errorf("%d signatures were called, %d called back, of %d", called, back, total)
	}
}

func variable(t *testing.T, lib *Lib, name string) []byte {
	t.Helper()
	p, err := lib.Symbol(name)
	if err != nil {
		t.Fatal(err)
	}
	return unsafe.Slice((*byte)(p), 1<<16)
}

func (d *drawer) bytes(n uintptr) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(d.Uint32())
	}
	return b
}

func tryCall(t *testing.T, d *drawer, lib *Lib, name string, typ reflect.Type, leaf bool, seen, in []byte) bool {
	f, err := lib.function(name, typ, leaf)
	if err != nil {
		t.Error(err)
		return false
	}
	if leaf {
		f.setEntry(f.fast)
	}
	clear(seen[:typ.Size()])
	copy(in, d.bytes(typ.Size()))
	args := reflect.New(typ)
	fill(args, d.bytes(typ.Size()))
	before := bytes.Clone(raw(args))
	call(f, args.UnsafePointer())
	for _, a := range f.sig.args {
		if !same(a, seen, before) || !same(a, raw(args), before) {
			t.Errorf("%s%s, leaf %v: argument %s is % x in C, % x in Go", name, f.sig, leaf, a.name, part(a, seen), part(a, before))
			return false
		}
	}
	if r := f.sig.result; r != nil && !same(*r, raw(args), in) {
		t.Errorf("%s%s, leaf %v: the result is % x in Go, % x in C", name, f.sig, leaf, part(*r, raw(args)), part(*r, in))
		return false
	}
	return true
}

func tryCallback(t *testing.T, d *drawer, lib *Lib, name string, typ reflect.Type, seen, in []byte) bool {
	copy(in, d.bytes(typ.Size()))
	back := d.bytes(typ.Size())
	got := make([]byte, typ.Size())
	var result *field
	c, err := newCallback(name, typ, func(args unsafe.Pointer) {
		v := reflect.NewAt(typ, args)
		copy(got, raw(v))
		if result != nil {
			copy(raw(v)[result.offset:], back[result.offset:result.offset+result.typ.size])
		}
	})
	if err != nil {
		t.Error(err)
		return false
	}
	defer c.Release()
	result = c.sig.result
	g, err := Of[struct{ fn uintptr }](lib, name)
	if err != nil {
		t.Error(err)
		return false
	}
	clear(seen[:typ.Size()])
	g.Call(&struct{ fn uintptr }{c.Pointer()})
	for _, a := range c.sig.args {
		if !same(a, got, in) {
			t.Errorf("callback %s%s: argument %s is % x in Go, % x in C", name, c.sig, a.name, part(a, got), part(a, in))
			return false
		}
	}
	if result != nil && !same(*result, seen, back) {
		t.Errorf("callback %s%s: the result is % x in C, % x in Go", name, c.sig, part(*result, seen), part(*result, back))
		return false
	}
	return true
}

func raw(v reflect.Value) []byte {
	return unsafe.Slice((*byte)(v.UnsafePointer()), v.Elem().Type().Size())
}

func fill(v reflect.Value, with []byte) { copy(raw(v), with) }

func part(f field, b []byte) []byte { return b[f.offset : f.offset+f.typ.size] }

// same compares a field in two structs, without the padding.
func same(f field, a, b []byte) bool {
	if f.typ.kind != kindStruct {
		return bytes.Equal(part(f, a), part(f, b))
	}
	for _, s := range f.typ.parts {
		at := f.offset + s.offset
		if !bytes.Equal(a[at:at+s.typ.size], b[at:at+s.typ.size]) {
			return false
		}
	}
	return true
}
