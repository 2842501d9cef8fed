package layout

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/text"
	"github.com/seamgo/seam/internal/testenv"
)

const smallC = "struct point { int x, y; };\ntypedef struct { int x, y; } point_t;\nstruct user { struct opaque *o; };\n"

func smallGo(directive string) string {
	return "package m\n\n/*\n" + smallC + "*/\nimport \"C\"\n\n// Point is one.\n//\n" + directive + "\ntype Point struct { X, Y int32 }\n"
}

func TestRefuses(t *testing.T) {
	needC(t)
	pair := func(text string) func(*Options) {
		return func(o *Options) {
			p, err := ParsePair(text)
			if err != nil {
				t.Fatal(err)
			}
			o.Pairs = []Pair{p}
		}
	}
	for _, c := range []struct {
		name  string
		files map[string]string
		o     func(*Options)
		env   string
		want  []string
	}{
		{name: "a type of C that is misspelled", files: map[string]string{"m.go": smallGo("//seam:layout struct pont")}, want: []string{"m.go:12: ", "C has no type struct pont (did you mean struct point"}},
		{name: "a struct without its keyword", files: map[string]string{"m.go": smallGo("//seam:layout point")}, want: []string{"C has no type point (did you mean struct point?)"}},
		{name: "a typedef with a keyword", files: map[string]string{"m.go": smallGo("//seam:layout struct point_t")}, want: []string{"(did you mean point_t?)"}},
		{name: "a type that is only declared", files: map[string]string{"m.go": smallGo("//seam:layout struct opaque")}, want: []string{"struct opaque is declared but not defined"}},
		{name: "a type of Go that is misspelled", files: map[string]string{"m.go": smallGo("//seam:layout struct point")}, o: pair("Pint=struct point"), want: []string{"package example.com/m has no type Pint (did you mean Point?)"}},
		{name: "a directive that is no name", files: map[string]string{"m.go": smallGo("//seam:layout struct point; int x")}, want: []string{"m.go:12:1: ", "is not the name of a C type"}},
		{name: "a directive at no type", files: map[string]string{"m.go": smallGo("//seam:layout struct point") + "\n//seam:layout struct point\nvar x int\n"}, want: []string{"m.go:15:1: //seam:layout is not above a type declaration"}},
		{name: "no pairs", files: map[string]string{"m.go": smallGo("")}, want: []string{"has no pairs of types"}},
		{name: "no C", files: map[string]string{"m.go": "package m\n\n//seam:layout struct point\ntype P struct{}\n"}, want: []string{"package example.com/m has no C"}},
		{name: "no such package", files: map[string]string{"m.go": smallGo("")}, o: func(o *Options) { o.Packages = []string{"./nowhere"} }, want: []string{"nowhere"}},
		{name: "a package of the standard library", files: map[string]string{"m.go": smallGo(""), "x.h": smallC}, o: func(o *Options) {
			o.Packages, o.Headers = []string{"net/url"}, []string{"x.h"}
			o.Pairs = []Pair{{Go: "URL", C: "struct point"}}
		}, want: []string{"package net/url is in ", "where nothing may be added to a build"}},
		{name: "no such header", files: map[string]string{"m.go": smallGo("//seam:layout struct point")}, o: func(o *Options) { o.Headers = []string{"none.h"} }, want: []string{"--header none.h: it is neither in the folder nor in the include paths"}},
		{name: "C that does not compile", files: map[string]string{"m.go": strings.Replace(smallGo("//seam:layout struct point"), "struct opaque *o;", "nonsense o;", 1)}, want: []string{"the C of package example.com/m", "m.go:6", "nonsense"}},
		{name: "Go that does not compile", files: map[string]string{"m.go": smallGo("//seam:layout struct point") + "var x nonsense\n"}, want: []string{"go build", "undefined: nonsense"}},
		{name: "a generic type without arguments", files: map[string]string{"m.go": smallGo("") + "type G[T any] struct { X T }\n"}, o: pair("G=struct point"), want: []string{"G"}},
		{name: "no C compiler", files: map[string]string{"m.go": smallGo("//seam:layout struct point")}, env: "CC=/nowhere/cc", want: []string{"/nowhere/cc can't be started", "install a C compiler, or name one by CC"}},
		{name: "C++ without a header", files: map[string]string{"m.go": smallGo("//seam:layout struct point")}, o: func(o *Options) { o.CXX = true }, want: []string{"--lang c++ needs --header"}},
		{name: "a cache line of 65 bytes", files: map[string]string{"m.go": smallGo("")}, o: func(o *Options) { o.Line = 65 }, want: []string{"--line 65: the size of a cache line is a power of two from 8 to 4096"}},
		{name: "pairs for several packages", files: map[string]string{"m.go": smallGo(""), "a/a.go": "package a\n"}, o: func(o *Options) {
			o.Packages = []string{"./..."}
			pair("Point=struct point")(o)
		}, want: []string{"pairs on the command line need a single package"}},
		{name: "an overlay in GOFLAGS", files: map[string]string{"m.go": smallGo("//seam:layout struct point"), "o.json": "{}"}, env: "GOFLAGS=-overlay=o.json", want: []string{"GOFLAGS has an -overlay"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if name, value, ok := strings.Cut(c.env, "="); ok {
				t.Setenv(name, value)
			}
			_, err := runs(t, module(t, c.files), c.o)
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("no %q in: %v", want, err)
				}
			}
		})
	}
}

// A wrapper that drops -g, as some build farms have.
func TestCompilerWithoutDWARF(t *testing.T) {
	needC(t)
	dir := module(t, map[string]string{"m.go": smallGo("//seam:layout struct point")})
	cc := filepath.Join(t.TempDir(), "cc")
	if err := os.WriteFile(cc, []byte("#!/bin/sh\nexec gcc \"$@\" -g0\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("CC", cc)
	if _, err := runs(t, dir, nil); err == nil || !strings.Contains(err.Error(), "it has no DWARF") {
		t.Errorf("error %v", err)
	}
}

func TestHugeStructs(t *testing.T) {
	needC(t)
	var c, g strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&c, "int f%d;\n", i)
		fmt.Fprintf(&g, "F%d int32\n", i+i/2999) // the last has another name
	}
	dir := module(t, map[string]string{"m.go": "package m\n\ntype Big struct {\n" + g.String() + "}\n\ntype Huge struct { A [1<<30]int32 }\n\ntype Bigger struct { A int32 }\n",
		"big.h": "struct big {\n" + c.String() + "};\nstruct huge { int a[1L<<30]; };\n"})
	out, err := runs(t, dir, func(o *Options) {
		o.Headers = []string{"big.h"}
		o.Pairs = []Pair{{Go: "Big", C: "struct big"}, {Go: "Huge", C: "struct huge"}}
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range out.Report.Pairs {
		if !r.Agrees {
			t.Errorf("%s: %s", r.GoName, said(&r))
		}
	}
	var shown strings.Builder
	if err := out.Report.WriteText(&shown, text.Options{Width: 80}); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(shown.String(), "\n"); n > 1000 {
		t.Errorf("the text has %d lines", n)
	}
	// More than is looked at.
	var many strings.Builder
	for i := range maxFields + 1 {
		fmt.Fprintf(&many, "char f%d;", i)
	}
	write(t, dir, "big.h", "struct big {"+many.String()+"};\n")
	_, err = runs(t, dir, func(o *Options) {
		o.Headers = []string{"big.h"}
		o.Pairs = []Pair{{Go: "Bigger", C: "struct big"}}
	})
	if err == nil || !strings.Contains(err.Error(), "struct big has more than 65536 fields") {
		t.Errorf("error %v", err)
	}
}

const cxxHeader = `
#include <stdint.h>
namespace geo {
template <class T> struct box { T value; };
struct base { int32_t id; };
struct empty {};
struct shape : base, empty { box<double> area; bool open; };
class hidden { int32_t a; public: int32_t b; };
struct virt { virtual ~virt(); int32_t a; };
struct out { static int shared; enum kind : uint8_t { A } k; struct in { int8_t x; } i; };
}
`

// Names of templates have brackets, which a page must not take for its own.
func TestCXX(t *testing.T) {
	needC(t)
	testenv.Tool(t, "g++")
	dir := module(t, map[string]string{"shape.hpp": cxxHeader, "m.go": `package m

//seam:layout geo::shape
type Shape struct {
	ID   int32
	_    [4]byte
	Area struct{ Value float64 }
	Open bool
}

//seam:layout geo::hidden
type Hidden struct{ A, B int32 }

//seam:layout struct geo::out
type Out struct { K uint8; I int8 }

//seam:layout geo::virt
type Virt struct { V uintptr; A int32 }

//seam:layout geo::box<int>
type Box struct{}
`})
	cxx := func(o *Options) { o.Headers, o.CXX = []string{"shape.hpp"}, true }
	if _, err := runs(t, dir, cxx); err == nil || !strings.Contains(err.Error(), "not the name of a C type") {
		t.Errorf("a template: error %v", err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "m.go"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "m.go", strings.Replace(string(text), "//seam:layout geo::box<int>\n", "", 1))
	out := writeChecks(t, dir, cxx)
	var page strings.Builder
	if err := out.Report.WriteHTML(&page); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(page.String(), "box<double") || !strings.Contains(page.String(), "box&lt;double") {
		t.Error("a name of C++ stands unescaped on the page, or not at all")
	}
	if all := said(&out.Report.Pairs[3]); !strings.Contains(all, "has virtual functions") {
		t.Errorf("virtual functions: %s", all)
	}
	write(t, dir, "x/check.cc", "#include \"../layout_seam.h\"\n")
	if said, err := command(t, dir, "g++", "-std=c++17", "-Wall", "-fsyntax-only", "x/check.cc"); err != nil {
		t.Errorf("the checks as C++17: %v\n%s", err, said)
	}
}

func TestInterrupted(t *testing.T) {
	needC(t)
	dir := module(t, map[string]string{"m.go": smallGo("//seam:layout struct point")})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, Options{Go: "go", Dir: dir, Packages: []string{"."}, Line: 64}); err == nil || ctx.Err() == nil {
		t.Errorf("error %v", err)
	}
}
