package frames

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/text"
	"github.com/seamgo/seam/internal/testenv"
)

// Behind each go statement stands the function that its value must be, - where it
// can be any.
const values = `package main

import (
	"os"
	"sync"
)

var count int

//go:noinline
func work(n int) { count += n }

//go:noinline
func hold(f func()) { f() }

type I interface{ Do() }

type T struct{ n int }

//go:noinline
func (t *T) Do() { work(t.n) }

//go:noinline
func parameter(f func(), n int) {
	x := func() { work(n) }
	defer x()
	go f() //@ -
}

//go:noinline
func either(n int) {
	f := func() { work(n) }
	if n > 2 {
		f = func() { work(n + 1) }
	}
	go f() //@ -
}

//go:noinline
func several(n int) {
	f := func() { work(n) }
	g := func() { work(n + 1) }
	hold(g)
	for range n {
		go f() //@ main.several.func1
	}
	hold(func() { work(n + 2) })
	go g() //@ main.several.func2
}

//go:noinline
func method(t *T, n int) {
	f := t.Do
	hold(func() { work(n) })
	go f() //@ main.(*T).Do-fm
}

//go:noinline
func table(n int) {
	var wg sync.WaitGroup
	list := []func(){func() { work(n) }, func() { work(n + 1) }}
	for _, f := range list {
		go f()   //@ -
		wg.Go(f) //@ -
	}
	wg.Go( //@ main.table.func3
		func() { work(n + 2) },
	)
}

//go:noinline
func through(f func(int), i I) {
	x := func() { work(1) }
	defer x()
	go f(1)             //@ main.through.gowrap1
	go i.Do()           //@ main.through.gowrap2
	go func() { f(2) }() //@ main.through.func2
}

func main() {
	n := len(os.Args)
	parameter(func() { work(n) }, n)
	either(n)
	several(n)
	method(&T{n}, n)
	table(n)
	through(work, &T{n})
}
`

func TestValuesAreFollowedToWhereTheyAreMade(t *testing.T) {
	var want []string
	for i, line := range strings.Split(values, "\n") {
		if _, mark, ok := strings.Cut(line, "//@ "); ok {
			want = append(want, fmt.Sprintf("%d: %s", i+1, mark))
		}
	}
	for _, env := range toolchains() {
		for _, flags := range [][]string{nil, {"GOARCH=arm64"}, {"-buildmode=pie"}, {"-gcflags=-N -l"}} {
			env := slices.Clone(env)
			if len(flags) == 1 && strings.HasPrefix(flags[0], "GOARCH=") {
				env, flags = append(env, flags[0]), nil
			}
			t.Run(strings.Join(slices.Concat(env, flags), " "), func(t *testing.T) {
				if slices.Contains(env, "GOARCH=arm64") && runtime.GOARCH != "arm64" {
					testenv.Foreign(t)
				}
				b := analyse(t, values, env, Options{Top: 5}, flags...)
				var got []string
				for _, g := range b.Goroutines {
					if !strings.HasPrefix(g.Function, "main.") {
						continue
					}
					entry := g.Entry
					if entry == "" {
						entry = "-"
					}
					got = append(got, fmt.Sprintf("%d: %s", g.Line, entry))
				}
				slices.Sort(got)
				if !slices.Equal(got, want) {
					t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
				}
			})
		}
	}
}

// Of what a value holds nothing is known, whether it is started itself or called by
// what is started.
func TestUnknownValuesAreCounted(t *testing.T) {
	b := analyse(t, values, nil, Options{Top: 5})
	b.Goroutines = slices.DeleteFunc(b.Goroutines, func(g Goroutine) bool { return !strings.HasPrefix(g.Function, "main.") })
	var out bytes.Buffer
	if err := (&Report{Binaries: []Binary{*b}}).WriteText(&out, TextOptions{Options: text.Options{Width: 200}}); err != nil {
		t.Fatal(err)
	}
	if want := "7 goroutines are started from function values and interfaces"; !strings.Contains(out.String(), want) {
		t.Errorf("nothing says %q in\n%s", want, &out)
	}
}

// What is inlined into the runtime's functions is seldom done there too. The compiler
// is built with a profile, and so has much inlined.
func TestRareThingsStayRareWhereTheyAreInlined(t *testing.T) {
	b, err := Analyse(strings.TrimSpace(output(t, "go", "tool", "-n", "compile")), Options{Top: 1000})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range b.Chains {
		for i, s := range c.Steps {
			if s.Function == "runtime.(*mcentral).cacheSpan" || s.Function == "runtime.sweepone" {
				t.Fatalf("the chain from %s comes to %s by %s: to fetch memory for a span is rare", c.Function, s.Function, c.Steps[i-1].Function)
			}
		}
	}
}
