package launch

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/stack/overlay"
)

// actEnv makes this test binary a program that does what it is called with.
const actEnv = "SEAM_TEST_ACT"

func TestMain(m *testing.M) {
	if os.Getenv(actEnv) != "" {
		act(os.Args[1:])
		return
	}
	os.Exit(m.Run())
}

func act(args []string) {
	switch args[0] {
	case "env":
		for _, name := range args[1:] {
			value, ok := os.LookupEnv(name)
			fmt.Printf("%s=%s %v\n", name, value, ok)
		}
	case "cat":
		_, _ = io.Copy(os.Stdout, os.Stdin)
	case "exit":
		var code int
		fmt.Sscan(args[1], &code)
		os.Exit(code)
	case "kill":
		_ = unix.Kill(os.Getpid(), unix.SIGKILL)
		time.Sleep(time.Minute)
	case "wait": // for a signal; tells which
		signals := make(chan os.Signal, 8)
		signal.Notify(signals)
		fmt.Println("ready")
		for sig := range signals {
			if sig != syscall.SIGURG {
				fmt.Println(sig)
				os.Exit(5)
			}
		}
	case "exec": // is what the go command starts
		s, err := Open(args[1])
		if err != nil {
			panic(err)
		}
		p, err := s.Exec(context.Background(), gotool.Streams{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}, args[2:], 0)
		if err != nil {
			panic(err)
		}
		p.EndAlike()
		os.Exit(p.Code)
	}
}

func session(t *testing.T, s Session) *Session {
	t.Helper()
	t.Setenv(actEnv, "1")
	t.Setenv("TMPDIR", t.TempDir())
	work, err := Create(s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		work.Remove()
		if _, err := os.Stat(work.Dir); err == nil {
			t.Errorf("%s is still there", work.Dir)
		}
	})
	return work
}

func TestExec(t *testing.T) {
	for _, c := range []struct {
		args, stdin, out, ended string
		code                    int
	}{
		{args: "exit 0", ended: "exit code 0"},
		{args: "exit 3", ended: "exit code 3", code: 3},
		{args: "kill", ended: "signal: killed", code: 137},
		{args: "cat", stdin: "read", out: "read", ended: "exit code 0"},
	} {
		work := session(t, Session{})
		var out bytes.Buffer
		words := append([]string{os.Args[0]}, strings.Fields(c.args)...)
		p, err := work.Exec(t.Context(), gotool.Streams{Stdin: strings.NewReader(c.stdin), Stdout: &out, Stderr: io.Discard}, words, 0)
		if err != nil {
			t.Fatalf("%s: %v", c.args, err)
		}
		if p.Code != c.code || !strings.HasPrefix(p.Ended, c.ended) || out.String() != c.out {
			t.Errorf("%s: code %d, %q, printed %q; want %d, %q, %q", c.args, p.Code, p.Ended, out.String(), c.code, c.ended, c.out)
		}
		all, err := work.Programs()
		if err != nil || len(all) != 1 || *all[0] != (Program{PID: p.PID, Name: p.Name, Binary: p.Binary, Ended: p.Ended, Code: p.Code, CPU: p.CPU}) || *work.Program(p.PID) != *all[0] {
			t.Errorf("%s: noted %+v (%v), want %+v", c.args, all, err, p)
		}
		// The file that go run removes is still there.
		if err := exec.Command("cmp", os.Args[0], p.Binary).Run(); err != nil {
			t.Errorf("%s: %s is not the program: %v", c.args, p.Binary, err)
		}
		if work.Program(p.PID+1) != nil {
			t.Error("a program that was never started is known")
		}
	}
}

func TestExecLauncher(t *testing.T) {
	work := session(t, Session{})
	var out bytes.Buffer
	p, err := work.Exec(t.Context(), gotool.Streams{Stdout: &out, Stderr: io.Discard}, []string{"env", "X=launched", os.Args[0], "env", "X"}, 2)
	if err != nil || out.String() != "X=launched true\n" || p.Name != os.Args[0] {
		t.Errorf("%+v, %v: %q", p, err, out.String())
	}
	for _, n := range []int{-1, 1, 2} {
		if _, err := work.Exec(t.Context(), gotool.Streams{}, []string{os.Args[0]}, n); err == nil {
			t.Errorf("%d words for the launcher of 1 were taken", n)
		}
	}
	if _, err := work.Exec(t.Context(), gotool.Streams{}, []string{"/nowhere/program"}, 0); err == nil || !strings.Contains(err.Error(), "/nowhere/program") {
		t.Errorf("a program that is not there: %v", err)
	}
}

// The program sees its own environment and the settings that are asked for, not those
// that the go command was given.
func TestEnvironment(t *testing.T) {
	t.Setenv("GODEBUG", "gctrace=0,adaptivestackstart=1")
	t.Setenv("GOMAXPROCS", "7")
	t.Setenv("GOCACHE", "/ours")
	t.Setenv("GOROOT", "/ours")
	old := "/theirs"
	for _, c := range []struct {
		session Session
		want    []string
	}{
		{Session{Adaptive: "0", Procs: 2, Restore: map[string]*string{"GOCACHE": &old, "GOROOT": nil}},
			[]string{"GODEBUG=gctrace=0,adaptivestackstart=1,adaptivestackstart=0 true", "GOMAXPROCS=2 true", "GOCACHE=/theirs true", "GOROOT= false"}},
		{Session{Adaptive: "1"},
			[]string{"GODEBUG=gctrace=0,adaptivestackstart=1,adaptivestackstart=1 true", "GOMAXPROCS=7 true", "GOCACHE=/ours true", "GOROOT=/ours true"}},
	} {
		work := session(t, c.session)
		var out bytes.Buffer
		_, err := work.Exec(t.Context(), gotool.Streams{Stdout: &out, Stderr: io.Discard}, []string{os.Args[0], "env", "GODEBUG", "GOMAXPROCS", "GOCACHE", "GOROOT", overlay.LogVariable}, 0)
		if err != nil {
			t.Fatal(err)
		}
		want := append(slices.Clone(c.want), overlay.LogVariable+"="+work.Log+" true", "")
		if got := strings.Split(out.String(), "\n"); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// Signals for the process that the go command started reach the program; if it
// is killed, the program does not stay.
func TestSignals(t *testing.T) {
	for _, c := range []struct {
		sig  syscall.Signal
		out  string
		code int
	}{
		{syscall.SIGQUIT, "quit\n", 5},
		{syscall.SIGTERM, "terminated\n", 5},
		{syscall.SIGKILL, "", -1},
	} {
		work := session(t, Session{})
		cmd := exec.Command(os.Args[0], "exec", work.Dir, os.Args[0], "wait")
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(out, make([]byte, len("ready\n"))); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Process.Signal(c.sig); err != nil {
			t.Fatal(err)
		}
		rest, err := io.ReadAll(out) // ends when the program has: it has the other end
		if err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		if string(rest) != c.out || cmd.ProcessState.ExitCode() != c.code {
			t.Errorf("%v: printed %q, ended with %d; want %q, %d", c.sig, rest, cmd.ProcessState.ExitCode(), c.out, c.code)
		}
	}
}

// An interrupt of the run interrupts the program.
func TestInterrupt(t *testing.T) {
	work := session(t, Session{})
	ctx, cancel := context.WithCancel(t.Context())
	var out bytes.Buffer
	p, err := work.Exec(ctx, gotool.Streams{Stderr: io.Discard, Stdout: writerFunc(func(b []byte) (int, error) {
		if bytes.Contains(b, []byte("ready")) {
			cancel()
		}
		return out.Write(b)
	})}, []string{os.Args[0], "wait"}, 0)
	if err != nil || p.Code != 5 || !strings.Contains(out.String(), "interrupt") {
		t.Errorf("%+v, %v, %q", p, err, out.String())
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

// All that was written before Finish is read, and then the log ends.
func TestPipe(t *testing.T) {
	work := session(t, Session{})
	pipe, err := OpenPipe(work.Log)
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	got := make(chan []byte)
	go func() {
		all, err := io.ReadAll(pipe)
		if err != nil {
			t.Error(err)
		}
		got <- all
	}()
	var want []byte
	for i := range 3 { // programs, one after the other
		f, err := os.OpenFile(work.Log, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		for line := range 20000 {
			text := fmt.Appendf(nil, "%d %d\n", i, line)
			want = append(want, text...)
			if _, err := f.Write(text); err != nil {
				t.Fatal(err)
			}
		}
		f.Close()
		runtime.Gosched()
	}
	pipe.Finish()
	if all := <-got; !bytes.Equal(all, want) {
		t.Errorf("%d bytes were read, %d written", len(all), len(want))
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "no folder of seam stack trace") {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(dir, sessionFile), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), sessionFile) {
		t.Error(err)
	}
}
