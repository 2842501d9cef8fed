//go:build cgo && linux && seam_servers

//seam:test native

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
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

func TestMain(m *testing.M) {
	var err error
	if server, err = servers.Postgres(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	server.Stop()
	os.Exit(code)
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

func connect(t *testing.T, m clients.Mode, conninfo string) *Conn {
	t.Helper()
	c, err := Connect(t.Context(), m, conninfo)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func needWaits(t *testing.T) {
	t.Helper()
	if s := coro.Status(); s.Path != coro.PathAssembly {
		t.Skip("waits hold threads here: ", s)
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

// until waits until the query on c returns want.
func until(t *testing.T, c *Conn, sql, want string) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		got, err := c.Query(t.Context(), sql)
		if err != nil {
			t.Fatal(err)
		}
		if got[0][0] == want {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: %s after %v, want %s", sql, got[0][0], patience, want)
		}
	}
}

func TestValues(t *testing.T) {
	eachMode(t, clients.Modes, func(t *testing.T, m clients.Mode) {
		for _, host := range []string{server.Host, "localhost", server.Socket} {
			c := connect(t, m, strings.Replace(connInfo(server), "host="+server.Host, "host="+host, 1))
			rows, err := c.Query(t.Context(), "select i, 'n' || i, null from generate_series(1, 3) i")
			if want := [][]string{{"1", "n1", ""}, {"2", "n2", ""}, {"3", "n3", ""}}; err != nil || !reflect.DeepEqual(rows, want) {
				t.Errorf("%s: rows %v, %v, want %v", host, rows, err, want)
			}
			// More than the sockets hold, in both directions.
			long := strings.Repeat("0123456789", 1<<20)
			rows, err = c.Query(t.Context(), "select '"+long+"'")
			if err != nil || rows[0][0] != long {
				t.Errorf("%s: %d bytes came back differently, %v", host, len(long), err)
			}
			if _, err := c.Query(t.Context(), "select nonsense"); err == nil || !strings.Contains(err.Error(), `"nonsense" does not exist`) {
				t.Errorf("%s: a wrong query: %v", host, err)
			}
			if rows, err := c.Query(t.Context(), "select 1"); err != nil || rows[0][0] != "1" {
				t.Errorf("%s: after a wrong query: %v, %v", host, rows, err)
			}
		}
	})
}

func TestConnectFails(t *testing.T) {
	eachMode(t, clients.Modes, func(t *testing.T, m clients.Mode) {
		for conninfo, want := range map[string]string{
			"host=127.0.0.1 port=1 gssencmode=disable sslmode=disable":             "refused",
			"host=" + t.TempDir() + " gssencmode=disable":                          "No such file",
			strings.Replace(connInfo(server), "dbname=postgres", "dbname=none", 1): `"none" does not exist`,
			"nonsense": "missing \"=\"",
		} {
			if c, err := Connect(t.Context(), m, conninfo); c != nil || err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", conninfo, err, want)
			}
		}
	})
}

// Many queries wait in the server at once, on a handful of threads, and each gets
// its own result. They wait for a lock, so all do at the same time.
func TestWaiting(t *testing.T) {
	needWaits(t)
	for _, n := range []int{100, 500} {
		if n > 100 && testing.Short() {
			continue
		}
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			m, err := newMode("executor")
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			control := connect(t, m, connInfo(server))
			if _, err := control.Query(t.Context(), "select pg_advisory_lock(1)"); err != nil {
				t.Fatal(err)
			}
			before, err := usage.Read()
			if err != nil {
				t.Fatal(err)
			}
			conns, err := connectAll(t.Context(), m, connInfo(server), n)
			if err != nil {
				t.Fatal(err)
			}
			defer clients.CloseAll(conns)
			type answer struct {
				i   int
				row string
				err error
			}
			answers := make(chan answer, n)
			for i, c := range conns {
				go func() {
					rows, err := c.Query(t.Context(), fmt.Sprintf("select %d from (select pg_advisory_xact_lock_shared(1)) x", i))
					a := answer{i: i, err: err}
					if err == nil {
						a.row = rows[0][0]
					}
					answers <- a
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
			if _, err := control.Query(t.Context(), "select pg_advisory_unlock(1)"); err != nil {
				t.Fatal(err)
			}
			for range n {
				if a := receive(t, answers); a.err != nil || a.row != fmt.Sprint(a.i) {
					t.Errorf("query %d returned %q, %v", a.i, a.row, a.err)
				}
			}
		})
	}
	for _, s := range coro.ReadStats().Stacks {
		t.Logf("%+v", s)
	}
}

func TestCancel(t *testing.T) {
	needWaits(t)
	const n = 20
	why := errors.New("nobody waits for it any more")
	eachMode(t, []string{"executor", "locked"}, func(t *testing.T, m clients.Mode) {
		control := connect(t, m, connInfo(server))
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		conns, err := connectAll(t.Context(), m, connInfo(server), n)
		if err != nil {
			t.Fatal(err)
		}
		defer clients.CloseAll(conns)
		ended := make(chan error, n)
		for _, c := range conns {
			go func() {
				_, err := c.Query(ctx, "select pg_sleep(600)")
				if _, again := c.Query(t.Context(), "select 1"); again == nil {
					err = errors.New("the connection is used again, though an answer is due")
				}
				ended <- err
			}()
		}
		const sleeping = "from pg_stat_activity where wait_event = 'PgSleep'"
		until(t, control, "select count(*) "+sleeping, fmt.Sprint(n))
		cancel(why)
		for range n {
			if err := receive(t, ended); !errors.Is(err, why) {
				t.Errorf("a cancelled query returns %v", err)
			}
		}
		// The server sleeps on, which the next test must not see.
		if _, err := control.Query(t.Context(), "select pg_terminate_backend(pid) "+sleeping); err != nil {
			t.Fatal(err)
		}
		until(t, control, "select count(*) "+sleeping, "0")
	})
}

// A server that ends makes the queries that it has not answered fail, in every mode.
func TestServerEnds(t *testing.T) {
	const n = 20
	eachMode(t, clients.Modes, func(t *testing.T, m clients.Mode) {
		s, err := servers.Postgres(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer s.Stop()
		conns, err := connectAll(t.Context(), m, connInfo(s), n)
		if err != nil {
			t.Fatal(err)
		}
		defer clients.CloseAll(conns)
		ended := make(chan error, n)
		for _, c := range conns {
			go func() {
				_, err := c.Query(t.Context(), "select pg_sleep(600)")
				ended <- err
			}()
		}
		until(t, connect(t, m, connInfo(s)), "select count(*) from pg_stat_activity where wait_event = 'PgSleep'", fmt.Sprint(n))
		s.Stop()
		for range n {
			if err := receive(t, ended); err == nil || !strings.Contains(err.Error(), "terminat") && !strings.Contains(err.Error(), "reset") {
				t.Errorf("a query to a server that ended returns %v", err)
			}
		}
	})
}

func TestRun(t *testing.T) {
	for _, name := range clients.Modes {
		var out bytes.Buffer
		err := run(t.Context(), []string{"-n", "10", "-mode", name, "-conninfo", connInfo(server)}, &out, os.Stderr)
		if err != nil || !strings.Contains(out.String(), "threads:") {
			t.Errorf("%s: %v, printed\n%s", name, err, out.String())
		}
	}
	for _, args := range [][]string{{"-mode", "fast"}, {"-n", "0"}, {"surplus"}, {"-conninfo", "nonsense"}} {
		if err := run(t.Context(), args, &bytes.Buffer{}, &bytes.Buffer{}); err == nil {
			t.Errorf("%v: no error", args)
		}
	}
}
