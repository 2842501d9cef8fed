//go:build unix

//seam:test race

package lab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

// workerEnv makes this test binary a worker.
const workerEnv = "SEAM_LAB_TEST_WORKER"

func TestMain(m *testing.M) {
	switch os.Getenv(workerEnv) {
	case "":
		os.Exit(m.Run())
	case "parent":
		parent()
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	if err := WorkerMain(ctx, os.Stdin, synthetic); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func testWorker() *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), workerEnv+"=1", "GORACE=atexit_sleep_ms=0")
	return cmd
}

// parent runs the experiment "stuck" and says on standard output which process
// is its worker. The test kills it.
func parent() {
	r := runnerOf("stuck")
	r.Worker = func() *exec.Cmd {
		cmd := testWorker()
		cmd.Env = append(cmd.Env, "SEAM_LAB_TEST_TELL="+os.Getenv("SEAM_LAB_TEST_TELL"))
		return cmd
	}
	r.Run(context.Background())
	os.Exit(0)
}

func runnerOf(names ...string) *Runner {
	r := &Runner{Mode: Quick, Seed: 1, Rounds: 2, Worker: testWorker}
	for _, name := range names {
		i := slices.IndexFunc(synthetic, func(e Experiment) bool { return e.Name == name })
		e := synthetic[i]
		r.Experiments = append(r.Experiments, e)
	}
	return r
}

// spin does work that takes about n times so many units.
func spin(units int) func(n int) {
	return func(n int) {
		x := 1
		for range n * units * 100 {
			x = x*7 + 1
		}
		sink = x
	}
}

var sink int

func op(units int) func() (*Op, error) {
	return func() (*Op, error) { return &Op{Run: spin(units)}, nil }
}

func experiment(name string, cases ...Case) Experiment {
	return Experiment{Name: name, Title: name, Cases: func(Mode) []Case { return cases }}
}

// first is true in the first process of a test that sets the variable to a
// file that isn't there yet.
func first() bool {
	f, err := os.OpenFile(os.Getenv("SEAM_LAB_TEST_FIRST"), os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		f.Close()
	}
	return err == nil
}

var base = Case{Name: "T/via=base", Label: "base", Group: "g", Base: true, Setup: op(1)}

// synthetic are the experiments of the tests: parent and workers know them.
var synthetic = []Experiment{
	{
		Name: "good", Title: "all is well", Sources: []*result.Source{{Number: 1}},
		Cases: func(Mode) []Case {
			return []Case{
				base,
				{Name: "T/via=ten", Label: "ten times", Group: "g", Setup: op(10),
					Reference: &result.Reference{Value: 5, Source: 1}},
				{Name: "P", Label: "a probe", Probe: func(context.Context, *Bench) ([]Metric, error) {
					return []Metric{{Unit: "B/unit", Value: 2048}, {Name: "P/other", Unit: "count", Value: 7, Label: "other"}}, nil
				}},
				{Name: "Alone", Group: "alone", Setup: op(1), Procs: 1},
			}
		},
		Explain: func(e *result.Experiment) { e.Findings = append(e.Findings, "explained") },
	},
	experiment("skips", base,
		Case{Name: "T/via=skip", Group: "g", Setup: func() (*Op, error) { return nil, Skip("no permission") }},
		Case{Name: "T/via=error", Group: "g", Setup: func() (*Op, error) { return nil, errors.New("no such device") }},
		Case{Name: "P/via=skip", Probe: func(context.Context, *Bench) ([]Metric, error) { return nil, Skip("one CPU") }},
	),
	experiment("panics", base,
		Case{Name: "T/via=setup", Group: "g", Setup: func() (*Op, error) { panic("in setup") }},
		Case{Name: "T/via=late", Group: "g", Setup: func() (*Op, error) {
			calls := 0
			return &Op{N: 1, Run: func(n int) {
				if calls++; calls > 3 {
					panic("in run")
				}
			}}, nil
		}},
		Case{Name: "P", Probe: func(context.Context, *Bench) ([]Metric, error) { panic("in probe") }},
	),
	experiment("noise", base,
		Case{Name: "T/via=print", Group: "g", Setup: func() (*Op, error) {
			fmt.Println(`{"kind":"nonsense"}`)
			fmt.Fprintln(os.Stderr, "also here")
			return op(1)()
		}},
	),
	experiment("crash-once", base,
		Case{Name: "T/via=crash", Group: "h", Setup: func() (*Op, error) {
			if first() {
				fmt.Fprintln(os.Stderr, "last words")
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
				select {}
			}
			return op(1)()
		}},
	),
	experiment("segv", Case{Name: "T/via=segv", Setup: func() (*Op, error) {
		_ = syscall.Kill(os.Getpid(), syscall.SIGSEGV)
		select {}
	}}),
	experiment("exits", Case{Name: "T/via=exit", Setup: func() (*Op, error) { os.Exit(0); return nil, nil }}),
	experiment("garbles", Case{Name: "T/via=garble", Setup: func() (*Op, error) {
		_, _ = syscall.Write(3, []byte("\x00{]\n"))
		return op(1)()
	}}),
	experiment("stuck", base, Case{Name: "T/via=stuck", Group: "h", Setup: func() (*Op, error) {
		if path := os.Getenv("SEAM_LAB_TEST_TELL"); path != "" {
			_ = os.WriteFile(path+".new", fmt.Append(nil, os.Getpid()), 0o600)
			_ = os.Rename(path+".new", path)
		}
		time.Sleep(time.Hour)
		return nil, nil
	}}),
	experiment("elsewhere", base,
		Case{Name: "T/via=elsewhere", Group: "g", Start: func(_ context.Context, b *Bench) (*Op, error) {
			return &Op{N: 10, Time: func(n int) time.Duration { return time.Duration(n * (b.Round + 1)) }}, nil
		}},
		Case{Name: "T/yardstick", Group: "g", Yardstick: true, Setup: op(3)},
		Case{Name: "T/via=late", Group: "g", Start: func(context.Context, *Bench) (*Op, error) {
			calls := 0
			return &Op{N: 1, Time: func(int) time.Duration {
				if calls++; calls > 3 {
					panic("in time")
				}
				return 1
			}}, nil
		}},
		Case{Name: "T/via=skip", Group: "g", Start: func(context.Context, *Bench) (*Op, error) { return nil, Skip("no compiler") }},
	),
	experiment("profiles", Case{Name: "P/what=profile", Probe: func(_ context.Context, b *Bench) ([]Metric, error) {
		for _, name := range []string{"P/each", "P/first"} {
			if name == "P/each" || b.Round == 0 {
				p := result.Profile{Name: name, Unit: "ns", Kinds: []string{"k"}}
				result.Build(&p).Add(float64(b.Round+1), result.Call{Function: "f"}, result.Call{Function: "g"})
				b.Profile(p)
			}
		}
		return []Metric{{Unit: "count", Value: 1}}, nil
	}}),
	experiment("misprofiles", base, Case{Name: "P/what=profile", Probe: func(_ context.Context, b *Bench) ([]Metric, error) {
		b.Profile(result.Profile{Name: "P", Unit: []string{"ns", "B"}[b.Round]})
		return []Metric{{Unit: "count", Value: 1}}, nil
	}}),
	experiment("nan", Case{Name: "P/nan", Probe: func(context.Context, *Bench) ([]Metric, error) {
		zero := 0.0
		return []Metric{{Unit: "ns", Value: zero / zero}}, nil
	}}),
	{
		Name: "explains-badly", Cases: func(Mode) []Case { return []Case{base} },
		Explain: func(e *result.Experiment) { panic("division by zero") },
	},
}
