//go:build linux && !android && (amd64 || arm64) && gc && !asan && !msan && go1.25 && !go1.28

//seam:test race nocgo toolchains metal pointers

package dl

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/seamgo/seam/internal/testenv"
)

type (
	addArgs struct {
		A, B int64
		Sum  int64 `dl:"result"`
	}
	addiArgs struct {
		A, B int32
		Sum  int32 `dl:"result"`
	}
	mulArgs struct {
		A, B float64
		R    float64 `dl:"result"`
	}
	spinArgs struct{ NS int64 }
	callArgs struct {
		F    uintptr
		N    int64
		Data uintptr
		R    int64 `dl:"result"`
	}
	callbackArgs struct {
		N    int64
		Data Handle
		R    int64 `dl:"result"`
	}
)

func TestStatus(t *testing.T) {
	want := PathAssembly
	if os.Getenv("SEAM_DL") == "cgo" {
		want = PathCgo
	}
	if s := Status(); s.Path != want {
		t.Errorf("%s; want %s", s, want)
	}
}

// Every quick entry: so many words, each kind of result, and floats.
func TestEntries(t *testing.T) {
	lib := openC(t, "entries", `
long q0(void) { return -1; } long q1(long a) { return a; } long q2(long a, long b) { return a + 2 * b; }
long q8(long a, long b, long c, long d, long e, long f, long g, long h) { return a + 2*b + 3*c + 4*d + 5*e + 6*f + 7*g + 8*h; }
int l6(long a, long b, long c, long d, long e, long f) { return a + 2*b + 3*c + 4*d + 5*e + 6*f; }
double d3(long a, long b, long c) { return a + 2*b + 3*c; }
double f4(double a, double b, double c, double d) { return a + 2*b + 3*c + 4*d; }
long last; void v5(long a, long b, long c, long d, long e) { last = a + 2*b + 3*c + 4*d + 5*e; }
long get(void) { return last; }`)
	check := func(name string, args any, want float64) {
		t.Helper()
		v := reflect.New(reflect.TypeOf(args))
		v.Elem().Set(reflect.ValueOf(args))
		for _, leaf := range []bool{true, false} {
			f, err := lib.function(name, v.Elem().Type(), leaf)
			if err != nil {
				t.Fatal(err)
			}
			for range firstOnes + 10 { // first timed, then quick
				call(f, v.UnsafePointer())
			}
			got := v.Elem().Field(v.Elem().NumField() - 1)
			if !got.CanFloat() && float64(got.Int()) != want || got.CanFloat() && got.Float() != want {
				t.Errorf("%s, leaf %v: %v, want %v", name, leaf, got, want)
			}
		}
	}
	type word = int64
	check("q0", struct {
		R word `dl:"result"`
	}{}, -1)
	check("q1", struct {
		A word
		R word `dl:"result"`
	}{A: 7}, 7)
	check("q2", addArgs{A: 1, B: -5}, -9)
	check("q8", struct {
		A, B, C, D, E, F, G, H word
		R                      word `dl:"result"`
	}{1, 2, 3, 4, 5, 6, 7, 8, 0}, 204)
	check("l6", struct {
		A, B, C, D, E, F word
		R                int32 `dl:"result"`
	}{1, 2, 3, 4, 5, -60, 0}, -305)
	check("d3", struct {
		A, B, C word
		R       float64 `dl:"result"`
	}{1, 2, 3, 0}, 14)
	check("f4", struct {
		A, B, C, D float64
		R          float64 `dl:"result"`
	}{1, 2, 3, 4.5, 0}, 32)
	v5, err := LeafOf[struct{ A, B, C, D, E word }](lib, "v5")
	if err != nil {
		t.Fatal(err)
	}
	v5.Call(&struct{ A, B, C, D, E word }{1, 2, 3, 4, 5})
	check("get", struct {
		R word `dl:"result"`
	}{}, 55)
}

// What lies behind the result in memory is not written.
func TestResultIsNoLarger(t *testing.T) {
	type args struct {
		A, B  int64
		Sum   int32 `dl:"result"`
		Errno int32 `dl:"errno"`
	}
	f := leafOf[struct {
		A, B int64
		Sum  int32 `dl:"result"`
	}](t, "addi")
	var memory [4]int64
	for i := range memory {
		memory[i] = -1
	}
	a := (*struct {
		A, B int64
		Sum  int32 `dl:"result"`
	})(unsafe.Pointer(&memory))
	a.A, a.B = 2, 3
	f.Call(a)
	if a.Sum != 5 || memory[2]>>32 != -1 || memory[3] != -1 {
		t.Errorf("%v", memory)
	}
	g := funcOf[args](t, "addi")
	b := args{A: 2, B: 3}
	g.Call(&b)
	if b.Sum != 5 {
		t.Errorf("%+v", b)
	}
}

func TestAllocations(t *testing.T) {
	testenv.Allocations(t)
	if testing.CoverMode() != "" || state.Path != PathAssembly {
		t.Skip("coverage allocates, and so does the path " + state.Path)
	}
	add, adds, addi := leafOf[addArgs](t, "add"), funcOf[addArgs](t, "add"), leafOf[addiArgs](t, "addi")
	store := leafOf[struct {
		To    *int64
		Value int64
	}](t, "store")
	for name, f := range map[string]func(){
		"leaf":    func() { a := addArgs{A: 1}; add.Call(&a) },
		"planned": func() { a := addiArgs{A: 1}; addi.Call(&a) },
		"pointer to the stack": func() {
			var x int64
			store.Call(&struct {
				To    *int64
				Value int64
			}{&x, 5})
			if x != 5 {
				t.Error(x)
			}
		},
	} {
		if n := testing.AllocsPerRun(1000, f); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
	if n := testing.AllocsPerRun(1000, func() { a := addArgs{A: 1}; adds.Call(&a) }); n != 0 {
		t.Errorf("announced: %v allocations", n)
	}
}

func TestErrno(t *testing.T) {
	type args struct {
		With  int32
		Errno int32 `dl:"errno"`
		R     int32 `dl:"result"`
	}
	f, g := leafOf[args](t, "fails"), funcOf[args](t, "fails")
	var wg sync.WaitGroup
	for i := range int32(8) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for n := range int32(1000) {
				a := args{With: i*1000 + n}
				if n%2 == 0 {
					f.Call(&a)
				} else {
					g.Call(&a)
				}
				if a.Errno != a.With || a.R != -1 {
					t.Errorf("%+v", a)
				}
			}
		}()
	}
	wg.Wait()
}

func TestVariadic(t *testing.T) {
	type sumArgs struct {
		N    int32
		A    int32 `dl:"variadic"`
		B, C int32
		R    int64 `dl:"result"`
	}
	a := sumArgs{N: 3, A: 1, B: -2, C: 30}
	leafOf[sumArgs](t, "sum").Call(&a)
	if a.R != 29 {
		t.Error(a.R)
	}
	type meanArgs struct {
		N                   int32
		A                   float64 `dl:"variadic"`
		B, C, D, E, F, G, H float64
		I, J                float64
		R                   float64 `dl:"result"`
	}
	b := meanArgs{N: 10, A: 1, B: 2, C: 3, D: 4, E: 5, F: 6, G: 7, H: 8, I: 9, J: 10}
	funcOf[meanArgs](t, "mean").Call(&b)
	if b.R != 5.5 {
		t.Error(b.R)
	}
}

type number struct{ L int64 }

func (number) Members() []any { return []any{float64(0), int64(0)} }

type realUnion struct{ D float64 }

func (realUnion) Members() []any { return []any{float64(0), float32(0)} }

func TestUnions(t *testing.T) {
	type bothT struct {
		N number
		O float64
	}
	type args struct {
		L int64
		D float64
		R bothT `dl:"result"`
	}
	a := args{L: 5, D: 2.5}
	leafOf[args](t, "both_of").Call(&a)
	if a.R.N.L != 5 || a.R.O != 2.5 {
		t.Errorf("%+v", a)
	}
	type nArgs struct {
		N number
		D float64
		R int64 `dl:"result"`
	}
	n := nArgs{N: number{7}, D: 3}
	leafOf[nArgs](t, "number_of").Call(&n)
	if n.R != 10 {
		t.Errorf("%+v", n)
	}
	type rArgs struct {
		U realUnion
		R float64 `dl:"result"`
	}
	r := rArgs{U: realUnion{1.25}}
	leafOf[rArgs](t, "real_of").Call(&r)
	if r.R != 1.25 {
		t.Errorf("%+v", r)
	}
}

func TestSignatureErrors(t *testing.T) {
	lib := testLib(t)
	try := func(err error, want ...string) {
		t.Helper()
		if err == nil {
			t.Error("no error")
			return
		}
		for _, w := range append(want, "dl: add") {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%q lacks %q", err, w)
			}
		}
	}
	_, err := LeafOf[int](lib, "add")
	try(err, "described by a struct")
	_, err = LeafOf[struct{ A string }](lib, "add")
	try(err, "field A", "no counterpart in C of type string")
	_, err = LeafOf[struct{ A func() }](lib, "add")
	try(err, "no counterpart in C of type func()")
	_, err = LeafOf[struct{ A struct{ B []int } }](lib, "add")
	try(err, "field A", "field B", "[]int")
	_, err = LeafOf[struct{ A [3]int32 }](lib, "add")
	try(err, "passed as a pointer in C")
	_, err = LeafOf[struct {
		A int64 `dl:"result"`
		B int64 `dl:"result"`
	}](lib, "add")
	try(err, "field B", "second result", "A is the first")
	_, err = LeafOf[struct {
		A int64 `dl:"out"`
	}](lib, "add")
	try(err, `dl:"out"`, "unknown")
	_, err = LeafOf[struct {
		A int64 `dl:"errno"`
	}](lib, "add")
	try(err, "errno is an int32")
	_, err = LeafOf[struct {
		A int32 `dl:"variadic"`
	}](lib, "add")
	try(err, "fixed argument first")
	_, err = LeafOf[struct {
		A    int32
		B, C int32 `dl:"variadic"`
	}](lib, "add")
	try(err, "field C", "only the first")
	_, err = LeafOf[struct {
		A int32
		B float32 `dl:"variadic"`
	}](lib, "add")
	try(err, "float32 becomes float64")
	_, err = LeafOf[struct{ A struct{ B [1 << 14]int64 } }](lib, "add")
	try(err, "too much for C's stack")
	_, err = NewCallback("add", func(*struct {
		E int32 `dl:"errno"`
	}) {
	})
	if err == nil || !strings.Contains(err.Error(), "no errno") {
		t.Error(err)
	}
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	whole := compileC(t, "whole", "int x;")
	text, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string, b []byte) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, b, 0o666); err != nil {
			t.Fatal(err)
		}
		return p
	}
	other := append([]byte{}, text...)
	other[18] = 0xf3 // EM_RISCV
	other[19] = 0
	undefined := compileC(t, "undefined", "extern int nobody_has_this(void); int f(void) { return nobody_has_this(); }")
	for _, c := range []struct {
		names []string
		want  []string
	}{
		{nil, []string{"no name"}},
		{[]string{""}, []string{"no name of a library"}},
		{[]string{"a\x00b"}, []string{"no name of a library"}},
		{[]string{"libnobody.so.7", "libnobody.so.6"}, []string{"libnobody.so.7", "; nor libnobody.so.6", "No such file"}},
		{[]string{dir + "/none.so"}, []string{"No such file"}},
		{[]string{dir}, []string{dir}},
		{[]string{write("empty.so", nil)}, []string{"0 bytes", "damaged"}},
		{[]string{write("short.so", text[:100])}, []string{"100 bytes", "damaged"}},
		{[]string{write("text.so", []byte("GROUP ( libm.so.6 )"))}, []string{"damaged, or no library"}},
		{[]string{write("cut.so", text[:len(text)/2])}, []string{"cut.so", "is truncated"}},
		{[]string{write("riscv.so", other)}, []string{"the file is for EM_RISCV"}},
		{[]string{undefined}, []string{"nobody_has_this"}},
	} {
		lib, err := Open(c.names...)
		var open *OpenError
		if err == nil || !errors.As(err, &open) || len(open.Tried) != len(c.names) {
			t.Errorf("%q: %v, %v", c.names, lib, err)
			continue
		}
		for _, w := range c.want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%q: %q lacks %q", c.names, err, w)
			}
		}
	}
	lib, err := Open("libnobody.so.7", whole)
	if err != nil || lib.Name() != whole {
		t.Fatal(lib, err)
	}
	_, err = LeafOf[addArgs](lib, "add")
	var symbol *SymbolError
	if !errors.As(err, &symbol) || symbol.Symbol != "add" || !strings.Contains(err.Error(), whole) || lib.Has("add") || !lib.Has("x") {
		t.Error(err)
	}
	if _, err := Of[addArgs](lib, "a\x00b"); err == nil {
		t.Error("a name with a zero byte was found")
	}
}

// Errors belong to who made the mistake, though the loader keeps them by thread.
func TestOpenErrorsAtOnce(t *testing.T) {
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			name := "libnobody" + string(rune('a'+i)) + ".so"
			for range 50 {
				if _, err := Open(name); err == nil || strings.Count(err.Error(), name) != 2 {
					t.Errorf("%s: %v", name, err)
				}
			}
		}()
	}
	wg.Wait()
}

func TestClose(t *testing.T) {
	text := `#include <unistd.h>
long add(long a, long b) { return a + b; } void waits(volatile int *go) { while (!*go) usleep(1000); }`
	lib := openC(t, "closed", text)
	add, err := LeafOf[addArgs](lib, "add")
	if err != nil {
		t.Fatal(err)
	}
	waits, err := Of[struct{ Go *int32 }](lib, "waits")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan bool)
	wake := new(int32)
	go func() { waits.Call(&struct{ Go *int32 }{wake}); close(done) }()
	for lib.calls.sum()+lib.running.sum() == 0 {
		runtime.Gosched()
	}
	var busy *BusyError
	for range 100 { // calls that come meanwhile are made
		if err := lib.Close(); !errors.As(err, &busy) {
			t.Fatal("it was closed while a call ran: ", err)
		}
	}
	if busy.Calls != 1 {
		t.Error(busy)
	}
	a := addArgs{A: 1, B: 2}
	if add.Call(&a); a.Sum != 3 {
		t.Error(a)
	}
	atomic.StoreInt32(wake, 1)
	<-done

	// Leaves that run all the time.
	var stop, through atomic.Int32
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			defer func() {
				if r := recover(); r == nil || !strings.Contains(r.(string), "add is called, and its library") {
					t.Error(r)
				}
			}()
			for stop.Load() == 0 {
				a := addArgs{A: 1, B: 2}
				if add.Call(&a); a.Sum != 3 {
					t.Error(a)
				}
				through.Add(1)
			}
			a := addArgs{}
			add.Call(&a) // in case nobody met the closed library
		}()
	}
	for through.Load() < 10000 {
		runtime.Gosched()
	}
	for err = lib.Close(); errors.As(err, &busy); err = lib.Close() { // timed calls count
		runtime.Gosched()
	}
	if err != nil {
		t.Error(err)
	}
	stop.Store(1)
	wg.Wait()
	if err := lib.Close(); err != nil {
		t.Error("closed again:", err)
	}
	if _, err := lib.Symbol("add"); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Error(err)
	}
}

// However many processors the runtime has, and whichever a call ends on, it counts once while it runs; a
// call that a callback's panic ended does not.
func TestCloseCounts(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processorsN + 8))
	lib := openC(t, "counts", `#include <unistd.h>
void waits(volatile int *go) { while (!*go) usleep(1000); } void calls(void (*f)(void)) { f(); }`)
	waits, err := Of[struct{ Go *int32 }](lib, "waits")
	if err != nil {
		t.Fatal(err)
	}
	calls, err := Of[struct{ F uintptr }](lib, "calls")
	if err != nil {
		t.Fatal(err)
	}
	back := callbackOf(t, "back", func(*struct{}) { runtime.Gosched() })
	panics := callbackOf(t, "panics", func(*struct{}) { panic("through C") })
	const n = processorsN + 8
	wake, ready := new(int32), atomic.Int32{}
	var wg sync.WaitGroup
	for range n {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 100 {
				calls.Call(&struct{ F uintptr }{back.Pointer()})
			}
			func() {
				defer func() { recover() }()
				calls.Call(&struct{ F uintptr }{panics.Pointer()})
			}()
			ready.Add(1)
			waits.Call(&struct{ Go *int32 }{wake})
		}()
	}
	for ready.Load() < n || lib.calls.sum()+lib.running.sum() != n { // all wait, and no other call runs
		runtime.Gosched()
	}
	for range 20 {
		var busy *BusyError
		if err := lib.Close(); !errors.As(err, &busy) || busy.Calls != n {
			t.Fatal(err)
		}
	}
	atomic.StoreInt32(wake, 1)
	wg.Wait()
	if err := lib.Close(); err != nil {
		t.Error(err)
	}
}

func TestCallbacks(t *testing.T) {
	back := callbackOf(t, "twice", func(a *callbackArgs) { a.R = a.N * a.Data.Value().(int64) })
	h := NewHandle(int64(2))
	defer h.Delete()
	call := funcOf[callArgs](t, "call")
	threads := funcOf[callArgs](t, "threads")
	var wg sync.WaitGroup
	for range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range int64(2000) {
				a := callArgs{F: back.Pointer(), N: i, Data: h.Pointer()}
				if call.Call(&a); a.R != 2*i {
					t.Errorf("%+v", a)
				}
			}
			a := callArgs{F: back.Pointer(), N: 8, Data: h.Pointer()}
			if threads.Call(&a); a.R != 56 {
				t.Errorf("from C's threads: %+v", a)
			}
		}()
	}
	wg.Wait()
}

// The stack moves while C is in a call with arguments on it: results come to where they are then.
func TestStackMoves(t *testing.T) {
	type args struct {
		F    uintptr
		N    int64
		Data uintptr
		Out  *int64
		R    int64 `dl:"result"`
	}
	grown := callbackOf(t, "grow", func(a *callbackArgs) { a.R = int64(grow(int(a.N) * 40)) })
	calls := funcOf[args](t, "calls")
	for range 20 {
		done := make(chan bool)
		go func() {
			defer close(done)
			out := new(int64)
			a := args{F: grown.Pointer(), N: 30, Out: out}
			calls.Call(&a)
			if a.R != 30*42 || *out != a.R {
				t.Errorf("%+v, %d", a, *out)
			}
		}()
		<-done
	}
}

// grow uses so many frames and returns 42.
//
//go:noinline
func grow(depth int) int {
	var frame [128]byte
	frame[depth%128] = 42
	if depth > 0 {
		return grow(depth-1) + int(frame[(depth+1)%128])
	}
	return int(frame[0])
}

func TestPanicThroughC(t *testing.T) {
	back := callbackOf(t, "panics", func(*callbackArgs) { panic("through") })
	call := funcOf[callArgs](t, "call")
	for range 100 {
		func() {
			defer func() {
				if r := recover(); r != "through" {
					t.Error(r)
				}
			}()
			call.Call(&callArgs{F: back.Pointer()})
		}()
	}
	if n := testLib(t).calls.sum() + testLib(t).running.sum(); n != 0 {
		t.Errorf("%d calls count as running", n)
	}
}

// Places of callbacks are used again.
func TestManyCallbacks(t *testing.T) {
	call := funcOf[callArgs](t, "call")
	n := int64(1_000_000)
	if testing.Short() || testenv.Repeated() {
		n = 20_000
	}
	var before, after runtime.MemStats
	for i := range n {
		if i == n/10 {
			runtime.GC()
			runtime.ReadMemStats(&before)
		}
		c, err := NewCallback("one", func(a *callbackArgs) { a.R = i })
		if err != nil {
			t.Fatal(err)
		}
		if i%100 == 0 {
			a := callArgs{F: c.Pointer()}
			if call.Call(&a); a.R != i {
				t.Fatalf("%d: %+v", i, a)
			}
		}
		c.Release()
		c.Release()
	}
	runtime.GC()
	if runtime.ReadMemStats(&after); after.HeapAlloc > before.HeapAlloc+1<<20 {
		t.Errorf("the heap grew from %d to %d bytes", before.HeapAlloc, after.HeapAlloc)
	}
	var all []*Callback
	for {
		c, err := NewCallback("many", func(*callbackArgs) {})
		if err != nil {
			if !strings.Contains(err.Error(), "1024 callbacks exist") {
				t.Error(err)
			}
			break
		}
		all = append(all, c)
	}
	for _, c := range all {
		c.Release()
	}
	if len(all) < 1000 {
		t.Errorf("there was room for %d", len(all))
	}
}

func TestHandles(t *testing.T) {
	seen := map[Handle]bool{}
	for i := range 10000 {
		h := NewHandle(i)
		if seen[h] || h == 0 || h.Value() != i {
			t.Fatal(i, h)
		}
		seen[h] = true
		if unsafe.Sizeof(h) == 8 && h>>63 != 1 {
			t.Fatalf("%#x could be an address in Go's heap", uintptr(h))
		}
		h.Delete()
	}
	if n := len(handles.places); n > 100 {
		t.Errorf("%d places for handles that didn't live at once", n)
	}
	for name, f := range map[string]func(){
		"Value":  func() { h := NewHandle(1); h.Delete(); h.Value() },
		"Delete": func() { h := NewHandle(1); h.Delete(); h.Delete() },
		"zero":   func() { Handle(0).Value() },
		"wild":   func() { Handle(1 << 50).Value() },
	} {
		func() {
			defer func() {
				if r := recover(); r == nil || !strings.Contains(r.(string), "deleted or never made") {
					t.Errorf("%s: %v", name, r)
				}
			}()
			f()
		}()
	}
}

func TestBound(t *testing.T) {
	if !layout {
		t.Skip("nothing is bounded here")
	}
	type meetArgs struct {
		Want int32
		NS   int64
		R    int64 `dl:"result"`
	}
	meet, left := funcOf[meetArgs](t, "meet", Bound(3)), funcOf[struct{}](t, "left")
	var wg sync.WaitGroup
	var most atomic.Int64
	for range 12 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			a := meetArgs{Want: 4, NS: 5e6}
			meet.Call(&a)
			for n := most.Load(); a.R > n && !most.CompareAndSwap(n, a.R); n = most.Load() {
			}
			left.Call(&struct{}{})
		}()
	}
	wg.Wait()
	// left is counted after the place is given back, so one more may have come in for each.
	if n := most.Load(); n > 6 {
		t.Errorf("%d goroutines were in C at once", n)
	}
	defer func() {
		if r := recover(); r == nil {
			t.Error("Bound(0) was accepted")
		}
	}()
	Bound(0)
}

// A function that takes a place may be called again by a callback from within, with all taken.
func TestBoundNested(t *testing.T) {
	if !layout {
		t.Skip("nothing is bounded here")
	}
	call := funcOf[callArgs](t, "call", Bound(1))
	var back *Callback
	back = callbackOf(t, "nested", func(a *callbackArgs) {
		if a.N > 0 {
			inner := callArgs{F: back.Pointer(), N: a.N - 1}
			call.Call(&inner)
			a.R = inner.R + 1
		}
	})
	a := callArgs{F: back.Pointer(), N: 5}
	if call.Call(&a); a.R != 5 {
		t.Error(a)
	}
}

// In a bubble of testing/synctest time stands still while a goroutine is in C.
func TestBubble(t *testing.T) {
	add := leafOf[addArgs](t, "add")
	for range 3 {
		synctest.Test(t, func(t *testing.T) {
			for i := range int64(5000) {
				a := addArgs{A: i, B: 1}
				if add.Call(&a); a.Sum != i+1 {
					t.Fatal(a)
				}
				if i%1000 == 0 {
					time.Sleep(time.Second)
				}
			}
		})
		for range 1000 {
			add.Call(&addArgs{})
		}
		time.Sleep(2 * pause)
	}
}

func TestMath(t *testing.T) {
	lib, err := Open("libm.so.6", "libm.so")
	if err != nil {
		t.Skip(err) // musl has it elsewhere
	}
	cos, err := LeafOf[struct {
		X float64
		R float64 `dl:"result"`
	}](lib, "cos")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 1000 {
		a := struct {
			X float64
			R float64 `dl:"result"`
		}{X: float64(i)}
		if cos.Call(&a); math.Abs(a.R-math.Cos(a.X)) > 1e-12 {
			t.Errorf("cos(%v) = %v", a.X, a.R)
		}
	}
}

func TestAt(t *testing.T) {
	p, err := testLib(t).Symbol("mul")
	if err != nil {
		t.Fatal(err)
	}
	mul, err := At[mulArgs](testLib(t), "mul", p)
	if err != nil {
		t.Fatal(err)
	}
	a := mulArgs{A: 3, B: 0.5}
	if mul.Call(&a); a.R != 1.5 {
		t.Error(a)
	}
	// nil is the program, which nothing closes.
	if mul, err = At[mulArgs](nil, "mul", p, Bound(1)); err != nil {
		t.Fatal(err)
	}
	if mul.Call(&a); a.R != 1.5 {
		t.Error(a)
	}
	for _, lib := range []*Lib{testLib(t), nil} {
		leaf, err := LeafAt[mulArgs](lib, "mul", p)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 200 { // the quick entry is reached
			a := mulArgs{A: float64(i), B: 0.5}
			if leaf.Call(&a); a.R != float64(i)/2 {
				t.Fatal(i, a)
			}
		}
	}
	// It ends with its library, as one that was found by name does.
	lib := openC(t, "at", "long one(void) { return 1; }")
	if p, err = lib.Symbol("one"); err != nil {
		t.Fatal(err)
	}
	one, err := LeafAt[struct {
		R int64 `dl:"result"`
	}](lib, "one", p)
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		R int64 `dl:"result"`
	}
	for range 200 {
		one.Call(&r)
	}
	if err := lib.Close(); err != nil || r.R != 1 {
		t.Fatal(r, err)
	}
	defer func() {
		if recover() == nil {
			t.Error("a leaf of a closed library was called")
		}
	}()
	one.Call(&r)
}

func TestOptional(t *testing.T) {
	f, l := Optional[addArgs](testLib(t), "newer"), OptionalLeaf[addArgs](testLib(t), "newer")
	for err, call := range map[error]func(*addArgs){f.Err(): f.Call, l.Err(): l.Call} {
		if err == nil || !strings.Contains(err.Error(), "no symbol newer") {
			t.Error(err)
		}
		func() {
			defer func() {
				if r, ok := recover().(string); !ok || !strings.Contains(r, "no symbol newer") {
					t.Error(r)
				}
			}()
			call(&addArgs{})
		}()
	}
	g := OptionalLeaf[addArgs](testLib(t), "add")
	a := addArgs{A: 1, B: 2}
	if g.Call(&a); g.Err() != nil || a.Sum != 3 {
		t.Error(g.Err(), a)
	}
}
