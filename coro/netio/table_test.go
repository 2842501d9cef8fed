//go:build cgo && linux && (amd64 || arm64) && !msan

package netio_test

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/seamgo/seam/coro"
	"github.com/seamgo/seam/coro/netio/internal/ctest"
	"github.com/seamgo/seam/internal/child"
	"github.com/seamgo/seam/internal/testenv"
)

// Each function of libc that waits does in a coroutine, however that runs, what it does with cgo: where the wait
// ends, where it times out, and while Go wants to preempt or to collect.
func TestTable(t *testing.T) {
	const which = "SEAM_TEST_TABLE"
	if way := os.Getenv(which); way != "" {
		callTable(t, way)
		return
	}
	needCoroutines(t)
	outcome := func(t *testing.T, env ...string) string {
		cmd := child.Self(t, "-test.run=^TestTable$", "-test.count=1")
		cmd.Env = append(os.Environ(), env...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v with %v:\n%s", err, env, out)
		}
		text, _, ended := strings.Cut(string(out), "PASS\n")
		if !ended || strings.Contains(text, "seam:") {
			t.Fatalf("with %v it said:\n%s", env, out)
		}
		return text
	}
	plain := outcome(t, which+"=cgo")
	for _, way := range []string{"locked", "floating", "executor", "one per thread", "session"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			envs := []string{"SEAM_TEST_TABLE_GC=1", "GOMAXPROCS=1", "GOMAXPROCS=16"}
			if testenv.Repeated() {
				envs = envs[:1]
			}
			for _, env := range envs {
				if got := outcome(t, which+"="+way, env); got != plain {
					t.Errorf("with %s:\n%s", env, differences(plain, got))
				}
			}
		})
	}
}

func differences(want, got string) string {
	var b strings.Builder
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(w), len(g)) {
		if i >= len(w) || i >= len(g) || w[i] != g[i] {
			fmt.Fprintln(&b, strings.Join(w[min(i, len(w)):min(i+1, len(w))], ""), "with cgo,", strings.Join(g[min(i, len(g)):min(i+1, len(g))], ""))
		}
	}
	return b.String()
}

func callTable(t *testing.T, way string) {
	if os.Getenv("SEAM_TEST_TABLE_GC") != "" {
		go func() {
			for {
				runtime.GC()
			}
		}()
	}
	runner, all := coro.Locked, runners(t)
	switch way {
	case "one per thread":
		e, err := coro.NewExecutor(coro.ExecutorOptions{OnePerThread: true, Inline: -1})
		check(t, err)
		defer e.Close()
		runner = e.Runner()
	case "session":
		s := coro.NewSession()
		defer s.Close()
		runner = s.Runner()
	case "cgo":
	default:
		runner = all[way]
	}
	for i := 0; ctest.CaseName(i) != ""; i++ {
		c := ctest.NewCase(i)
		if way == "cgo" {
			ctest.CasePlainly(c)
		} else if _, err := runner.With(coro.Options{StackSize: 256 << 10}).Call(t.Context(), ctest.CaseFn, c); err != nil {
			t.Error(err)
		}
		fmt.Println(ctest.CaseName(i), ctest.CaseResults(c))
	}
}
