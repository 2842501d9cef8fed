//go:build linux && !android && (amd64 || arm64) && gc && !asan && !msan && go1.25 && !go1.28

package dl

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seamgo/seam/internal/child"
)

// A fault is a way to misuse the package. Each runs in a child process, which must end with
// a message that names what happened.
var faults = map[string]func(t testing.TB){
	"segv":  func(t testing.TB) { leafOf[struct{}](t, "segv").Call(&struct{}{}) },
	"abort": func(t testing.TB) { leafOf[struct{}](t, "aborts").Call(&struct{}{}) },
	"segv announced": func(t testing.TB) {
		funcOf[struct{}](t, "segv").Call(&struct{}{})
	},
	"segv planned": func(t testing.TB) {
		leafOf[struct{ Unused int32 }](t, "segv").Call(&struct{ Unused int32 }{})
	},
	"callback": func(t testing.TB) {
		c := callbackOf(t, "ran", func(*callbackArgs) { fmt.Println("the callback ran") })
		leafOf[callArgs](t, "call").Call(&callArgs{F: c.Pointer()})
	},
	"callback of a demoted leaf": func(t testing.TB) {
		c := callbackOf(t, "ran", func(*callbackArgs) { fmt.Println("the callback ran") })
		f := leafOf[callArgs](t, "call")
		f.f.guard.demoted.Store(true)
		f.f.setEntry(slowEntry)
		f.Call(&callArgs{F: c.Pointer()})
	},
	"released": func(t testing.TB) {
		c, err := NewCallback("was here", func(*callbackArgs) {})
		if err != nil {
			t.Fatal(err)
		}
		c.Release()
		funcOf[callArgs](t, "call").Call(&callArgs{F: c.Pointer()})
	},
	"never a callback": func(t testing.TB) {
		funcOf[callArgs](t, "call").Call(&callArgs{F: trampolineTable + 1000*trampolineSize})
	},
	"zero": func(t testing.TB) {
		defer func() { fmt.Println("RECOVERED", recover()); panic("again") }()
		Leaf[struct{}]{}.Call(&struct{}{})
	},
	"slow": func(t testing.TB) {
		f := leafOf[spinArgs](t, "spin")
		for range 400 {
			f.Call(&spinArgs{60_000})
		}
		fmt.Println("DEMOTED", f.f.guard.demoted.Load())
		f.Call(&spinArgs{1})
		os.Exit(0)
	},
	"slow later": func(t testing.TB) {
		f := leafOf[spinArgs](t, "spin")
		for range 1_000_000 {
			f.Call(&spinArgs{0})
		}
		for start := time.Now(); !f.f.guard.demoted.Load() && time.Since(start) < time.Minute; {
			f.Call(&spinArgs{200_000})
		}
		fmt.Println("DEMOTED", f.f.guard.demoted.Load())
		os.Exit(0)
	},
	"quick": func(t testing.TB) {
		f := leafOf[addArgs](t, "add")
		for range 100_000 {
			f.Call(&addArgs{})
		}
		fmt.Println("DEMOTED", f.f.guard.demoted.Load(), "QUICK", f.f.entry == f.f.fast)
		os.Exit(0)
	},
	"status": func(testing.TB) { fmt.Println(Status()); os.Exit(0) },
}

// culprit calls the fault from a frame whose contents it can check afterwards, deep enough
// that the goroutine's stack has moved since its saved context was last right.
//
//go:noinline
func culprit(f func(testing.TB), t testing.TB) {
	grow(100)
	f(t)
}

func TestMain(m *testing.M) {
	if name := os.Getenv("SEAM_TEST_FAULT"); name != "" {
		done := make(chan bool)
		go func() { culprit(faults[name], &testing.B{}); close(done) }()
		<-done
		fmt.Println("RETURNED")
		os.Exit(0)
	}
	code := m.Run()
	if ctest.dir != "" {
		os.RemoveAll(ctest.dir)
	}
	os.Exit(code)
}

func TestFaults(t *testing.T) {
	testLib(t)
	const (
		cgo  = "SEAM_DL=cgo"
		plan = "dl.mustNotCallGo("
	)
	for _, c := range []struct {
		fault string
		env   string
		fine  bool
		want  []string
		never string
	}{
		{fault: "segv", want: []string{"SIGSEGV: segmentation violation", "addr=0x10", plan, "dl.culprit("}},
		{fault: "segv planned", want: []string{"SIGSEGV: segmentation violation", "addr=0x10", plan, "dl.culprit("}},
		{fault: "segv announced", want: []string{"SIGSEGV: segmentation violation", "addr=0x10", "runtime.cgocall(", "dl.culprit("}},
		{fault: "segv", env: cgo, want: []string{"SIGSEGV: segmentation violation", "runtime.cgocall(", "dl.culprit("}},
		{fault: "segv planned", env: cgo, want: []string{"SIGSEGV: segmentation violation", "dl.culprit("}},
		{fault: "abort", want: []string{"SIGABRT: abort", plan, "dl.culprit("}},
		{fault: "callback", want: []string{"fatal error: exitsyscall", plan, "dl.culprit("}},
		{fault: "callback", env: cgo, want: []string{"the C function call, which is called as a dl.Leaf, called Go"}},
		{fault: "callback of a demoted leaf", want: []string{"the C function call, which is called as a dl.Leaf, called Go"}},
		{fault: "released", want: []string{"C called the callback was here after it was released"}},
		{fault: "never a callback", want: []string{"C called the callback ? after it was released"}},
		{fault: "zero", want: []string{"RECOVERED runtime error: invalid memory address or nil pointer dereference"}},
		{fault: "slow", fine: true, want: []string{"seam: spin took more than 20µs in ", "Make it a dl.Func", "DEMOTED true"}},
		{fault: "slow", env: "SEAM_GUARD=all", fine: true, want: []string{"DEMOTED true"}},
		{fault: "slow", env: "SEAM_GUARD=off", fine: true, want: []string{"DEMOTED false"}, never: "seam:"},
		{fault: "slow", env: cgo, fine: true, want: []string{"DEMOTED false"}, never: "seam:"},
		{fault: "slow later", fine: true, want: []string{"DEMOTED true"}},
		{fault: "quick", env: "SEAM_GUARD=off", fine: true, want: []string{"DEMOTED false QUICK true"}},
		{fault: "quick", env: "SEAM_GUARD=all", fine: true, want: []string{"QUICK false"}},
		{fault: "status", env: "SEAM_GUARD=maybe", fine: true, want: []string{`seam: dl: SEAM_GUARD="maybe" is unknown`, "guard sample"}},
		{fault: "status", env: cgo, fine: true, want: []string{"dl: cgo (SEAM_DL=cgo in the environment), guard sample"}},
		{fault: "status", env: "SEAM_DL=fast", fine: true, want: []string{`SEAM_DL="fast" is not known`, "dl: assembly"}},
	} {
		t.Run(c.fault+","+c.env, func(t *testing.T) {
			t.Parallel()
			cmd := child.Self(t)
			cmd.Env = append(os.Environ(), "SEAM_DL=", "SEAM_GUARD=", "SEAM_TEST_FAULT="+c.fault, "GOTRACEBACK=all", "SEAM_TEST_LIB="+filepath.Join(ctest.dir, "ctest.so"), c.env)
			out, err := cmd.CombinedOutput()
			if (err == nil) != c.fine {
				t.Errorf("the child ended with %v", err)
			}
			for _, w := range c.want {
				if !strings.Contains(string(out), w) {
					t.Errorf("the child's output lacks %q", w)
				}
			}
			for _, never := range []string{"RETURNED", "the callback ran", c.never} {
				if never != "" && strings.Contains(string(out), never) {
					t.Errorf("the child's output has %q", never)
				}
			}
			if t.Failed() {
				t.Logf("the child said:\n%.6000s", out)
			}
		})
	}
}
