package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

// workerEnv makes this test binary a worker with the synthetic experiments.
const workerEnv = "SEAM_TEST_WORKER"

// programEnv makes this test binary the whole program with the synthetic
// experiments, called with the words that it holds, or with its own where that is ownWords.
const (
	programEnv = "SEAM_TEST_PROGRAM"
	ownWords   = "its own"
)

// mainEnv makes this test binary the whole program, as it is.
const mainEnv = "SEAM_TEST_MAIN"

func TestMain(m *testing.M) {
	// The go command starts this program in front of its tools, and of the programs that
	// seam stack trace runs; seam cross starts it for seam weld.
	if len(os.Args) > 1 && slices.Contains([]string{"toolexec", "stack", "weld"}, os.Args[1]) {
		os.Exit(Main())
	}
	if os.Getenv(mainEnv) != "" {
		os.Unsetenv(mainEnv)
		os.Exit(Main())
	}
	if args := os.Getenv(programEnv); args != "" {
		ctx := untilSignal()
		os.Unsetenv(programEnv)
		s := testSession(ctx, os.Stdin, os.Stdout, os.Stderr)
		words := strings.Fields(args)
		if args == ownWords {
			words = os.Args[1:]
		}
		os.Exit(conclude(os.Stderr, s.run(words)))
	}
	if os.Getenv(workerEnv) == "" {
		code := m.Run()
		for _, clean := range cleanups {
			clean()
		}
		os.Exit(code)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	s := &session{ctx: ctx, stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, experiments: synthetic}
	os.Exit(conclude(os.Stderr, s.run([]string{"lab-worker"})))
}

// cleanups run after all tests.
var cleanups []func()

// begunEnv names a file that appears when the slow case has begun.
const begunEnv = "SEAM_TEST_BEGUN"

// untilThere waits for a file, for 150 seconds at most.
func untilThere(path string) {
	for range 15000 {
		if _, err := os.Stat(path); err == nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// synthetic has the names of the true experiments, so that the examples in the
// help run, and none of their costs.
var synthetic = []lab.Experiment{
	stand("call"), stand("grid"), stand("switch"), stand("spawn"),
	{Name: "nothing", Title: "can't be measured", Cases: func(lab.Mode) []lab.Case {
		return []lab.Case{{Name: "N", Setup: func() (*lab.Op, error) { return nil, lab.Skip("no such hardware") }}}
	}},
	{Name: "crash", Title: "ends its process", Cases: func(lab.Mode) []lab.Case {
		return []lab.Case{{Name: "C", Setup: func() (*lab.Op, error) { os.Exit(7); return nil, nil }}}
	}},
	{Name: "slow", Title: "takes an hour", Cases: func(lab.Mode) []lab.Case {
		return []lab.Case{
			{Name: "S", Probe: func(ctx context.Context, _ *lab.Bench) ([]lab.Metric, error) {
				if path := os.Getenv(begunEnv); path != "" {
					if err := os.WriteFile(path, nil, 0o600); err != nil {
						return nil, err
					}
				}
				select {
				case <-ctx.Done():
				case <-time.After(time.Hour):
				}
				return nil, ctx.Err()
			}},
			fast("S/fast", "slow", true),
		}
	}},
}

func stand(name string) lab.Experiment {
	title := strings.ToUpper(name[:1]) + name[1:]
	return lab.Experiment{Name: name, Title: name + " under test", About: "About " + name + ".", Cases: func(lab.Mode) []lab.Case {
		return []lab.Case{fast(title+"/via=go", name, true), fast(title+"/via=cgo", name, false)}
	}}
}

// fast is a case whose samples are short.
func fast(name, group string, base bool) lab.Case {
	return lab.Case{Name: name, Label: name, Group: group, Base: base, Setup: func() (*lab.Op, error) {
		return &lab.Op{N: 1000, Run: func(n int) {
			for i := range n {
				sink += i
			}
		}}, nil
	}}
}

var sink int

// A called is what a call of the program left behind.
type called struct {
	code        int
	out, errout string
}

// seam calls the program with the synthetic experiments.
func seam(t *testing.T, args ...string) called {
	t.Helper()
	return seamIn(t.Context(), "", synthetic, args...)
}

func seamIn(ctx context.Context, stdin string, experiments []lab.Experiment, args ...string) called {
	var out, errout bytes.Buffer
	s := testSession(ctx, strings.NewReader(stdin), &out, &errout)
	s.experiments = experiments
	code := conclude(&errout, s.run(args))
	return called{code, out.String(), errout.String()}
}

func testSession(ctx context.Context, stdin io.Reader, out, errout io.Writer) *session {
	return &session{
		ctx: ctx, stdin: stdin, stdout: out, stderr: errout,
		experiments: synthetic, rounds: 3, share: 20 * time.Millisecond,
		worker: func() *exec.Cmd {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), workerEnv+"=1", "GORACE=atexit_sleep_ms=0")
			return cmd
		},
	}
}

// must checks an exit code and what was printed.
func (c called) must(t *testing.T, code int, out, errout string) {
	t.Helper()
	if c.code != code {
		t.Errorf("exit code %d, want %d", c.code, code)
	}
	if !strings.Contains(c.out, out) {
		t.Errorf("standard output lacks %q", out)
	}
	if !strings.Contains(c.errout, errout) {
		t.Errorf("standard error lacks %q", errout)
	}
	if errout == "" && c.errout != "" {
		t.Error("standard error is not empty")
	}
	if t.Failed() {
		t.Logf("standard output:\n%s\nstandard error:\n%s", c.out, c.errout)
	}
}

// goOutput is what the go command prints.
func goOutput(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("go", args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
