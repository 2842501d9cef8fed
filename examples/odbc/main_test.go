//go:build cgo && linux && seam_servers

//seam:test native

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/seamgo/seam/coro"
	"github.com/seamgo/seam/examples/internal/clients"
	"github.com/seamgo/seam/examples/internal/servers"
	"github.com/seamgo/seam/examples/internal/servers/usage"
)

// patience is how long a test waits for what must come.
const patience = time.Minute

// server is for all tests that leave it as it is. Starting one takes a second.
var server *servers.Server

func TestMain(m *testing.M) { os.Exit(withServer(m.Run)) }

func withServer(run func() int) int {
	dir, err := os.MkdirTemp("", "seam-odbc-")
	if err == nil {
		defer os.RemoveAll(dir)
		err = configure(dir, 0)
	}
	if err == nil {
		server, err = servers.Postgres(context.Background())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer server.Stop()
	return run()
}

func eachMode(t *testing.T, names []string, test func(t *testing.T, m clients.Mode)) {
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			m, err := newMode(name)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(m.Close)
			test(t, m)
		})
	}
}

// oneThread is the executor that finds locks which are held in a wait: all calls
// share a thread.
func oneThread(t *testing.T) clients.Mode {
	t.Helper()
	if s := coro.Status(); s.Path != coro.PathAssembly {
		t.Skip("waits hold threads here: ", s)
	}
	e, err := coro.NewExecutor(coro.ExecutorOptions{Threads: 1, Inline: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return clients.Mode{Call: e.Runner().With(options).Call}
}

func connect(t *testing.T, m clients.Mode) *Conn {
	t.Helper()
	c, err := Connect(t.Context(), m, connection(server))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func query(t *testing.T, c *Conn, sql string) string {
	t.Helper()
	got, err := c.Value(t.Context(), sql)
	if err != nil {
		t.Fatal(err)
	}
	return got
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

// until waits until the query on c returns want.
func until(t *testing.T, c *Conn, sql, want string) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		got := query(t, c, sql)
		if got == want {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: %s after %v, want %s", sql, got, patience, want)
		}
	}
}

func TestValues(t *testing.T) {
	eachMode(t, clients.Modes, func(t *testing.T, m clients.Mode) {
		c := connect(t, m)
		for sql, want := range map[string]string{
			"select 42":                   "42",
			"select 'grün'::text":         "grün",
			"select null":                 "",
			"select repeat('x', 255)":     strings.Repeat("x", 255),
			"select 1.5, pg_sleep(0.001)": "1.5",
		} {
			if got, err := c.Value(t.Context(), sql); got != want || err != nil {
				t.Errorf("%s returns %q, %v", sql, got, err)
			}
		}
		for sql, want := range map[string]string{
			"select nonsense":           `"nonsense" does not exist`,
			"select repeat('x', 256)":   "a value of 256 bytes",
			"select 1 where false":      "no reason",
			"create table pg_temp.t ()": "", // has no rows to fetch
		} {
			if _, err := c.Value(t.Context(), sql); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", sql, err, want)
			}
		}
		if got := query(t, c, "select 'still usable'"); got != "still usable" {
			t.Errorf("after errors: %q", got)
		}
	})
}

func TestConnectFails(t *testing.T) {
	eachMode(t, clients.Modes, func(t *testing.T, m clients.Mode) {
		for connection, want := range map[string]string{
			"Driver=nosuch": "Can't open lib 'nosuch'",
			"DSN=nosuch":    "Data source name not found",
			"Driver=seam;Server=127.0.0.1;Port=1;Uid=me;Database=x;SSLmode=disable;pqopt={gssencmode=disable}": "refused",
		} {
			if c, err := Connect(t.Context(), m, connection); c != nil || err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", connection, err, want)
			}
		}
	})
}

// Queries wait in the server at once, all on one thread, and each gets its own
// result: no lock of unixODBC or the driver is held by one that waits. They wait for
// a lock of the server, so all do at the same time.
func TestWaiting(t *testing.T) {
	const n = 100
	m := oneThread(t)
	control := connect(t, m)
	query(t, control, "select 1 from (select pg_advisory_lock(1)) x")
	before, err := usage.Read()
	if err != nil {
		t.Fatal(err)
	}
	conns, err := connectAll(t.Context(), m, connection(server), n)
	if err != nil {
		t.Fatal(err)
	}
	defer clients.CloseAll(conns)
	type answer struct {
		i     int
		value string
		err   error
	}
	answers := make(chan answer, n)
	for i, c := range conns {
		go func() {
			v, err := c.Value(t.Context(), fmt.Sprintf("select %d from (select pg_advisory_xact_lock_shared(1)) x", i))
			answers <- answer{i, v, err}
		}()
	}
	until(t, control, "select count(*) from pg_locks where locktype = 'advisory' and not granted", fmt.Sprint(n))
	during, err := usage.Read()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d threads before, %d with %d queries waiting", before.Threads, during.Threads, n)
	if few := runtime.GOMAXPROCS(0) + 8; during.Threads-before.Threads > few {
		t.Errorf("%d threads before, %d with %d queries waiting, want at most %d more", before.Threads, during.Threads, n, few)
	}
	query(t, control, "select pg_advisory_unlock(1)")
	for range n {
		if a := receive(t, answers); a.err != nil || a.value != fmt.Sprint(a.i) {
			t.Errorf("query %d returned %q, %v", a.i, a.value, a.err)
		}
	}
	for _, s := range coro.ReadStats().Stacks {
		t.Logf("%+v", s)
	}
}

// While one connection waits for a server that says nothing, others are made, on
// the same thread.
func TestSilentServer(t *testing.T) {
	m := oneThread(t)
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("it says nothing")
	ended := make(chan error, 1)
	go func() {
		at := silent.Addr().(*net.TCPAddr)
		c, err := Connect(ctx, m, connection(&servers.Server{Host: "127.0.0.1", Port: at.Port}))
		if err == nil {
			c.Close()
		}
		ended <- err
	}()
	caller, err := silent.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer caller.Close()
	if _, err := caller.Read(make([]byte, 8)); err != nil { // it waits for an answer now
		t.Fatal(err)
	}
	other := make(chan error, 1)
	go func() {
		c, err := Connect(t.Context(), m, connection(server))
		if err == nil {
			c.Close()
		}
		other <- err
	}()
	if err := receive(t, other); err != nil {
		t.Error(err)
	}
	cancel(why)
	if err := receive(t, ended); !errors.Is(err, why) {
		t.Errorf("the cancelled connection: %v", err)
	}
}

// Goroutines that share a connection take turns.
func TestSharedConnection(t *testing.T) {
	const n = 50
	c := connect(t, oneThread(t))
	ended := make(chan error, n)
	for i := range n {
		go func() {
			got, err := c.Value(t.Context(), fmt.Sprintf("select %d, pg_sleep(0.001)", i))
			if err == nil && got != fmt.Sprint(i) {
				err = fmt.Errorf("query %d returned %q", i, got)
			}
			ended <- err
		}()
	}
	for range n {
		if err := receive(t, ended); err != nil {
			t.Error(err)
		}
	}
}

func TestCancel(t *testing.T) {
	const n = 20
	why := errors.New("nobody waits for it any more")
	m := oneThread(t)
	control := connect(t, m)
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	conns, err := connectAll(t.Context(), m, connection(server), n)
	if err != nil {
		t.Fatal(err)
	}
	defer clients.CloseAll(conns)
	ended, waited := make(chan error, n), make(chan error, n)
	for _, c := range conns {
		go func() {
			_, err := c.Value(ctx, "select 1, pg_sleep(600)")
			ended <- err
		}()
	}
	const sleeping = "from pg_stat_activity where wait_event = 'PgSleep'"
	until(t, control, "select count(*) "+sleeping, fmt.Sprint(n))
	for _, c := range conns {
		go func() { // for its turn
			_, err := c.Value(ctx, "select 1")
			waited <- err
		}()
	}
	cancel(why)
	for range n {
		if err := errors.Join(receive(t, ended), receive(t, waited)); strings.Count(err.Error(), why.Error()) != 2 {
			t.Errorf("cancelled queries return %v", err)
		}
	}
	for _, c := range conns {
		if _, err := c.Value(t.Context(), "select 1"); !errors.Is(err, why) {
			t.Errorf("a connection that was given up: %v", err)
		}
	}
	query(t, control, "select count(pg_terminate_backend(pid)) "+sleeping)
	until(t, control, "select count(*) "+sleeping, "0")
}

// A server that ends makes the queries that it has not answered fail, in every mode.
func TestServerEnds(t *testing.T) {
	const n = 10
	eachMode(t, clients.Modes, func(t *testing.T, m clients.Mode) {
		s, err := servers.Postgres(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer s.Stop()
		conns, err := connectAll(t.Context(), m, connection(s), n+1)
		if err != nil {
			t.Fatal(err)
		}
		defer clients.CloseAll(conns)
		ended := make(chan error, n)
		for _, c := range conns[1:] {
			go func() {
				_, err := c.Value(t.Context(), "select 1, pg_sleep(600)")
				ended <- err
			}()
		}
		until(t, conns[0], "select count(*) from pg_stat_activity where wait_event = 'PgSleep'", fmt.Sprint(n))
		s.Stop()
		for range n {
			if err := receive(t, ended); err == nil {
				t.Error("a query to a server that ended returns no error")
			}
		}
	})
}

func TestRun(t *testing.T) {
	// Not with other modes and levels: unixODBC's settings are the process's.
	var out bytes.Buffer
	for _, args := range [][]string{{"-mode", "fast"}, {"-n", "0"}, {"surplus"}, {"-threading", "4"}, {"-threading", "3"}} {
		if err := run(t.Context(), args, &out, io.Discard); err == nil {
			t.Errorf("%v: no error", args)
		}
	}
	if out.Len() > 0 {
		t.Errorf("wrong command lines print %s", out.String())
	}
	m, err := newMode(clients.Modes[0])
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	conns, err := connectAll(t.Context(), m, connection(server), 20)
	if err != nil {
		t.Fatal(err)
	}
	defer clients.CloseAll(conns)
	if _, err := clients.AskAll(len(conns), ask(t.Context(), conns)); err != nil {
		t.Error(err)
	}
}
