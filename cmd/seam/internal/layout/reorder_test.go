package layout

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// orders are structs whose fields stand in an order that may be bettered.
var orders = []struct {
	name, c, attr, goText string
	after                 Figures // zero: no suggestion
}{
	{name: "best", c: "double a; int b; char c;", goText: "A float64; B int32; C int8"},
	{name: "padded", c: "char a; double b; char c;", goText: "A int8; B float64; C int8", after: Figures{16, 6, 0}},
	{name: "explicit", c: "char a; char pad[7]; double b; char c;", goText: "A int8; _ [7]byte; B float64; C int8", after: Figures{16, 6, 0}},
	{name: "straddling", c: "char head[60]; int32_t mark; char text[40]; int32_t last;", goText: "Head [60]byte; Mark int32; Text [40]byte; Last int32"},
	{name: "straddled", c: "char head[48]; double pair[4]; char tail[16];", goText: "Head [48]byte; Pair [4]float64; Tail [16]byte", after: Figures{96, 0, 0}},
	{name: "reserved", c: "char a; double b; char c; long reserved[2];", goText: "A int8; B float64; C int8; Reserved [2]int64", after: Figures{32, 6, 0}},
	{name: "packed", c: "char a; double b;", attr: "__attribute__((packed))", goText: "A int8; B [8]byte"},
	{name: "with_bits", c: "char a; double b; unsigned c:3;", goText: "A int8; B float64; C uint32"},
	{name: "flexible", c: "char a; double b; char c; int n[];", goText: "A int8; B float64; C int8; _ [4]byte", after: Figures{16, 6, 0}},
	{name: "aligned", c: "char a; double b; char c; double d;", attr: "__attribute__((aligned(64)))", goText: "A int8; B float64; C int8; D float64; _ [32]byte"},
	{name: "typedefs", c: "char a; void (*f)(int, char *); char c; const char *const *s; int m[2][3];", goText: "A int8; F unsafe.Pointer; C int8; S **byte; M [2][3]int32", after: Figures{48, 6, 0}},
	{name: "member_aligned", c: "char a; int b __attribute__((aligned(16))); char c; double d;", goText: "A int8; _ [12]byte; B int32; C int8; D float64", after: Figures{16, 2, 0}},
}

// build compares structs, alignments aside.
func build(t *testing.T, cText, goText string) *Report {
	t.Helper()
	dir := module(t, map[string]string{"m.go": "package m\n\n/*\n#include <stdint.h>\n" + cText + "*/\nimport \"C\"\n\nimport \"unsafe\"\n\nvar _ unsafe.Pointer\n\n" + goText})
	out, err := runs(t, dir, func(o *Options) { o.AnyAlign = true })
	if err != nil {
		t.Fatal(err)
	}
	for i := range out.Report.Pairs {
		if r := &out.Report.Pairs[i]; !r.Agrees {
			t.Errorf("%s:\n%s", r.GoName, said(r))
		}
	}
	return out.Report
}

// What is suggested compiles in both languages, agrees, and is worth what was
// said.
func TestSuggestionsAreTrue(t *testing.T) {
	needC(t)
	var c, g strings.Builder
	for _, o := range orders {
		fmt.Fprintf(&c, "struct %s { %s } %s;\n", o.name, o.c, o.attr)
		fmt.Fprintf(&g, "//seam:layout struct %s\ntype %s struct { %s }\n\n", o.name, goNameOf(o.name), o.goText)
	}
	r := rand.New(rand.NewPCG(1, 2))
	kinds := [][2]string{{"char", "int8"}, {"short", "int16"}, {"int32_t", "int32"}, {"double", "float64"}, {"void *", "unsafe.Pointer"}, {"float", "float32"}}
	const random = 40
	for i := range random {
		fmt.Fprintf(&c, "struct r%d {", i)
		fmt.Fprintf(&g, "//seam:layout struct r%d\ntype %s struct {\n", i, goNameOf(fmt.Sprint("r", i)))
		for f := range 2 + r.IntN(12) {
			k, n := kinds[r.IntN(len(kinds))], 1+r.IntN(9)
			fmt.Fprintf(&c, " %s f%d[%d];", k[0], f, n)
			fmt.Fprintf(&g, "\tF%d [%d]%s\n", f, n, k[1])
		}
		c.WriteString(" };\n")
		g.WriteString("}\n\n")
	}
	first := build(t, c.String(), g.String())
	if first.Target.Word != 8 {
		t.Skip("the sizes are those of 64 bits")
	}
	c.Reset()
	g.Reset()
	var suggested []*Result
	for i := range first.Pairs {
		p := &first.Pairs[i]
		if i < len(orders) {
			want := orders[i].after
			switch {
			case p.Suggestion == nil && want != Figures{}:
				t.Errorf("%s: nothing is suggested", p.CName)
			case p.Suggestion != nil && p.Suggestion.After != want:
				t.Errorf("%s: %+v is suggested, want %+v", p.CName, *p.Suggestion, want)
			}
		}
		if p.Suggestion == nil {
			continue
		}
		if !p.Suggestion.After.better(p.Suggestion.Before) {
			t.Errorf("%s: %+v is suggested for %+v", p.CName, p.Suggestion.After, p.Suggestion.Before)
		}
		suggested = append(suggested, p)
		c.WriteString(p.Suggestion.C)
		g.WriteString("//seam:layout " + p.CName + "\n" + p.Suggestion.Go + "\n")
	}
	if len(suggested) < random/4 {
		t.Fatalf("only %d suggestions", len(suggested))
	}
	second := build(t, c.String(), g.String())
	for i, p := range suggested {
		now := &second.Pairs[i]
		if got := (Figures{now.C.Size, now.C.Padding, len(now.C.Straddling)}); got != p.Suggestion.After {
			t.Errorf("%s: it was to be %+v, and is %+v:\n%s%s", p.CName, p.Suggestion.After, got, p.Suggestion.Go, p.Suggestion.C)
		}
		if p.Suggestion.Exhaustive && now.Suggestion != nil {
			t.Errorf("%s: the best order is bettered by %+v", p.CName, now.Suggestion)
		}
	}
}

func TestPermute(t *testing.T) {
	for n := range 7 {
		order := make([]int, n)
		want := 1
		for i := range n {
			order[i] = i
			want *= i + 1
		}
		seen := map[string]bool{}
		permute(order, n, func(o []int) {
			sorted := slices.Clone(o)
			slices.Sort(sorted)
			for i, x := range sorted {
				if i != x {
					t.Fatalf("%v is no order", o)
				}
			}
			seen[fmt.Sprint(o)] = true
		})
		if len(seen) != want {
			t.Errorf("%d orders of %d, want %d", len(seen), n, want)
		}
	}
}

func TestStraddling(t *testing.T) {
	for _, c := range []struct {
		offset, size int64
		straddles    bool
	}{
		{0, 8, false}, {56, 8, false}, {60, 8, true}, {64, 8, false}, {0, 64, false}, {1, 64, true}, {0, 128, false}, {8, 128, true}, {60, 0, false}, {8, 100, false}, {40, 100, true},
	} {
		got := len(straddling([]member{{Offset: c.offset, Size: c.size}}, 64)) > 0
		if got != c.straddles {
			t.Errorf("%d bytes at %d: straddles is %v", c.size, c.offset, got)
		}
	}
}
