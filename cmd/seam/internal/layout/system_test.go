package layout

import (
	"strings"
	"testing"
)

// An opaque type has no layout, whatever name it has: that is said, not how the compiler
// puts it.
func TestOpaque(t *testing.T) {
	needC(t)
	dir := module(t, map[string]string{"m.go": `package m

/*
struct hidden;
typedef struct hidden hidden_t;
typedef const hidden_t hidden_const;
typedef void nothing;
*/
import "C"

type T struct{ X int32 }
`})
	for name, want := range map[string]string{
		"struct hidden": "struct hidden is declared but not defined",
		"hidden_t":      "hidden_t is struct hidden, which is declared but not defined",
		"hidden_const":  "hidden_const is struct hidden, which is declared but not defined",
		"nothing":       "nothing is void",
	} {
		_, err := runs(t, dir, func(o *Options) { o.Pairs = []Pair{{Go: "T", C: name}} })
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "lignof") {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}

// Fields of Go that together cover a union of C agree with it, as those of x/sys's
// EpollEvent do; what doesn't cover it doesn't.
func TestUnionCovered(t *testing.T) {
	needC(t)
	const text = `package m

/*
#include <stdint.h>
struct __attribute__((packed)) event { uint32_t events; union { void *p; int fd; uint64_t u; } data; };
*/
import "C"

//seam:layout struct event
type Event struct {
	Events uint32
	Fd     int32
	PAD
}
`
	for pad, agrees := range map[string]bool{"Pad int32": true, "A, B int16": true, "Pad int16": false, "": false} {
		dir := module(t, map[string]string{"m.go": strings.Replace(text, "PAD", pad, 1)})
		out, err := runs(t, dir, func(o *Options) { o.AnyAlign = true })
		if err != nil {
			t.Fatal(err)
		}
		if r := &out.Report.Pairs[0]; r.Agrees != agrees || agrees != strings.Contains(said(r), "take the place of C's union data") {
			t.Errorf("%q: agrees %v\n%s", pad, r.Agrees, said(r))
		}
	}
}

// The order of the system's structs is nobody's to change; a header of the system is
// found where the compiler looks. What C has named by a typedef alone has that name.
func TestSystemTypes(t *testing.T) {
	needC(t)
	const text = `package m

/*
#include <time.h>
struct mine { char a; long b; char c; };
typedef struct { int x; char y; } bare_t;
*/
import "C"

type Mine struct {
	A byte
	_ [7]byte
	B int64
	C byte
	_ [7]byte
}

type Bare struct{ In C.bare_t; List [2]C.bare_t }

type Zone struct {
	Minutes, Dst int32
}
`
	dir := module(t, map[string]string{"m.go": text, "sys.h": "struct gapped { char a; long b; char c; };\n"})
	out, err := runs(t, dir, func(o *Options) { o.Pairs = []Pair{{Go: "Mine", C: "struct mine"}, {Go: "Bare", C: "bare_t"}} })
	if err != nil {
		t.Fatal(err)
	}
	if out.Report.Pairs[0].Suggestion == nil {
		t.Error("no better order is told for a struct of the package")
	}
	for _, f := range out.Report.Pairs[1].Go.Fields {
		if strings.Contains(f.Type, "___") {
			t.Errorf("%s is shown as %s", f.Name, f.Type)
		}
	}
	// The same struct, from a folder that the compiler takes for the system's.
	out, err = runs(t, dir, func(o *Options) {
		o.Headers, o.CFlags = []string{"gapped.h"}, []string{"-isystem", module(t, map[string]string{"gapped.h": "struct gapped { char a; long b; char c; };\n"})}
		o.Pairs = []Pair{{Go: "Mine", C: "struct gapped"}}
	})
	if err != nil {
		t.Fatal(err)
	}
	if r := out.Report.Pairs[0]; !r.Agrees || r.Suggestion != nil {
		t.Errorf("a struct of the system is to be reordered: %+v", r.Suggestion)
	}
	if out, err = runs(t, dir, func(o *Options) {
		o.Headers, o.Pairs = []string{"sys/time.h"}, []Pair{{Go: "Zone", C: "struct timezone"}}
	}); err != nil || !out.Report.Pairs[0].Agrees {
		t.Errorf("a header in the include paths: %v", err)
	}
	if _, err = runs(t, dir, func(o *Options) {
		o.Headers, o.Pairs = []string{"nowhere/none.h"}, []Pair{{Go: "Zone", C: "struct timezone"}}
	}); err == nil || !strings.HasPrefix(err.Error(), "--header nowhere/none.h: it is neither in the folder") {
		t.Errorf("a header that isn't there: %v", err)
	}
}
