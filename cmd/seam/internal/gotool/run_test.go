package gotool

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func shell(script string) Cmd { return Cmd{Args: []string{"sh", "-c", script}} }

func TestRun(t *testing.T) {
	dir := t.TempDir()
	c := shell(`cat; echo " $EXTRA $PWD"; echo words >&2`)
	c.Dir, c.Env, c.Stdin = dir, []string{"EXTRA=less", "EXTRA=more"}, strings.NewReader("in")
	if out, err := Run(t.Context(), c); string(out) != "in more "+dir+"\n" || err != nil {
		t.Errorf("%q, %v", out, err)
	}
	c.Merge, c.Stdin = true, nil
	if out, err := Run(t.Context(), c); string(out) != " more "+dir+"\nwords\n" || err != nil {
		t.Errorf("merged: %q, %v", out, err)
	}
}

// An error names the command and holds what the tool said: all of it for the terminal, the
// line that says why for a report.
func TestError(t *testing.T) {
	for _, c := range []struct{ name, script, want, brief string }{
		{"one line", "echo broken >&2; exit 2", "sh: broken", ""},
		{"on standard output", "echo broken; exit 2", "sh: broken", ""},
		{"nothing", "exit 2", "sh: exit status 2", ""},
		{"several lines", "printf '# p\\nIn file included from a.cc:1:\\na.cc:7:1: error: x\\nmore\\n' >&2; exit 1",
			"sh: # p\n\tIn file included from a.cc:1:\n\ta.cc:7:1: error: x\n\tmore", "sh: a.cc:7:1: error: x"},
		{"a killed tool", "echo working >&2; kill -9 $$", "sh: signal: killed: working", ""},
		{"control characters", "printf 'a\\033[31mb\\r\\n' >&2; exit 1", "sh: a·[31mb", ""},
		{"many lines", "for i in $(seq 25); do echo $i; done >&2; exit 1",
			"sh: 1\n\t2\n\t3\n\t4\n\t5\n\t6\n\t7\n\t8\n\t9\n\t10\n\t11\n\t12\n\t13\n\t14\n\t15\n\t16\n\t17\n\t18\n\t19\n\t20\n\t… and 5 more lines", "sh: 1"},
	} {
		_, err := Run(t.Context(), shell(c.script))
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: %q, want %q", c.name, err, c.want)
		}
		if c.brief == "" {
			c.brief = c.want
		}
		if err := Brief(err); err == nil || err.Error() != c.brief {
			t.Errorf("%s, brief: %q, want %q", c.name, err, c.brief)
		}
		var exit *exec.ExitError
		if !errors.As(err, &exit) || NotFound(err) {
			t.Errorf("%s: %#v is no tool that ran and failed", c.name, err)
		}
	}
	for _, name := range []string{"/nowhere/cc", "seam-has-no-such-tool"} {
		_, err := Run(t.Context(), Cmd{Args: []string{name}})
		if err == nil || !strings.HasPrefix(err.Error(), name+" can't be started: ") || !NotFound(err) || Brief(err) != err {
			t.Errorf("%s: %v", name, err)
		}
	}
	if plain := errors.New("x"); Brief(plain) != plain || NotFound(plain) {
		t.Error("an error of another kind was changed")
	}
}

// The lines that say why are found among those that don't.
func TestWhy(t *testing.T) {
	for said, want := range map[string]string{
		"# github.com/seamgo/seam/decoders\ndecoders/shared.go:7:1: undefined: x\nmore\n":                        "decoders/shared.go:7:1: undefined: x",
		"# x\na.go:1:1: can inline f\ncgo: C compiler \"cc\" not found\n":                                        "cgo: C compiler \"cc\" not found",
		"# p\np.go:6:1: a escapes to heap:\np.go:6:1:   flow: x = y\np.go:7:6: stack frame too large (>1GB)\n\n": "p.go:7:6: stack frame too large (>1GB)",
		"go: unknown GOEXPERIMENT x\n": "go: unknown GOEXPERIMENT x",
		"# x\n":                        "it does not say why",
		"p.go:6:1: moved to heap: x\n": "p.go:6:1: moved to heap: x",
		"x.c:1:2: warning: a\nx.c:3: error: it escapes to b":                                                                 "x.c:3: error: it escapes to b",
		"link: running gcc failed\n/usr/bin/ld: cannot find -lx: No such file\ncollect2: error: ld returned 1 exit status\n": "/usr/bin/ld: cannot find -lx: No such file",
	} {
		if got := why(lines(said)); got != want {
			t.Errorf("%q: %q, want %q", said, got, want)
		}
	}
}

func TestCommandName(t *testing.T) {
	for line, want := range map[string]string{
		"go":                                  "go",
		"go list -deps":                       "go list",
		"/usr/local/go/bin/go env -json":      "go env",
		"go1.27.3 build":                      "go1.27.3 build",
		"go tool compile -m p.go":             "go tool compile",
		"go tool":                             "go tool",
		"/usr/bin/gcc -c x.c":                 "gcc",
		filepath.Join("tool", "cgo.exe") + "": "cgo",
	} {
		if got := (&Error{Args: strings.Fields(line)}).command(); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

// A tool is asked to end before it is killed, and the error says who wanted it to.
func TestRunEnds(t *testing.T) {
	for _, c := range []struct{ name, script string }{
		{"at an interrupt", "trap 'exit 3' INT; echo x; sleep 0.1; while :; do sleep 0.1; done"},
		{"never", "trap '' INT; while :; do sleep 0.1; done"},
	} {
		defer func(old time.Duration) { waitDelay = old }(waitDelay)
		waitDelay = 300 * time.Millisecond
		late := errors.New("it took too long")
		ctx, cancel := context.WithTimeoutCause(t.Context(), 100*time.Millisecond, late)
		defer cancel()
		_, err := Run(ctx, shell(c.script))
		if !errors.Is(err, late) || err.Error() != "sh: it took too long" {
			t.Errorf("one that ends %s: %v", c.name, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, shell("exit 0")); !errors.Is(err, context.Canceled) {
		t.Errorf("before it began: %v", err)
	}
}

// What a tool leaves running, like a compiler's cache server, is not waited for.
func TestRunLeavesServers(t *testing.T) {
	defer func(old time.Duration) { waitDelay = old }(waitDelay)
	waitDelay = 100 * time.Millisecond
	out, err := Run(t.Context(), shell("sleep 20 & echo done"))
	if string(out) != "done\n" || err != nil {
		t.Errorf("%q, %v", out, err)
	}
}

func TestReadEnv(t *testing.T) {
	env, err := ReadEnv(t.Context(), "go", t.TempDir(), "CGO_ENABLED=0", "GOFLAGS=-tags=a", "CC=my cc")
	if err != nil || env.CGO_ENABLED != "0" || env.GOFLAGS != "-tags=a" || env.CC != "my cc" || !strings.HasPrefix(env.GOVERSION, "go1.") || env.GOTOOLDIR == "" {
		t.Errorf("%+v, %v", env, err)
	}
	if _, err := ReadEnv(t.Context(), "echo", ""); err == nil || !strings.Contains(err.Error(), "the answer of echo env is not JSON") {
		t.Errorf("of no go command: %v", err)
	}
}
