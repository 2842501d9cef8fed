package layout

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seamgo/seam/internal/testenv"
)

// A randomType is a type of both languages.
type randomType struct {
	scalar *scalar
	dims   []int // of an array of it
	fields []*randomType
	gone   bool // only C has it
	extra  bool // only Go has it
}

// A scalar is a type without parts. Its kind is i, u, f, b or p.
type scalar struct {
	c, g string
	kind byte
	bits int
}

var scalars = []*scalar{
	{"int8_t", "int8", 'i', 8}, {"int16_t", "int16", 'i', 16}, {"int32_t", "int32", 'i', 32}, {"int64_t", "int64", 'i', 64},
	{"uint8_t", "uint8", 'u', 8}, {"uint16_t", "uint16", 'u', 16}, {"uint32_t", "uint32", 'u', 32}, {"uint64_t", "uint64", 'u', 64},
	{"float", "float32", 'f', 32}, {"double", "float64", 'f', 64}, {"bool", "bool", 'b', 8}, {"void *", "unsafe.Pointer", 'p', 0},
	{"long", "int64", 'i', ofLong}, {"unsigned long", "uint32", 'u', ofLong},
}

// ofLong stands for what C's long has, which is another size on Windows and on 32-bit machines.
const ofLong = -1

func randomStruct(r *rand.Rand, depth int) *randomType {
	t := &randomType{}
	for range 1 + r.IntN(4) {
		f := &randomType{scalar: scalars[r.IntN(len(scalars))]}
		if depth < 2 && r.IntN(5) == 0 {
			f = randomStruct(r, depth+1)
		}
		if r.IntN(2) == 0 {
			for range 1 + r.IntN(3) {
				f.dims = append(f.dims, 1+r.IntN(3))
			}
		}
		t.fields = append(t.fields, f)
	}
	return t
}

// clone is a copy for the other language.
func (t *randomType) clone() *randomType {
	c := *t
	c.dims = slices.Clone(t.dims)
	c.fields = nil
	for _, f := range t.fields {
		c.fields = append(c.fields, f.clone())
	}
	return &c
}

// all are the structs in a type, and its fields.
func (t *randomType) all() (structs, fields []*randomType) {
	if t.fields != nil {
		structs = append(structs, t)
	}
	for _, f := range t.fields {
		fields = append(fields, f)
		s, below := f.all()
		structs, fields = append(structs, s...), append(fields, below...)
	}
	return structs, fields
}

// mutate makes one change, as somebody could by mistake.
func (t *randomType) mutate(r *rand.Rand) {
	structs, fields := t.all()
	in, f := structs[r.IntN(len(structs))], fields[r.IntN(len(fields))]
	switch r.IntN(6) {
	case 0: // two fields change places, names and all
		i, k := r.IntN(len(in.fields)), r.IntN(len(in.fields))
		a, b := in.fields[i], in.fields[k]
		*a, *b = *b, *a
	case 1: // dimensions change places
		if len(f.dims) > 1 && !slices.Contains(f.dims, 1) {
			i := r.IntN(len(f.dims) - 1)
			f.dims[i], f.dims[i+1] = f.dims[i+1], f.dims[i]
		}
	case 2: // another length
		if len(f.dims) > 0 {
			f.dims[r.IntN(len(f.dims))]++
		}
	case 3: // another kind
		if f.scalar != nil {
			f.scalar = scalars[r.IntN(len(scalars))]
		}
	case 4:
		in.fields[r.IntN(len(in.fields))].gone = true
	case 5:
		i := r.IntN(len(in.fields) + 1)
		in.fields = slices.Insert(in.fields, i, &randomType{scalar: scalars[r.IntN(len(scalars))], extra: true})
	}
}

// declareC writes the struct and those in it, and returns its name.
func (t *randomType) declareC(b *strings.Builder, name string) {
	for i, f := range t.fields {
		if f.fields != nil {
			f.declareC(b, fmt.Sprintf("%s_%d", name, i))
		}
	}
	fmt.Fprintf(b, "struct %s {", name)
	for i, f := range t.fields {
		kind := fmt.Sprintf("struct %s_%d", name, i)
		if f.scalar != nil {
			kind = f.scalar.c
		}
		fmt.Fprintf(b, " %s f%d", kind, i)
		for _, n := range f.dims {
			fmt.Fprintf(b, "[%d]", n)
		}
		b.WriteString(";")
	}
	b.WriteString(" };\n")
}

// goText is the struct in Go. Fields are named by their places in C.
func (t *randomType) goText() string {
	var b strings.Builder
	b.WriteString("struct {")
	n := 0
	for i, f := range t.fields {
		name := fmt.Sprintf("F%d", n)
		if f.extra {
			name = fmt.Sprintf("Extra%d", i)
		} else {
			n++
		}
		if f.gone {
			continue
		}
		b.WriteString(" " + name + " ")
		for _, d := range f.dims {
			fmt.Fprintf(&b, "[%d]", d)
		}
		if f.scalar != nil {
			b.WriteString(f.scalar.g)
		} else {
			b.WriteString(f.goText())
		}
		b.WriteString(";")
	}
	return b.String() + " }"
}

// leaves calls f for each number in a type of C, by its path.
func (t *randomType) leaves(path string, f func(path string, s *scalar)) {
	if t.scalar != nil {
		f(path, t.scalar)
		return
	}
	for i, m := range t.fields {
		at := []string{fmt.Sprintf("%s.f%d", path, i)}
		for _, n := range m.dims {
			var next []string
			for _, p := range at {
				for k := range n {
					next = append(next, fmt.Sprintf("%s[%d]", p, k))
				}
			}
			at = next
		}
		for _, p := range at {
			m.leaves(p, f)
		}
	}
}

// oracle is the part of the program that looks at memory: C writes another value to each number,
// and Go reads it under the same name.
const oracle = `
type leaf struct {
	path string
	kind byte
	bits uintptr
	v    int
}

// at follows a path such as .f0.f1[2].
func at(v reflect.Value, path string) (reflect.Value, bool) {
	for path != "" {
		end := strings.IndexAny(path[1:], ".[") + 1
		if end == 0 {
			end = len(path)
		}
		part := path[:end]
		path = path[end:]
		if part[0] == '.' {
			if v.Kind() != reflect.Struct {
				return v, false
			}
			if v = v.FieldByName(strings.ToUpper(part[1:])); !v.IsValid() {
				return v, false
			}
			continue
		}
		i, _ := strconv.Atoi(part[1 : len(part)-1])
		if v.Kind() != reflect.Array || i >= v.Len() {
			return v, false
		}
		v = v.Index(i)
	}
	return v, true
}

func numbers(t reflect.Type) (n int) {
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			n += numbers(t.Field(i).Type)
		}
		return n
	case reflect.Array:
		return t.Len() * numbers(t.Elem())
	}
	return 1
}

func same(v reflect.Value, l leaf) bool {
	if l.bits != 0 && v.Type().Size()*8 != l.bits {
		return false
	}
	switch k := v.Kind(); {
	case l.kind == 'i' && reflect.Int <= k && k <= reflect.Int64:
		return v.Int() == int64(-l.v%100-1)
	case l.kind == 'u' && reflect.Uint <= k && k <= reflect.Uint64:
		return v.Uint() == ^uint64(0)>>(64-v.Type().Size()*8)-uint64(l.v%100)
	case l.kind == 'f' && (k == reflect.Float32 || k == reflect.Float64):
		return v.Float() == float64(l.v)+0.5
	case l.kind == 'b' && k == reflect.Bool:
		return v.Bool() == (l.v%2 == 1)
	case l.kind == 'b' && k == reflect.Uint8:
		return v.Uint() == uint64(l.v%2)
	case l.kind == 'p' && k == reflect.UnsafePointer:
		return v.Pointer() == uintptr(l.v*8)
	}
	return false
}

func look(n int, v reflect.Value, size, align uintptr, leaves []leaf) {
	agrees := v.Type().Size() == size && uintptr(v.Type().Align()) == align && numbers(v.Type()) == len(leaves)
	for _, l := range leaves {
		if f, ok := at(v, l.path); !ok || !same(f, l) {
			agrees = false
		}
	}
	fmt.Println(n, agrees)
}
`

// Random pairs of types, of which about half differ: what layout says of each is what a program
// sees in which C writes and Go reads. To say that they agree where they don't is the worst that
// layout could do.
func TestRandomPairs(t *testing.T) {
	testenv.Builds(t)
	needC(t)
	pairs := 60
	if s := os.Getenv("SEAM_STRESS"); s != "" {
		n, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		pairs = int(min(n, 10000))
	}
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("SEAM_LAYOUT_SEED"); s != "" {
		seed, _ = strconv.ParseUint(s, 10, 64)
	}
	for _, system := range []struct{ arch, cc, cxx, emulator string }{
		{"", "", "", ""}, {"windows/amd64", "x86_64-w64-mingw32-gcc", "x86_64-w64-mingw32-g++", "wine"}, {"386", "i686-linux-gnu-gcc", "i686-linux-gnu-g++", ""}, {"arm64", "aarch64-linux-gnu-gcc", "aarch64-linux-gnu-g++", "qemu-aarch64"}, {"arm", "arm-linux-gnueabihf-gcc", "arm-linux-gnueabihf-g++", "qemu-arm"},
	} {
		name := system.arch
		if name == "" {
			name = "here"
		}
		t.Run(name, func(t *testing.T) {
			var run []string
			if system.arch != "" {
				testenv.Foreign(t)
				if system.emulator == "wine" {
					testenv.Soak(t) // Go's programs need a newer one than many machines have
				}
				for _, tool := range []string{system.cc, system.cxx} {
					if _, err := exec.LookPath(tool); err != nil {
						t.Skipf("%s isn't installed", tool)
					}
				}
				if system.emulator != "" {
					path, err := exec.LookPath(system.emulator)
					if err != nil {
						if path, err = exec.LookPath(system.emulator + "-static"); err != nil {
							t.Skipf("%s isn't installed", system.emulator)
						}
					}
					run = []string{path}
				}
				if goos, arch, two := strings.Cut(system.arch, "/"); two {
					t.Setenv("GOOS", goos)
					t.Setenv("WINEDEBUG", "-all")
					system.arch = arch
				}
				t.Setenv("GOARCH", system.arch)
				t.Setenv("CC", system.cc)
				t.Setenv("CXX", system.cxx)
				t.Setenv("CGO_LDFLAGS", "-static") // so that the emulator needs no libraries
			}
			for batch := range (pairs + 199) / 200 {
				randomPairs(t, seed+uint64(batch), min(200, pairs-200*batch), run)
			}
		})
	}
}

func randomPairs(t *testing.T, seed uint64, n int, run []string) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	var header, program, mains strings.Builder
	header.WriteString("#include <stdint.h>\n#include <stdbool.h>\n")
	program.WriteString("package main\n\n/*\n#include \"types.h\"\n")
	texts := make([]string, n)
	var types strings.Builder
	for i := range n {
		c := randomStruct(r, 0)
		g := c.clone()
		if r.IntN(2) == 0 { // two could make up for each other: a field that goes and one that comes are a new name
			g.mutate(r)
		}
		name := fmt.Sprintf("t%d", i)
		var decl strings.Builder
		c.declareC(&decl, name)
		header.WriteString(decl.String())
		texts[i] = decl.String() + "type T " + g.goText()
		fmt.Fprintf(&types, "//seam:layout struct %s\ntype T%d %s\n\n", name, i, g.goText())
		fmt.Fprintf(&program, "static void fill%d(void *at) { struct %s *p = at;", i, name)
		fmt.Fprintf(&mains, "\t{\n\t\tp := new(struct { T T%d; _ [4096]byte })\n\t\tC.fill%d(unsafe.Pointer(p))\n\t\tlook(%d, reflect.ValueOf(p).Elem().Field(0), unsafe.Sizeof(C.struct_%s{}), uintptr(C.align%d), []leaf{\n", i, i, i, name, i)
		v := 0
		c.leaves("", func(path string, s *scalar) {
			v++
			value := map[byte]string{'i': fmt.Sprintf("-%d", v%100+1), 'u': fmt.Sprintf("(%s)(~0ull - %d)", s.c, v%100), 'f': fmt.Sprintf("%d.5", v), 'b': strconv.Itoa(v % 2), 'p': fmt.Sprintf("(void *)%d", v*8)}[s.kind]
			fmt.Fprintf(&program, " p->%s = %s;", path[1:], value)
			bits := strconv.Itoa(s.bits)
			if s.bits == ofLong {
				bits = "8 * C.sizeof_long"
			}
			fmt.Fprintf(&mains, "\t\t\t{%q, '%c', %s, %d},\n", path, s.kind, bits, v)
		})
		mains.WriteString("\t\t})\n\t}\n")
		fmt.Fprintf(&program, " }\nenum { align%d = _Alignof(struct %s) };\n", i, name)
	}
	fmt.Fprintf(&program, "*/\nimport \"C\"\n\nimport (\n\t\"fmt\"\n\t\"reflect\"\n\t\"strconv\"\n\t\"strings\"\n\t\"unsafe\"\n)\n\n%s%s\nfunc main() {\n%s}\n", types.String(), oracle, mains.String())
	dir := module(t, map[string]string{"types.h": header.String(), "main.go": program.String()})
	bin := filepath.Join(t.TempDir(), "oracle")
	if out, err := command(t, dir, "go", "build", "-gcflags=-d=checkptr=0", "-o", bin, "."); err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, out)
	}
	line := append(slices.Clone(run), bin)
	out, err := command(t, dir, line[0], line[1:]...)
	if err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, out)
	}
	truth := map[string]bool{}
	agreeing := 0
	for l := range strings.Lines(out) {
		f := strings.Fields(l)
		truth["T"+f[0]] = f[1] == "true"
		if f[1] == "true" {
			agreeing++
		}
	}
	if len(truth) != n || n > 20 && (agreeing < n/8 || agreeing > n-n/8) {
		t.Fatalf("seed %d: of %d pairs the program told of %d, and %d agree", seed, n, len(truth), agreeing)
	}
	for language, change := range map[string]func(*Options){"c": nil, "c++": func(o *Options) { o.Headers, o.CXX = []string{"types.h"}, true }} {
		out, err := runs(t, dir, change)
		if err != nil {
			t.Fatalf("seed %d, %s: %v", seed, language, err)
		}
		for i := range out.Report.Pairs {
			p := &out.Report.Pairs[i]
			k, _ := strconv.Atoi(p.GoName[1:])
			if p.Agrees != truth[p.GoName] {
				t.Errorf("SEAM_LAYOUT_SEED=%d, %s: layout says that they agree: %v, and the program that they do: %v\n%s\n%s", seed, language, p.Agrees, truth[p.GoName], texts[k], said(p))
			}
		}
	}
}
