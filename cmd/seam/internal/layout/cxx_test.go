package layout

import (
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

// What only C++ has: pointers to members, bases and members without an address of their own,
// and the library's pointers that own something. sizeof and offsetof are held to be what they
// are by the compiler, and what layout advises for a type must itself agree.
func TestCXXKinds(t *testing.T) {
	testenv.Builds(t)
	needC(t)
	testenv.Tool(t, "g++")
	dir := module(t, map[string]string{"k.hpp": `#include <cstddef>
#include <cstdint>
#include <memory>
namespace n {
struct B { int a; int f(); };
typedef int (B::*method)(int) const;
struct members { int (B::*mf)(); int B::*m; method mt; };
static_assert(sizeof(members) == 5 * sizeof(void *));
struct empty {};
struct other {};
struct unique { [[no_unique_address]] empty e; int32_t *p; [[no_unique_address]] other o; int32_t n; };
static_assert(sizeof(unique) == 2 * sizeof(void *));
struct normal { empty e; int32_t n; };
static_assert(sizeof(normal) == 8 && offsetof(normal, n) == 4);
struct tail { tail() {} int32_t x; char c; };
struct reuses { [[no_unique_address]] tail t; char d; };
static_assert(sizeof(reuses) == 8);
struct owns { std::unique_ptr<int> p; std::shared_ptr<int> s; int32_t n; };
static_assert(sizeof(owns) == 4 * sizeof(void *));
struct derived : empty, tail { int16_t z; };
}
`, "m.go": `package m

import "unsafe"

//seam:layout n::members
type Members struct { Mf [2]uintptr; M int64; Mt [16]byte }

//seam:layout n::members
type MembersWrong struct { Mf unsafe.Pointer; _ [8]byte; M unsafe.Pointer; Mt [2]uintptr }

//seam:layout n::unique
type Unique struct { P *int32; N int32 }

//seam:layout n::normal
type Normal struct { E [1]byte; N int32 }

//seam:layout n::reuses
type Reuses struct { X int32; C, D int8 }

//seam:layout n::reuses
type ReusesWrong struct { T struct { X int32; C int8 }; D int8 }

//seam:layout n::owns
type Owns struct { P unsafe.Pointer; S [2]unsafe.Pointer; N int32 }

//seam:layout n::owns
type OwnsFields struct { P unsafe.Pointer; S struct { Ptr, Count unsafe.Pointer }; N int32 }
`})
	out, err := runs(t, dir, func(o *Options) {
		o.Headers, o.CXX, o.CFlags = []string{"k.hpp"}, true, []string{"-std=c++20"}
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range out.Report.Pairs {
		p := &out.Report.Pairs[i]
		want := !strings.HasSuffix(p.GoName, "Wrong")
		if p.GoName == "Owns" { // two pointers are no array
			continue
		}
		if p.Agrees != want {
			t.Errorf("%s agrees: %v, want %v\n%s", p.GoName, p.Agrees, want, said(p))
		}
	}
}

// Names that gcc's DWARF has only where they are used, and templates by a name of theirs.
func TestCXXAliases(t *testing.T) {
	testenv.Builds(t)
	needC(t)
	testenv.Tool(t, "g++")
	dir := module(t, map[string]string{"k.hpp": `namespace n {
template <class T, int N> struct vec { T at[N]; int n; };
using vec3 = vec<double, 3>;
struct plain { int x; };
typedef plain same;
template <class T> struct never;
using incomplete = never<int>;
}
`, "m.go": `package m

//seam:layout n::vec3
type Vec3 struct { At [3]float64; N int32 }

//seam:layout n::same
type Same struct { X int32 }

//seam:layout n::vec3
type Vec3Wrong struct { At [3]float32; N int32 }

type Other struct { X int32 }
`})
	with := func(pairs ...Pair) (*Outcome, error) {
		return runs(t, dir, func(o *Options) { o.Headers, o.CXX, o.Pairs = []string{"k.hpp"}, true, pairs })
	}
	out, err := with()
	if err != nil {
		t.Fatal(err)
	}
	for i := range out.Report.Pairs {
		if p := &out.Report.Pairs[i]; p.Agrees == strings.HasSuffix(p.GoName, "Wrong") {
			t.Errorf("%s agrees: %v\n%s", p.GoName, p.Agrees, said(p))
		}
	}
	for _, name := range []string{"n::incomplete", "n::nothing"} {
		if _, err := with(Pair{Go: "Other", C: name}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if _, err := ParsePair("Other=n::vec<double, 3>"); err == nil || !strings.Contains(err.Error(), "using NAME") {
		t.Errorf("a template: error %v", err)
	}
}

// A different alignment is allowed for one pair, not for all of them.
func TestAnyAlignOfOnePair(t *testing.T) {
	testenv.Builds(t)
	needC(t)
	dir := module(t, map[string]string{"m.go": `package m

/*
#include <stdint.h>
struct __attribute__((packed)) event { uint32_t events; int32_t fd; };
*/
import "C"

//seam:layout --any-align struct event
type Event struct { Events uint32; Fd int32 }

//seam:layout struct event
type Strict struct { Events uint32; Fd int32 }

type Named struct { Events uint32; Fd int32 }
`})
	out, err := runs(t, dir, func(o *Options) {
		pair, err := ParsePair("Named=--any-align struct event")
		if err != nil {
			t.Fatal(err)
		}
		o.Pairs = []Pair{pair}
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range out.Report.Pairs {
		p := &out.Report.Pairs[i]
		if p.Agrees != (p.GoName != "Strict") {
			t.Errorf("%s agrees: %v\n%s", p.GoName, p.Agrees, said(p))
		}
	}
}
