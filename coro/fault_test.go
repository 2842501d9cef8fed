//go:build cgo && linux

package coro_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/seamgo/seam/coro"
	"github.com/seamgo/seam/coro/internal/ctest"
	"github.com/seamgo/seam/internal/child"
)

// faults are ways to go wrong. Each runs in a child process, which must end with a
// message that names what happened, or go on as if nothing was.
var faults = map[string]func(){
	"segv": func() { coro.Call(context.Background(), ctest.Segv, nil) },
	"callback": func() { // cgo's own, on a coroutine's stack
		coro.Call(context.Background(), ctest.Callback, nil)
	},
	"overflow": func() {
		coro.Of[ctest.Args]("recurse", ctest.Recurse).Call(context.Background(), &ctest.Args{N: 1e6})
	},
	"overflow-floating": func() { coro.Floating.Call(context.Background(), ctest.Recurse, at(&ctest.Args{N: 1e6})) },
	"big-frame": func() {
		r := coro.Locked.With(coro.Options{Name: "big_frame", StackSize: 32 << 10})
		r.Call(context.Background(), ctest.BigFrame, nil)
	},
	"nil-dereference": func() { // Go's own faults are still Go's
		defer func() { fmt.Println("RECOVERED", recover()) }()
		coro.Call(context.Background(), ctest.Return, at(&ctest.Args{}))
		var p *ctest.Args
		p.N = 1
	},
	"abandoned": func() {
		r := coro.Locked.With(coro.Options{Name: "never_ends"})
		var err error
		for after := 10 * time.Millisecond; after < time.Minute && !errors.Is(err, coro.ErrAbandoned); after *= 10 { // C may not have begun
			ctx, cancel := context.WithCancel(context.Background())
			time.AfterFunc(after, cancel)
			_, err = r.Call(ctx, ctest.NeverEnds, at(&ctest.Args{}))
		}
		fmt.Println("ABANDONED", errors.Is(err, coro.ErrAbandoned) && errors.Is(err, context.Canceled), coro.ReadStats().Abandoned)
		n, err := coro.Call(context.Background(), ctest.Return, at(&ctest.Args{A: 7}))
		fmt.Println("NEXT", n, err)
	},
	"lost": func() {
		func() {
			co, err := coro.New(ctest.Count, at(&ctest.Args{N: 5}), coro.Options{})
			if err != nil {
				panic(err)
			}
			co.Resume(0)
		}()
		for coro.ReadStats().Abandoned == 0 {
			runtime.GC()
			time.Sleep(time.Millisecond)
		}
		fmt.Println("LOST", coro.ReadStats().Abandoned)
	},
	"unknown-setting": func() {},
	"settings": func() {
		fmt.Println(coro.Status())
	},
}

func runFault(name string) {
	done := make(chan bool)
	go func() { culprit(faults[name]); close(done) }()
	<-done
	fmt.Println("RETURNED")
	os.Exit(0)
}

// culprit is in every traceback.
//
//go:noinline
func culprit(f func()) { f() }

func TestMain(m *testing.M) {
	if name := os.Getenv("SEAM_TEST_FAULT"); name != "" {
		runFault(name)
	}
	os.Exit(m.Run())
}

// A faultCase is a child that makes a fault, and what it must say.
type faultCase struct {
	fault string
	env   string
	fine  bool // the child goes on and returns
	any   bool // also where coroutines have no stack of their own
	want  []string
}

func (c faultCase) run(t *testing.T) {
	t.Helper()
	if coro.Status().Path != coro.PathAssembly && !c.any {
		t.Skip("only where coroutines have stacks of their own")
	}
	t.Parallel()
	cmd := child.Self(t)
	cmd.Env = append(os.Environ(), "SEAM_TEST_FAULT="+c.fault, "GOTRACEBACK=all", c.env)
	out, err := cmd.CombinedOutput()
	if (err == nil) != c.fine {
		t.Errorf("the child ended with %v", err)
	}
	for _, w := range c.want {
		if !strings.Contains(string(out), w) {
			t.Errorf("the child's output lacks %q", w)
		}
	}
	if !c.fine && strings.Contains(string(out), "RETURNED") {
		t.Error("the child went on")
	}
	// One report, whole, that shows who made the call.
	if !c.fine && c.fault != "callback" && (strings.Contains(string(out), "panic during panic") || strings.Count(string(out), "coro_test.culprit(") != 1) {
		t.Error("the child's report is not clean")
	}
	if t.Failed() {
		t.Logf("the child said:\n%s", out)
	}
}

func TestFaults(t *testing.T) {
	for _, c := range []faultCase{
		{fault: "segv", want: []string{"seam: coro: SIGSEGV in C at ctest_segv, called as ctest_segv: pc 0x", ", address 0x10\n", "SIGSEGV: segmentation violation", "coro.mustNotCallGo("}},
		{fault: "callback", want: []string{"fatal error: ", "runtime.cgocallback", "coro_test.culprit("}},
		{fault: "overflow", want: []string{"seam: coro: C function recurse needs more than the 64 KB of its coroutine's stack: give it more by Options.StackSize", "SIGSEGV"}},
		{fault: "overflow-floating", want: []string{"seam: coro: C function ctest_recurse needs more than the 64 KB"}},
		{fault: "big-frame", want: []string{"seam: coro: C function big_frame needs more than the 32 KB"}},
		{fault: "strayed", want: []string{"seam: coro: C function ctest_frame has left the 64 KB of its coroutine's stack", "-fstack-clash-protection"}},
		{fault: "overwritten", want: []string{"seam: coro: a coroutine's control block was overwritten"}},
		{fault: "overwrites-itself", want: []string{"seam: coro: a coroutine's control block was overwritten"}},
		{fault: "overwrites-the-end", want: []string{"seam: coro: a coroutine's control block, at 0x", "was overwritten"}},
		{fault: "raise-abort", want: []string{"SIGABRT: abort", "coro.mustNotCallGo("}},
		{fault: "raise-quit", want: []string{"SIGQUIT: quit", "coro.mustNotCallGo("}},
		{fault: "raise-bus", want: []string{"SIGBUS: bus error", "coro.mustNotCallGo("}},
		{fault: "raise-trap", want: []string{"SIGTRAP: trace trap", "coro.mustNotCallGo("}},
		{fault: "divide", want: []string{" in C at ctest_divide, called as ctest_divide", "coro.mustNotCallGo("}},
		{fault: "call-nothing", want: []string{"seam: coro: SIGSEGV in C, which has called NULL, called as ctest_call_nothing", "coro.mustNotCallGo("}},
		{fault: "nil-dereference", fine: true, any: true, want: []string{"RECOVERED runtime error: invalid memory address or nil pointer dereference"}},
		{fault: "abandoned", fine: true, any: true, want: []string{"seam: coro: C function never_ends keeps making requests after it was told SEAM_ECANCELED ", "ABANDONED true 1", "NEXT 7 <nil>"}},
		{fault: "lost", fine: true, any: true, want: []string{"neither closed nor resumed until it was done", "LOST 1"}},
		{fault: "many", fine: true, want: []string{"MANY true", "NEXT 7 <nil>"}},
		{fault: "many-old-kernel", fine: true, want: []string{"MANY true", "NEXT 7 <nil>"}},
		{fault: "unknown-setting", env: "SEAM_CORO=fast", fine: true, any: true, want: []string{`seam: coro: SEAM_CORO="fast" is not known (want auto or cgo)`}},
		{fault: "settings", env: "SEAM_CORO=cgo", fine: true, any: true, want: []string{"coro: cgo ("}},
	} {
		t.Run(c.fault, c.run)
	}
}
