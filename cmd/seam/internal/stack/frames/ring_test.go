package frames

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/text"
)

const recursing = `package main

import (
	"fmt"
	"os"
	"sort"
	"strings"
)

type tree struct{ left, right *tree }

var count int

//go:noinline
func mk(n int) *tree {
	if n == 0 { return nil }
	return &tree{left: mk(n - 1)}
}

//go:noinline
func walk(t *tree) { if t != nil { walk(t.left); count++ } }

//go:noinline
func expr(s string) int { return term(s) + 1 }

//go:noinline
func term(s string) int { return factor(s) * 2 }

//go:noinline
func factor(s string) int {
	if strings.HasPrefix(s, "(") { return expr(s[1:]) + 3 }
	if strings.HasPrefix(s, "-") { return factor(s[1:]) + 1 }
	return len(s)
}

//go:noinline
func big(n int) int {
	var a [4000]byte
	fill(&a)
	if n > 0 { return big(n-1) + int(a[n]) }
	return 0
}

//go:noinline
func fill(a *[4000]byte) { a[1] = 1 }

//go:noinline
func flat() { count++ }

//go:noinline
func again(n int) {
	defer flat()
	if n > 0 { go func() { again(n - 1) }() } //@ -
}

type list []int

func (l list) Len() int { return len(l) }
func (l list) Less(i, j int) bool { return l[i] < l[j] }
func (l list) Swap(i, j int) { l[i], l[j] = l[j], l[i] }

func main() {
	n := len(os.Args)
	go func() { walk(mk(50000)) }() //@ mk/1, walk/1
	go func() { count += expr(os.Args[0]) }() //@ expr term factor/3
	go big(n) //@ big/1
	go flat() //@ -
	go again(n) //@ -
	go func() { sort.Sort(list{1, 2}); fmt.Println(n) }() //@ -
	MAIN
	select {}
}
`

func TestRecursionIsTold(t *testing.T) {
	var want []string
	for i, line := range strings.Split(recursing, "\n") {
		if _, mark, ok := strings.Cut(line, "//@ "); ok {
			want = append(want, fmt.Sprintf("%d: %s", i+1, mark))
		}
	}
	for _, arch := range []string{"amd64", "arm64"} {
		for _, flags := range [][]string{nil, {"-trimpath", "-ldflags=-s -w"}} {
			b := analyse(t, strings.Replace(recursing, "MAIN", "", 1), []string{"GOARCH=" + arch}, Options{Top: 5}, flags...)
			var got []string
			slices.SortFunc(b.Goroutines, func(x, y Goroutine) int { return x.Line - y.Line })
			for _, g := range b.Goroutines {
				if g.Runtime || !strings.HasPrefix(g.Function, "main.") {
					continue
				}
				var rings []string
				for _, i := range g.Chain.Rings {
					r := b.Rings[i]
					rings = append(rings, fmt.Sprintf("%s/%d", strings.ReplaceAll(strings.Join(r.Functions, " "), "main.", ""), r.Members))
				}
				slices.Sort(rings)
				if rings == nil {
					rings = []string{"-"}
				}
				got = append(got, fmt.Sprintf("%d: %s", g.Line, strings.Join(rings, ", ")))
			}
			if !slices.Equal(got, want) || len(b.MainRings) != 0 {
				t.Errorf("%s %v: main %v, got\n%s\nwant\n%s", arch, flags, b.MainRings, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
	}
}

// A round takes what the stack pointer moves by.
func TestARoundAddsUp(t *testing.T) {
	for arch, push := range map[string]int64{"amd64": 8, "arm64": 0} {
		b := analyse(t, strings.Replace(recursing, "MAIN", "", 1), []string{"GOARCH=" + arch}, Options{Top: 1 << 20})
		frame := map[string]int64{}
		for _, f := range b.Largest {
			frame[f.Function] = f.Bytes
		}
		for _, r := range b.Rings {
			sum := int64(0)
			for _, f := range r.Functions {
				sum += frame[f] + push
			}
			if r.Bytes != sum || r.Line == 0 {
				t.Errorf("%s: %+v, want %d bytes", arch, r, sum)
			}
		}
	}
}

func TestTextTellsRecursion(t *testing.T) {
	for _, test := range []struct {
		main       string
		want, lack []string
	}{
		{"", []string{
			"Goroutines that outgrow 2 KB: 2 of 7 go statements, 0 of them started in loops;\nwithout a bound: 2 more\n",
			"Goroutines without a bound (recursion): 3 of 7 go statements, 0 of them started\nin loops\n",
			"    calls itself: walk, ", "    calls itself: mk, ", "    calls itself: expr -> term -> factor, ", " bytes a round, no bound\n", "No bound: nothing in the calls ends the rounds",
		}, []string{"printValue, ", "calls itself: flat", "main and the packages'"}},
		{"walk(mk(n))", []string{"; and main\n  main and the packages' initialisation\n    calls itself: "}, nil},
	} {
		path := build(t, write(t, map[string]string{"main.go": strings.Replace(recursing, "MAIN", test.main, 1)}), nil)
		r, err := Run(t.Context(), nil, nil, []string{path}, Options{Top: 8}, "v1")
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := r.WriteText(&out, TextOptions{Options: text.Options{Width: 80}, Top: 8, Dir: filepath.Dir(path)}); err != nil {
			t.Fatal(err)
		}
		for _, w := range test.want {
			if !strings.Contains(out.String(), w) {
				t.Errorf("no %q in\n%s", w, &out)
			}
		}
		for _, w := range test.lack {
			if strings.Contains(out.String(), w) {
				t.Errorf("%q in\n%s", w, &out)
			}
		}
	}
}

func TestRingNames(t *testing.T) {
	for _, test := range []struct {
		ring Ring
		want string
	}{
		{Ring{Functions: []string{"main.f"}, Bytes: 8, Members: 1}, "calls itself: f, 8 bytes a round, no bound"},
		{Ring{Functions: []string{"x/a.(*P).f", "x/a.(*P).g", "x/b.h"}, Bytes: 88, Members: 3}, "calls itself: a.(*P).f → (*P).g → b.h, 88 bytes a round, no bound"},
		{Ring{Functions: []string{"main.f"}, Bytes: 8, Members: 4}, "calls itself: f, 8 bytes a round, no bound; one way round of 4 functions that call each other"},
		{Ring{Functions: strings.Fields("a.a a.b a.c a.d a.e a.f a.g a.h a.i a.j"), Bytes: 80, Members: 10}, "calls itself: a.a → b → c → d → e → f → g → 2 more → j, 80 bytes a round, no bound"},
	} {
		if got := test.ring.String(); got != test.want {
			t.Errorf("%s, want %s", got, test.want)
		}
	}
}
