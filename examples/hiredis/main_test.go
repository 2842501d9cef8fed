//go:build cgo && linux && seam_servers

//seam:test native

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seamgo/seam/coro"
	"github.com/seamgo/seam/examples/internal/servers"
)

// patience is how long a test waits for what must come.
const patience = time.Minute

// With childEnv set the test binary is the child of TestNoDescriptorsLeft.
const childEnv = "SEAM_TEST_FEW_FILES"

func TestMain(m *testing.M) {
	if mode := os.Getenv(childEnv); mode != "" {
		if err := fewFiles(mode); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// coroutines are the modes whose calls can be cancelled, and threads few.
var coroutines = []string{"executor", "floating"}

func eachMode(t *testing.T, names []string, test func(t *testing.T, m mode)) {
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			m, err := newMode(name)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(m.close)
			test(t, m)
		})
	}
}

func start(t *testing.T) *servers.Server {
	t.Helper()
	s, err := servers.Redis(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return s
}

func dial(t *testing.T, m mode, host string, port int) *Client {
	t.Helper()
	c, err := Dial(t.Context(), m, host, port)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// needWaits skips what only works where waits are Go's.
func needWaits(t *testing.T) {
	t.Helper()
	if s := coro.Status(); s.Path != coro.PathAssembly {
		t.Skip("waits hold threads here: ", s)
	}
}

func TestValues(t *testing.T) {
	s := start(t)
	eachMode(t, modes, func(t *testing.T, m mode) {
		for _, at := range []struct {
			host string
			port int
		}{{s.Host, s.Port}, {s.Socket, 0}, {"localhost", s.Port}} {
			c := dial(t, m, at.host, at.port)
			// Long enough to be written and read in many parts.
			for _, want := range []string{"", "42", "a\x00b\r\nc", strings.Repeat("0123456789", 1<<20)} {
				if err := c.Set(t.Context(), "seam:value", want); err != nil {
					t.Fatal(err)
				}
				if got, err := c.Get(t.Context(), "seam:value"); got != want || err != nil {
					t.Errorf("%s: GET of %d bytes returns %d, %v", at.host, len(want), len(got), err)
				}
			}
			if _, err := c.Get(t.Context(), "seam:none"); !errors.Is(err, errNil) {
				t.Errorf("GET of a key that is not there: %v", err)
			}
			if _, err := c.Do(t.Context(), "NOSUCH"); err == nil || !strings.Contains(err.Error(), "unknown command") {
				t.Errorf("an unknown command: %v", err)
			}
			if n, err := c.Do(t.Context(), "RPUSH", "seam:"+t.Name()+at.host, "x"); n != int64(1) || err != nil {
				t.Errorf("RPUSH returns %v, %v", n, err)
			}
		}
	})
}

func TestDialFails(t *testing.T) {
	eachMode(t, modes, func(t *testing.T, m mode) {
		if c, err := Dial(t.Context(), m, t.TempDir()+"/none", 0); c != nil || err == nil || !strings.Contains(err.Error(), "No such file") {
			t.Errorf("a socket that is not there: %v", err)
		}
		if c, err := Dial(t.Context(), m, "127.0.0.1", 1); c != nil || err == nil || !strings.Contains(err.Error(), "refused") {
			t.Errorf("a port that nobody listens at: %v", err)
		}
	})
}

// A thousand calls wait on a handful of threads, and each gets what is for it.
func TestBlocked(t *testing.T) {
	needWaits(t)
	const n = 1000
	s := start(t)
	eachMode(t, coroutines, func(t *testing.T, m mode) {
		b, err := block(t.Context(), m, s.Host, s.Port, n)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%+v before, %+v with %d blocked", b.before, b.during, n)
		// Usually it is half a dozen; a busy machine has more of them between two waits.
		if few := n / 20; b.during.Threads-b.before.Threads > few {
			t.Errorf("%d threads before, %d with %d calls blocked, want at most %d more", b.before.Threads, b.during.Threads, n, few)
		}
		if err := b.release(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// Through cgo, each waiting call holds a thread: what the count above is about.
func TestBlockedByCgoHoldsThreads(t *testing.T) {
	const n = 50
	s := start(t)
	eachMode(t, []string{"cgo", "locked"}, func(t *testing.T, m mode) {
		b, err := block(t.Context(), m, s.Host, s.Port, n)
		if err != nil {
			t.Fatal(err)
		}
		if b.during.Threads < n {
			t.Errorf("%d threads with %d calls blocked", b.during.Threads, n)
		}
		if err := b.release(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestCancel(t *testing.T) {
	needWaits(t)
	const n = 200
	why := errors.New("nobody waits for it any more")
	s := start(t)
	eachMode(t, append(coroutines, "locked"), func(t *testing.T, m mode) {
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		ended := make(chan error, n)
		b, err := block(ctx, m, s.Host, s.Port, 1) // so that something is blocked that stays
		if err != nil {
			t.Fatal(err)
		}
		defer b.end()
		for i := range n {
			c := dial(t, m, s.Host, s.Port)
			go func() {
				_, err := c.BLPop(ctx, fmt.Sprintf("seam:cancel:%d", i))
				if _, again := c.Do(t.Context(), "PING"); again == nil {
					err = errors.New("the connection is used again, though a reply is due")
				}
				ended <- err
			}()
		}
		waitBlocked(t, m, s, n+1)
		cancel(why)
		for range n {
			if err := receive(t, ended); !errors.Is(err, why) {
				t.Errorf("a cancelled call returns %v", err)
			}
		}
		b.waiting.Wait()
		if !errors.Is(b.errs[0], why) {
			t.Errorf("the call of a context above returns %v", b.errs[0])
		}
	})
}

// waitBlocked waits until the server says that n clients are blocked.
func waitBlocked(t *testing.T, m mode, s *servers.Server, n int) {
	t.Helper()
	b := blocked{control: dial(t, m, s.Host, s.Port)}
	for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		got, err := b.count(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got >= n {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d of %d clients are blocked", got, n)
		}
	}
}

func receive[T any](t *testing.T, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(patience):
		t.Fatalf("nothing after %v", patience)
		panic("unreachable")
	}
}

// A server that dies ends the calls that wait for it, in every mode.
func TestServerDies(t *testing.T) {
	const n = 100
	eachMode(t, modes, func(t *testing.T, m mode) {
		s := start(t)
		ended := make(chan error, n)
		var clients [n]*Client
		for i := range clients {
			clients[i] = dial(t, m, s.Host, s.Port)
		}
		for i, c := range clients {
			go func() {
				_, err := c.BLPop(t.Context(), key(i))
				ended <- err
			}()
		}
		waitBlocked(t, m, s, n)
		s.Stop()
		for range n {
			if err := receive(t, ended); err == nil || !strings.Contains(err.Error(), "Server closed") && !strings.Contains(err.Error(), "reset") {
				t.Errorf("a call to a dead server returns %v", err)
			}
		}
	})
}

// When there are no descriptors left new connections fail, and the calls that wait
// know nothing of it. The limit is that of a process of its own.
func TestNoDescriptorsLeft(t *testing.T) {
	for _, name := range modes {
		t.Run(name, func(t *testing.T) {
			child := exec.CommandContext(t.Context(), os.Args[0])
			child.Env = append(os.Environ(), childEnv+"="+name)
			if out, err := child.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

func fewFiles(name string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	s, err := servers.Redis(ctx)
	if err != nil {
		return err
	}
	defer s.Stop()
	m, err := newMode(name)
	if err != nil {
		return err
	}
	defer m.close()
	b, err := block(ctx, m, s.Host, s.Port, 20)
	if err != nil {
		return err
	}
	defer b.end()
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: 64, Max: 64}); err != nil {
		return err
	}
	refused := 0
	for range 100 {
		c, err := Dial(ctx, m, s.Host, s.Port)
		if err == nil {
			defer c.Close()
			if err := c.Set(ctx, "seam:few", "yes"); err != nil {
				return err
			}
			continue
		}
		if refused++; !strings.Contains(err.Error(), "Too many open files") {
			return fmt.Errorf("without descriptors connecting fails with %w", err)
		}
	}
	if refused < 100-64 {
		return fmt.Errorf("%d of 100 connections are refused with 64 descriptors", refused)
	}
	return b.release(ctx)
}

func TestRun(t *testing.T) {
	s := start(t)
	for _, args := range [][]string{
		{"-blocked", "10"},
		{"-blocked", "10", "-mode", "cgo", "-addr", s.Host + ":" + strconv.Itoa(s.Port)},
		{"-blocked", "10", "-mode", "floating", "-addr", s.Socket},
	} {
		var out bytes.Buffer
		if err := run(t.Context(), args, &out, os.Stderr); err != nil {
			t.Errorf("%v: %v", args, err)
		}
		if !strings.Contains(out.String(), "all 10 got what was pushed for them") {
			t.Errorf("%v prints\n%s", args, out.String())
		}
	}
	for _, args := range [][]string{{"-mode", "fast"}, {"-blocked", "0"}, {"surplus"}, {"-addr", "nowhere"}, {"-addr", "h:x"}} {
		if err := run(t.Context(), args, &bytes.Buffer{}, &bytes.Buffer{}); err == nil {
			t.Errorf("%v: no error", args)
		}
	}
}
