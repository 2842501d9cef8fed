package layout

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// kinds are pairs of structs, and what must be said of them. A pair without
// wanted mismatches must agree.
var kinds = []struct {
	name   string // in C
	c      string // what stands between struct NAME { and };
	attr   string // behind the }
	goText string // fields of Go
	mismatch,
	notes []string
}{
	{name: "plain", c: "int32_t a; double b; uint8_t c;", goText: "A int32; B float64; C uint8"},
	{name: "names", c: "int max_len; short min_len_; int Type;", goText: "MaxLen int32; Min_Len int16; type_ int32"},
	{name: "renamed", c: "int a; int b;", goText: "A int32; Other int32", notes: []string{"Other is b in C (matched by its offset, 4)"}},
	{name: "prefixed", c: "int st_a; int st_b; int __pad0; double st_c; long __glibc_reserved[2];", goText: "B int32; A int32; X__pad0 int32; C float64; X__unused [2]int64", mismatch: []string{
		"A: at 4 in Go, at 0 in C: the order differs", "B: at 0 in Go, at 4 in C: the order differs",
	}},
	{name: "prefix_of_some", c: "int st_a; int b;", goText: "A int32; B int32", notes: []string{"A is st_a in C"}},
	{name: "missing", c: "int a; int b; double c;", goText: "A int32; C float64",
		mismatch: []string{"b: Go has no field for C's b (int, 4 bytes at 4) | add B int32 before C"}},
	{name: "missing_shifts", c: "int a; int64_t b; double c;", goText: "A int32; C float64", mismatch: []string{
		"b: Go has no field for C's b (int64_t, 8 bytes at 8) | add B int64 before C",
		"C: at 8 in Go, at 16 in C | follows from the mismatch above",
		": 16 bytes in Go, 24 bytes in C | follows from the mismatch above",
	}},
	{name: "extra", c: "int a;", goText: "A int32; B int32", mismatch: []string{
		"B: C has no field for it (int32, 4 bytes at 4) | remove it, or add it to C's struct extra", ": 8 bytes in Go, 4 bytes in C",
	}},
	{name: "extra_in_padding", c: "int a; double b;", goText: "A int32; X int32; B float64",
		mismatch: []string{"X: C has no field here, only padding (4 bytes at 4) | C may overwrite it: make it _ [4]byte"}},
	{name: "blank_padding", c: "int a; double b;", goText: "A int32; _ [4]byte; B float64"},
	{name: "c_padding", c: "int a; char pad[4]; double b;", goText: "A int32; B float64"},
	{name: "both_padding", c: "int a; int reserved0; double b;", goText: "A int32; _ int32; B float64"},
	{name: "skipped", c: "int a; int hidden; double b;", goText: "A int32; _ [4]byte; B float64", notes: []string{"C's hidden has no name in Go, only its place (4 bytes at 4)"}},
	{name: "insert", c: "int a; int b __attribute__((aligned(16)));", goText: "A int32; B int32", mismatch: []string{
		"B: at 4 in Go, at 16 in C | insert _ [12]byte before B", "8 bytes in Go, 32 bytes in C", "Go aligns it to 4 bytes, C to 16 bytes",
	}},
	{name: "take_out", c: "int a; int b;", goText: "A int32; _ [4]byte; B int32", mismatch: []string{
		"B: at 8 in Go, at 4 in C | Go has 4 bytes more before B: remove them", ": 12 bytes in Go, 8 bytes in C",
	}},
	{name: "swapped", c: "int a; int b;", goText: "B int32; A int32", mismatch: []string{
		"A: at 4 in Go, at 0 in C: the order differs | put it first, as in C", "B: at 0 in Go, at 4 in C: the order differs | put it after A, as in C",
	}},
	{name: "moved_back", c: "int a; int b; int c; double d;", goText: "B int32; C int32; A int32; D float64", mismatch: []string{
		"A: at 8 in Go, at 0 in C: the order differs | put it first", "B: at 0 in Go, at 4 in C: the order differs | put it after A", "C: at 4 in Go, at 8 in C: the order differs | put it after B",
	}},
	{name: "packed", c: "char tag; double value;", attr: "__attribute__((packed))", goText: "Tag byte; Value float64", mismatch: []string{
		"Value: at 8 in Go, at 1 in C: C's struct packed is packed | Go can't lay out Value (float64, aligned to 8) at 1: make it [8]byte and use encoding/binary",
		": 16 bytes in Go, 9 bytes in C", "Go aligns it to 8 bytes, C to 1 byte",
	}},
	{name: "packed_as_bytes", c: "char tag; double value;", attr: "__attribute__((packed))", goText: "Tag byte; Value [8]byte", notes: []string{"Value: double in C, bytes in Go"}},
	{name: "packed_by_luck", c: "int a; int b;", attr: "__attribute__((packed))", goText: "A int32; B int32", mismatch: []string{"Go aligns it to 4 bytes, C to 1 byte | C may place it at an address that is not a multiple of 4"}},
	{name: "packed_to_4", c: "int a; double b;", attr: "__attribute__((packed, aligned(4)))", goText: "A int32; B [8]byte", mismatch: []string{}},
	{name: "aligned64", c: "int a;", attr: "__attribute__((aligned(64)))", goText: "A int32; _ [60]byte", mismatch: []string{
		"Go aligns it to 4 bytes, C to 64 bytes | let C allocate it, because memory that Go allocates may not start at a multiple of 64",
	}},
	{name: "nested", c: "char c; struct plain in; int last;", goText: "C byte; In GoPlain; Last int32"},
	{name: "nested_twice", c: "struct missing a; struct missing b;", goText: "A GoMissing; B GoMissing", mismatch: []string{
		"A.b: Go has no field for C's b", "B: differs as A does | it is the same type: fix it there",
	}},
	{name: "nested_array", c: "struct plain in[3];", goText: "In [3]GoPlain"},
	{name: "wrong_nested", c: "struct plain in;", goText: "In [24]int8", mismatch: []string{"In: [24]int8 (array, 24 bytes) in Go, struct plain (struct, 24 bytes) in C | declare a struct with the fields of C's struct plain"}},
	{name: "arrays", c: "int a[3]; char name[16]; short m[2][3];", goText: "A [3]int32; Name [16]byte; M [2][3]int16"},
	{name: "array_shape", c: "short m[2][3]; short n[6]; short o[2][3][4]; short p[1][6];", goText: "M [6]int16; N [2][3]int16; O [6][4]int16; P [6]int16", notes: []string{"M is [6] in Go and [2][3] in C", "N is [2][3] in Go", "O is [6][4] in Go"}},
	{name: "transposed", c: "int a[3][4]; int b[2][6]; char c[4][8]; int d[2][3][4]; unsigned char e[2][12];", goText: "A [4][3]int32; B [3][4]int32; C [8][4]int8; D [2][4][3]int32; E [3][8]uint8", mismatch: []string{
		"A: [4][3] in Go, [3][4] in C: one index means other elements | use [3][4]int32", "B: [3][4] in Go, [2][6] in C", "C: [8][4] in Go, [4][8] in C", "D[0]: [4][3] in Go, [3][4] in C", "E: [3][8] in Go, [2][12] in C",
	}},
	{name: "rows_of_structs", c: "struct { int v[4]; } a[3]; int b[3][4]; int c[3][4];", goText: "A [3][4]int32; B [3]struct{ V [4]int32 }; C [4]struct{ V [3]int32 }", mismatch: []string{
		"C: 4 elements in Go, 12 in C",
	}},
	{name: "bytes_for_rows", c: "int a[3][4]; int b[3][4]; int c[3][4];", goText: "A [48]byte; B [3][16]byte; C [4][12]byte", mismatch: []string{"C: 48 elements in Go, 12 in C"}},
	{name: "half", c: "_Float16 a; _Float16 b; _Float16 c;", goText: "A uint16; B [2]byte; C int16", mismatch: []string{"C: int16 (signed integer, 2 bytes) in Go, _Float16 (floating point, 2 bytes) in C | use uint16"}},
	{name: "union_of_arrays", c: "union { float v[4]; struct { float x, y, z, w; } s; } u; union { float v[4]; double d[2]; } t;", goText: "U struct{ V [4]float32 }; T struct{ D [2]float64 }", notes: []string{"U.V is the member v of C's union", "T.D is the member d of C's union"}},
	{name: "array_length", c: "int a[3]; int b;", goText: "A [4]int32; B int32", mismatch: []string{"A: 4 elements in Go, 3 in C | use [3]int32", "B: at 16 in Go, at 12 in C | follows"}},
	{name: "slice_for_array", c: "int a[6];", goText: "A []int32", mismatch: []string{"A: Go has a slice (a pointer and a length) where C has the elements themselves | use [6]int32"}},
	{name: "bitfields", c: "int a; unsigned b:3, c:5; int d;", goText: "A int32; Flags uint32; D int32", notes: []string{"the bits of C's b:3 c:5 lie in Flags"}},
	{name: "bitfields_missing", c: "int a; unsigned b:3, c:9; int d;", goText: "A int32; D int32", mismatch: []string{
		"b:3 c:9: C has bit-fields here (2 bytes at 4), and Go has none | put one uint16 in their place and mask the bits", "D: at 4 in Go, at 8 in C | follows",
	}},
	{name: "bitfields_wide", c: "unsigned long long a:40, b:20;", goText: "A uint64", notes: []string{"lie in A"}},
	{name: "unions", c: "union { int i; float f; } u; union { double d; char c[8]; } v; union { int a; char b[12]; } w;", goText: "U int32; V float64; W [12]byte",
		mismatch: []string{}, notes: []string{"U is the member i of C's union", "V is the member d of C's union"}},
	{name: "union_wrong", c: "union { int i; float f; } u; union { double d; char c[24]; } v;", goText: "U bool; _ [7]byte; V [8]byte", mismatch: []string{
		"U: bool (bool, 1 byte), and C's union has 4 bytes | use [4]byte", "V: [8]uint8 (array, 8 bytes), and C's union has 24 bytes | use [3]uint64, which is aligned too",
	}},
	{name: "anonymous", c: "int a; union { int i; float f; }; struct { short x, y; };", goText: "A int32; U int32; X, Y int16", notes: []string{"U is the unnamed union at 4 in C"}},
	{name: "bools", c: "_Bool a; _Bool b; char c; unsigned char d;", goText: "A bool; B uint8; C bool; D bool", mismatch: []string{
		"C: bool (bool, 1 byte) in Go, char (char, 1 byte) in C: a Go bool that is neither 0 nor 1 breaks programs | use int8", "D: bool (bool, 1 byte) in Go, unsigned char (unsigned integer, 1 byte) in C: a Go bool that is neither 0 nor 1 breaks programs | use uint8",
	}},
	{name: "enums", c: "enum { RED, GREEN } a; enum { MINUS = -1 } b;", goText: "A uint32; B int32"},
	{name: "enum_kind", c: "enum { BLUE } a;", goText: "A float32", mismatch: []string{"A: float32 (floating point, 4 bytes) in Go, an unnamed enum (4 bytes) in C | use uint32"}},
	{name: "pointers", c: "void *a; const char *b; struct pointers *next; int (*f)(int, char *); char *const *g;", goText: "A unsafe.Pointer; B *byte; Next *GoPointers; F uintptr; G **byte"},
	{name: "pointer_kinds", c: "void *a; void *b; void *c; void (*d)(void); void *e;", goText: "A uint64; B map[int]int; C chan int; D func(); E *int32", mismatch: []string{
		"A: uint64 (unsigned integer, 8 bytes) in Go, void * (pointer, 8 bytes) in C | use unsafe.Pointer",
		"B: a Go map", "C: a Go channel", "D: a Go func is a pointer to a closure, not to code that C can call | use unsafe.Pointer",
	}},
	{name: "strings", c: "struct { const char *p; size_t n; } s; struct { int *data; size_t len, cap; } v;", goText: "S string; V []int32"},
	{name: "string_for_pointer", c: "const char *s; size_t n;", goText: "S string", mismatch: []string{"S: a Go string", "n: Go has no field for C's n"}},
	{name: "interfaces", c: "void *a[2];", goText: "A any", mismatch: []string{"A: interface {} (interface, 16 bytes) in Go, void *[2] (array, 16 bytes) in C | use [2]unsafe.Pointer"}},
	{name: "signs", c: "unsigned a; int b; signed char c; char d; char e; size_t f;", goText: "A int32; B uint32; C uint8; D int8; E uint8; F uint", mismatch: []string{
		"A: int32 in Go, unsigned int in C: it is signed only in Go | use uint32", "B: uint32 in Go, int in C: it is signed only in C | use int32", "C: uint8 in Go, signed char in C",
	}},
	{name: "lengths", c: "size_t a; const size_t b;", goText: "A, B int", notes: []string{"A is a size_t in C and an int in Go, which is signed", "B is a size_t"}},
	{name: "length_kinds", c: "size_t a; unsigned long b;", goText: "A int64; B int", mismatch: []string{
		"A: int64 in Go, size_t in C: it is signed only in Go | use uint", "B: int in Go, long unsigned int in C: it is signed only in Go | use uint64",
	}},
	{name: "floats", c: "float a; double b; int c; float d;", goText: "A float32; B float64; C float32; D int32", mismatch: []string{
		"C: float32 (floating point, 4 bytes) in Go, int (signed integer, 4 bytes) in C | use int32", "D: int32 (signed integer, 4 bytes) in Go, float (floating point, 4 bytes) in C | use float32",
	}},
	{name: "sizes", c: "int a; long b;", goText: "A int; B int64", mismatch: []string{"A: 8 bytes in Go (int), 4 bytes in C (int) | use int32"}},
	{name: "long_double", c: "long double a; long double b;", goText: "A [16]byte; B float64", mismatch: []string{"B: 8 bytes in Go (float64), 16 bytes in C (long double) | use [16]byte (Go has no long double)", ": 24 bytes in Go, 32 bytes in C", "Go aligns it to 8 bytes, C to 16 bytes"}},
	{name: "complexes", c: "_Complex float a; double _Complex b;", goText: "A complex64; B complex128"},
	{name: "int128", c: "__int128 a;", goText: "A [2]uint64", mismatch: []string{"C to 16 bytes"}},
	{name: "flexible", c: "int n; int data[];", goText: "N int32", notes: []string{"data has no size and starts at 4: in Go, reach it with unsafe.Add(pointer, 4)"}},
	{name: "flexible_in_go", c: "long n; int data[];", goText: "N int64; Data [0]int32", mismatch: []string{": 16 bytes in Go, 8 bytes in C | Go pads a struct that ends in a zero-size field: leave Data out, or put it first"}},
	{name: "empty", c: "", goText: ""},
	{name: "empty_last", c: "int a;", goText: "A int32; E struct{}", mismatch: []string{": 8 bytes in Go, 4 bytes in C | Go pads a struct that ends in a zero-size field: leave E out, or put it first"}},
	{name: "empty_first", c: "int a;", goText: "_ struct{}; A int32"},
	{name: "tail", c: "int a; char b; int64_t c[0];", goText: "A int32; B int8", mismatch: []string{"Go aligns it to 4 bytes, C to 8 bytes"}},
	{name: "embedded", c: "int a; struct plain p; struct names n;", goText: "A int32; GoPlain; N GoNames", notes: []string{"GoPlain is p in C"}},
	{name: "embedded_flat", c: "int x; int y; double z;", goText: "xy; Z float64"},
	{name: "newtype", c: "struct { int v; } a; int b;", goText: "A int32; B struct { V int32 }"},
	{name: "qualified", c: "const int a; volatile int b; _Atomic int c; const char *restrict d;", goText: "A, B int32; C atomic.Int32; D *byte"},
	{name: "vectors", c: "float v __attribute__((vector_size(16)));", goText: "V [4]float32", mismatch: []string{"Go aligns it to 4 bytes, C to 16 bytes"}},
}

// kindsPackage is one package with all of the pairs, so that they are built but
// once.
func kindsPackage() string {
	var c, g strings.Builder
	c.WriteString("#include <stdint.h>\n#include <stddef.h>\n")
	for _, k := range kinds {
		fmt.Fprintf(&c, "struct %s { %s } %s;\n", k.name, k.c, k.attr)
		fmt.Fprintf(&g, "//seam:layout struct %s\ntype Go%s struct { %s }\n\n", k.name, exported(k.name), k.goText)
	}
	return "package kinds\n\n/*\n" + c.String() + "*/\nimport \"C\"\n\nimport (\n\t\"sync/atomic\"\n\t\"unsafe\"\n)\n\ntype xy struct { X, Y int32 }\n\nvar _ unsafe.Pointer\nvar _ atomic.Int32\n\n" + g.String()
}

// goNameOf is the name of a pair's type in Go.
func goNameOf(name string) string { return "Go" + exported(name) }

func TestKinds(t *testing.T) {
	needC(t)
	out, err := runs(t, module(t, map[string]string{"k.go": kindsPackage()}), nil)
	if err != nil {
		t.Fatal(err)
	}
	if out.Report.Target.Word != 8 {
		t.Skip("the sizes below are those of 64 bits")
	}
	if len(out.Report.Pairs) != len(kinds) {
		t.Fatalf("%d pairs, want %d", len(out.Report.Pairs), len(kinds))
	}
	for i, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			r := &out.Report.Pairs[i]
			all := said(r)
			if n := len(r.Mismatches); n < len(k.mismatch) {
				t.Errorf("%d mismatches, want %d", n, len(k.mismatch))
			}
			if r.Agrees != (len(k.mismatch) == 0) {
				t.Errorf("agrees is %v:\n%s", r.Agrees, all)
			}
			for _, want := range k.mismatch {
				if !strings.Contains(all, want) {
					t.Errorf("%q is not said, but\n%s", want, all)
				}
			}
			for _, want := range k.notes {
				if !strings.Contains(all, "note: "+want) && !strings.Contains(all, want) {
					t.Errorf("note %q is not said, but\n%s", want, all)
				}
			}
		})
	}
	t.Run("truth", func(t *testing.T) { truth(t, out.Report) })
}

// truth compares what was read from DWARF with what the compilers say when they
// are asked: offsetof in a program of C, unsafe.Offsetof in one of Go.
func truth(t *testing.T, r *Report) {
	var c, g, want strings.Builder
	dir := module(t, nil)
	var preamble strings.Builder
	for _, k := range kinds {
		fmt.Fprintf(&preamble, "struct %s { %s } %s;\n", k.name, k.c, k.attr)
	}
	asked := 0
	for i := range r.Pairs {
		p := &r.Pairs[i]
		fmt.Fprintf(&c, "printf(\"%%zu %%zu\\n\", sizeof(%[1]s), _Alignof(%[1]s));\n", p.CName)
		fmt.Fprintf(&want, "%d %d\n", p.C.Size, p.C.Align)
		for _, f := range p.C.Fields {
			if f.Name != "" && f.Bits == nil {
				fmt.Fprintf(&c, "printf(\"%%zu\\n\", offsetof(%s, %s));\n", p.CName, f.Name)
				fmt.Fprintf(&want, "%d\n", f.Offset)
				asked++
			}
		}
	}
	fromC := want.String()
	want.Reset()
	for i := range r.Pairs {
		p := &r.Pairs[i]
		fmt.Fprintf(&g, "fmt.Println(unsafe.Sizeof(%[1]s{}), unsafe.Alignof(%[1]s{}))\n", p.GoName)
		fmt.Fprintf(&want, "%d %d\n", p.Go.Size, p.Go.Align)
		if p.GoName == goNameOf("embedded_flat") {
			continue // promoted fields have offsets in what is embedded
		}
		for _, f := range p.Go.Fields {
			if f.Name != "_" {
				fmt.Fprintf(&g, "fmt.Println(unsafe.Offsetof(%s{}.%s))\n", p.GoName, f.Name)
				fmt.Fprintf(&want, "%d\n", f.Offset)
				asked++
			}
		}
	}
	if asked < 2*len(kinds) {
		t.Fatalf("only %d offsets are asked for", asked)
	}
	write(t, dir, "truth.c", "#include <stdio.h>\n#include <stdint.h>\n#include <stddef.h>\n"+preamble.String()+"int main(void) {\n"+c.String()+"return 0; }\n")
	if out, err := command(t, dir, "gcc", "-w", "-o", "truth", "truth.c"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := command(t, dir, filepath.Join(dir, "truth"))
	if err != nil {
		t.Fatal(err)
	}
	sameLines(t, "C", out, fromC)
	if err := os.Remove(filepath.Join(dir, "truth.c")); err != nil {
		t.Fatal(err)
	}
	_, types, _ := strings.Cut(kindsPackage(), `import "C"`)
	types = strings.Replace(types, "import (", "import (\n\t\"fmt\"\n", 1)
	write(t, dir, "main.go", "package main\n"+types+"\nfunc main() {\n"+g.String()+"}\n")
	if out, err = command(t, dir, "go", "run", "."); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	sameLines(t, "Go", out, want.String())
}

func sameLines(t *testing.T, what, got, want string) {
	t.Helper()
	if got == want {
		return
	}
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			t.Errorf("%s: answer %d is %s, and DWARF says %s", what, i, g[i], w[i])
		}
	}
	if len(g) != len(w) {
		t.Errorf("%s: %d answers, want %d", what, len(g), len(w))
	}
}
