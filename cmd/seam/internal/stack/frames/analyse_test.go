//seam:test race

package frames

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/text"
	"github.com/seamgo/seam/internal/testenv"
)

// Behind each go statement stands what must be found: the function that it runs, -
// for a value; loop; the size to which the stack grows; ≥ where it can be more.
const starting = `package main

import (
	"os"
	"sync"
)

var sink *[4000]byte
var count int
var stop = make(chan int)

//go:noinline
//go:nosplit
func touch(p *[4000]byte) { p[0] = 1 }

//go:noinline
func deep(n int) { var a [4000]byte; touch(&a); count += int(a[n]) }

//go:noinline
func flat() { count++ }

//go:noinline
func middle(n int) { count++; deep(n); count++ }

//go:noinline
func recursive(n int) { if n > 0 { recursive(n - 1); count++; deep(n) } }

//go:noinline
func even(n int) { count++; if n > 0 { odd(n - 1); count++ } }

//go:noinline
func odd(n int) { count++; if n > 0 { even(n - 1); count++; deep(n) } }

//go:noinline
func message(n int) string { var a [4000]byte; touch(&a); return string(a[:n]) }

//go:noinline
func panics(n int) { if n > 100 { panic(message(n)) }; count++ }

//go:noinline
func defers(n int) { defer func() { deep(n); count++ }(); flat() }

type I interface{ Do(int) }
type T struct{}

//go:noinline
func (*T) Do(n int) { deep(n) }

type U struct{}

//go:noinline
func (*U) Do(n int) { count++ }

//go:noinline
func through(i I) { i.Do(1); count++ }

//go:noinline
func all(yield func(int) bool) { for i := range 3 { if !yield(i) { return } } }

//go:noinline
func value(f func()) {
	go f() //@ -
}

//go:noinline
func switches(n int) {
	for {
		switch n {
		case 1: count++
		case 2: count += 2
		case 3: count += 3
		case 4: count += 4
		case 5: count += 5
		case 6: go flat() //@ main.flat loop 2
		case 7: count += 7
		case 8: return
		}
		n++
	}
}

func main() {
	n := len(os.Args)
	p := &sink
	go flat() //@ main.flat 2
	go middle(n) //@ main.main.gowrap1 8
	for i := range n {
		go deep(i) //@ main.main.gowrap2 loop 8
	}
	for range n {
		go flat() //@ main.flat loop 2
	}
	for i := range n {
		go func() { deep(i); *p = new([4000]byte) }() //@ main.main.func1 loop 8
		if i > 3 {
			go flat() //@ main.flat 2
			break
		}
	}
	go recursive(n) //@ main.main.gowrap3 8 ≥
	go even(n) //@ main.main.gowrap4 8 ≥
	go panics(n) //@ main.main.gowrap5 2
	go defers(n) //@ main.main.gowrap6 8
	var i I = (*T)(nil)
	if n > 2 {
		i = (*U)(nil)
	}
	go through(i) //@ main.main.gowrap7 2 ≥
	for x := range all {
		go deep(x) //@ main.main.gowrap8 loop 8
	}
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { deep(i) }) //@ main.main.func2 loop 8
	}
	value(func() { deep(n) })
	switches(n)
	<-stop
}
`

func TestGoStatements(t *testing.T) {
	t.Parallel()
	var want []string
	for i, line := range strings.Split(starting, "\n") {
		if _, mark, ok := strings.Cut(line, "//@ "); ok {
			want = append(want, fmt.Sprintf("%d: %s", i+1, mark))
		}
	}
	for _, env := range toolchains() {
		for _, arch := range []string{"amd64", "arm64"} {
			for _, flags := range [][]string{nil, {"-buildmode=pie", "-ldflags=-s -w"}} {
				if flags != nil && env != nil {
					continue
				}
				t.Run(strings.Join(append(append(env, arch), flags...), " "), func(t *testing.T) {
					if arch != runtime.GOARCH {
						testenv.Foreign(t)
					}
					dir := write(t, map[string]string{"main.go": starting})
					b, err := Analyse(build(t, dir, append(slices.Clone(env), "GOARCH="+arch), flags...), Options{Top: 5})
					if err != nil {
						t.Fatal(err)
					}
					var got []string
					slices.SortFunc(b.Goroutines, func(x, y Goroutine) int { return x.Line - y.Line })
					for _, g := range b.Goroutines {
						if !strings.HasPrefix(g.Function, "main.") {
							continue
						}
						// Some compilers inline the loop over a function, others don't.
						entry := strings.Replace(g.Entry, "main.main-range1.gowrap1", "main.main.gowrap8", 1)
						line := fmt.Sprintf("%d: %s", g.Line, entry)
						if g.Entry == "" {
							line += "-"
						}
						if g.Loop && g.Chain != nil {
							line += " loop"
						}
						if g.Chain != nil {
							line += fmt.Sprintf(" %d", g.Chain.Stack>>10)
							if g.Chain.AtLeast && g.Chain.Function != "main.main.func1" && g.Chain.Function != "main.main.func2" {
								line += " ≥"
							}
						}
						got = append(got, line)
					}
					if !slices.Equal(got, want) {
						t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
					}
				})
			}
		}
	}
}

func goroutine(t *testing.T, b *Binary, function string) *Goroutine {
	t.Helper()
	for i := range b.Goroutines {
		if g := &b.Goroutines[i]; g.Chain != nil && slices.ContainsFunc(g.Chain.Steps, func(s Step) bool { return s.Function == function }) {
			return g
		}
	}
	t.Fatalf("no goroutine's chain goes through %s", function)
	return nil
}

func TestPanicsCountWhenAsked(t *testing.T) {
	t.Parallel()
	without := analyse(t, starting, nil, Options{Top: 5})
	for _, g := range without.Goroutines {
		if g.Chain != nil && g.Entry == "main.main.gowrap5" && g.Outgrows {
			t.Errorf("%+v", g.Chain)
		}
	}
	with := analyse(t, starting, nil, Options{Top: 5, Panics: true})
	if g := goroutine(t, with, "main.message"); g.Chain.Stack < 8<<10 || !g.Outgrows {
		t.Errorf("%+v", g)
	}
}

func TestChainsAddUp(t *testing.T) {
	t.Parallel()
	for _, arch := range []string{"amd64", "arm64"} {
		b := analyse(t, starting, []string{"GOARCH=" + arch}, Options{Top: 3})
		g := goroutine(t, b, "main.middle")
		c := g.Chain
		var names []string
		sum := int64(0)
		for _, s := range c.Steps {
			names = append(names, s.Function)
			sum += s.Bytes
			if s.Sum != sum || s.Recursive || s.Tail {
				t.Errorf("%+v, want a sum of %d", s, sum)
			}
		}
		if strings.Join(names, " ") != "main.main.gowrap1 main.middle main.deep" || sum != c.Bytes || c.Bytes < 4000 || c.Bytes > 4200 || c.AtLeast || c.Copies != 1 {
			t.Errorf("%s: %+v", arch, c)
		}
		if len(b.Chains) != 3 || b.Chains[0].Bytes < b.Chains[2].Bytes {
			t.Errorf("%+v", b.Chains)
		}
		if f := b.Largest[0]; !strings.HasPrefix(f.Function, "main.") || f.Bytes < 4000 || len(f.Locals) == 0 || f.Locals[0].Name != "a" || f.Locals[0].Bytes != 4000 || f.Locals[0].Type != "[4000]uint8" || f.Line == 0 {
			t.Errorf("%+v", f)
		}
		r := goroutine(t, b, "main.odd").Chain
		if !r.Recursive || !r.AtLeast || r.Pointers || !r.Steps[len(r.Steps)-2].Recursive {
			t.Errorf("%+v", r)
		}
	}
}

func TestTestBinariesAndPackages(t *testing.T) {
	testenv.Builds(t)
	dir := write(t, map[string]string{
		"lib/lib.go":      "package lib\n",
		"lib/lib_test.go": "package lib\n\nimport \"testing\"\n\nfunc TestDeep(t *testing.T) { var a [9000]byte; touch(&a) }\n\n//go:noinline\nfunc touch(p *[9000]byte) { p[1] = 1 }\n",
		"a/main.go":       "package main\n\nfunc main() {}\n",
		"b/main.go":       "package main\n\nfunc main() { println() }\n",
	})
	var ran [][]string
	b := &Builder{Go: "go", Dir: dir, Run: func(argv []string) error {
		ran = append(ran, argv)
		return runIn(dir, argv)
	}}
	t.Setenv("GOWORK", "off")
	r, err := Run(t.Context(), b, []string{"./..."}, nil, Options{Top: 5}, "v1")
	if err != nil || len(r.Binaries) != 2 || r.Binaries[0].Package != "m/a" || r.Binaries[1].Package != "m/b" || len(r.Binaries[0].Goroutines) == 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	for _, g := range r.Binaries[0].Goroutines {
		if !g.Runtime {
			t.Errorf("a program without go statements: %+v", g)
		}
	}
	if _, err := Run(t.Context(), b, []string{"./lib"}, nil, Options{Top: 5}, "v1"); err == nil || !strings.Contains(err.Error(), "no package main") {
		t.Error(err)
	}
	b.Test = true
	r, err = Run(t.Context(), b, []string{"./..."}, nil, Options{Top: 9}, "v1")
	if err != nil || len(r.Binaries) != 1 || !r.Binaries[0].Test {
		t.Fatalf("%+v, %v", r, err)
	}
	if !slices.ContainsFunc(r.Binaries[0].Chains, func(c Chain) bool { return c.Kind == "test" && c.Function == "m/lib.TestDeep" && c.Stack == 16<<10 }) {
		t.Errorf("%+v", r.Binaries[0].Chains)
	}
	b.Flags = []string{"-o=x"}
	if _, err := Run(t.Context(), b, []string{"./a"}, nil, Options{Top: 5}, "v1"); err == nil || !strings.Contains(err.Error(), "--build -o=x") {
		t.Error(err)
	}
}

func TestTextAndJSON(t *testing.T) {
	path := build(t, write(t, map[string]string{"main.go": starting}), nil)
	r, err := Run(t.Context(), nil, nil, []string{path}, Options{Top: 4}, "v1")
	if err != nil {
		t.Fatal(err)
	}
	for _, width := range []int{60, 100, 200} {
		var out bytes.Buffer
		if err := r.WriteText(&out, TextOptions{Options: text.Options{Width: width}, Top: 4, Dir: filepath.Dir(path)}); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"Goroutines that outgrow 2 KB: 8 of ", " in a loop ", "2 KB -> 8 KB", "Deepest chains of calls", "Largest frames", "1 goroutine is started from", "that may, by calls", "--top 9 shows them"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("width %d: no %q in\n%s", width, want, &out)
			}
		}
		for line := range strings.Lines(out.String()) {
			if len(line) > width+1 || strings.HasSuffix(line, " \n") {
				t.Errorf("width %d: %q", width, line)
			}
			for _, c := range line {
				if c > 126 {
					t.Fatalf("not ASCII without colours: %q", line)
				}
			}
		}
	}
	var out bytes.Buffer
	if err := r.WriteJSON(&out); err != nil {
		t.Fatal(err)
	}
	var back struct {
		Schema string
		Report
	}
	d := json.NewDecoder(&out)
	d.DisallowUnknownFields()
	if err := d.Decode(&back); err != nil || back.Schema != "seam.stack-frames/1" || len(back.Binaries[0].Goroutines) != len(r.Binaries[0].Goroutines) {
		t.Errorf("%+v, %v", back, err)
	}
}

// The constants of the model are those of the Go at hand.
func TestModelIsThatOfTheSource(t *testing.T) {
	root := strings.TrimSpace(output(t, "go", "env", "GOROOT"))
	for _, test := range []struct{ file, want string }{
		{"runtime/stack.go", "stackMin = 2048"},
		{"runtime/stack.go", "stackNosplit = abi.StackNosplitBase * sys.StackGuardMultiplier"},
		{"runtime/stack.go", "stackGuard = stackNosplit + stackSystem + abi.StackSmall"},
		{"runtime/stack.go", "for newsize-used < needed {"},
		{"runtime/proc.go", "totalSize := uintptr(4*goarch.PtrSize + sys.MinFrameSize)"},
		{"runtime/proc.go", "maxstacksize = 1000000000"},
		{"internal/abi/stack.go", "StackNosplitBase = 800"},
		{"internal/abi/stack.go", "StackSmall = 128"},
	} {
		text, err := os.ReadFile(filepath.Join(root, "src", test.file))
		if err != nil {
			t.Skip(err)
		}
		if !strings.Contains(string(text), test.want) {
			t.Errorf("%s of %s has no %q", test.file, runtime.Version(), test.want)
		}
	}
}

func TestShortNames(t *testing.T) {
	for long, want := range map[string]string{
		"main.main":                   "main.main",
		"github.com/a/b.(*T).M.func1": "b.(*T).M.func1",
		"a/b.F[go.shape.struct { x/y.Z; c int },d/e.G]": "b.F[go.shape.struct { y.Z; c int },e.G]",
		"[]github.com/a/b.T":                            "[]b.T",
		"map[string]a/b.T":                              "map[string]b.T",
	} {
		if got := short(long); got != want {
			t.Errorf("%s: %s, want %s", long, got, want)
		}
	}
}
