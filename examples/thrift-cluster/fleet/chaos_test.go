package fleet_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/cloudwego/kitex/pkg/klog"

	"github.com/seamgo/seam/examples/thrift-cluster/fleet"
	"github.com/seamgo/seam/examples/thrift-cluster/load"
	"github.com/seamgo/seam/examples/thrift-cluster/place"
	"github.com/seamgo/seam/examples/thrift-cluster/registry"
	"github.com/seamgo/seam/examples/thrift-cluster/server"
	"github.com/seamgo/seam/internal/testenv"
)

// With childEnv set the test binary is a server.
const childEnv = "SEAM_TEST_FLEET_SERVER"

func TestMain(m *testing.M) {
	klog.SetLevel(klog.LevelFatal)
	if os.Getenv(childEnv) == "" {
		os.Exit(m.Run())
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	c, err := server.ReadConfig("")
	if err == nil {
		err = server.Run(ctx, c, os.Stderr, func(address string) { fmt.Println(fleet.Begun + address) })
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// patient is how long a test waits for what must come.
const patient = 2 * time.Minute

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patient); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("in %v not: %s", patient, what)
		}
	}
}

// Whatever happens to servers and to etcd, calls go on, no order that was acknowledged is
// lost, and none is placed twice.
func TestChaos(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	testenv.Tool(t, "etcd")
	f, err := fleet.New(t.Context(), func() *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childEnv+"=1")
		return cmd
	})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	add := func() *fleet.Server {
		t.Helper()
		s, err := f.Add(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	first, second, third := add(), add(), add()
	p, err := place.Parse(f.Place())
	if err != nil {
		t.Fatal(err)
	}
	c, err := p.Dial(place.DialOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	registered := members(t, f)

	l := load.New(c, 100)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var callers sync.WaitGroup
	callers.Go(func() { l.Run(ctx, 8) })
	goesOn := func(while string) {
		t.Helper()
		n := l.Answered()
		eventually(t, "calls go on "+while, func() bool { return l.Answered() > n+200 })
	}
	takesOrders := func(s *fleet.Server) func() bool {
		before := size(s.Journal)
		return func() bool { return size(s.Journal) > before }
	}
	send := func(s *fleet.Server, signal syscall.Signal) {
		t.Helper()
		if err := s.Signal(signal); err != nil {
			t.Fatal(err)
		}
	}

	goesOn("with three servers")

	first.Kill()
	goesOn("without the one that was killed")

	eventually(t, "the new server takes orders", takesOrders(add()))

	// A server that stands still loses its lease; when it runs again it comes back.
	send(second, syscall.SIGSTOP)
	goesOn("while one stands still")
	eventually(t, "it is no longer in the registry", func() bool { return !strings.Contains(registered(), second.Address) })
	back := takesOrders(second)
	send(second, syscall.SIGCONT)
	eventually(t, "it is back", func() bool { return strings.Contains(registered(), second.Address) && back() })

	// A slow one: most of the time it stands still.
	for range 10 {
		send(third, syscall.SIGSTOP)
		time.Sleep(90 * time.Millisecond)
		send(third, syscall.SIGCONT)
		time.Sleep(10 * time.Millisecond)
	}
	goesOn("after one was slow")

	f.Etcd.Crash()
	goesOn("without etcd")
	if err := f.Etcd.Again(t.Context()); err != nil {
		t.Fatal(err)
	}
	goesOn("with etcd again")

	// Something takes connections and answers nothing.
	deaf(t, f)
	goesOn("beside a server that is deaf")

	if err := third.Drain(); err != nil {
		t.Errorf("draining: %v", err)
	}
	goesOn("without the one that was drained")
	eventually(t, "a last new server takes orders", takesOrders(add()))

	stop()
	callers.Wait()
	count, err := l.Check(f.Journals())
	if err != nil {
		t.Error(err)
	}
	if n := l.Answered(); 2*count.Acknowledged < n { // a caller asks only for what it has placed
		t.Errorf("%d answers, %+v", n, count)
	}
	t.Logf("%+v; errors: %d", count, len(l.Errors()))
}

func size(file string) int64 {
	info, err := os.Stat(file)
	if err != nil {
		return 0
	}
	return info.Size()
}

// members returns a function that lists the addresses in the registry.
func members(t *testing.T, f *fleet.Fleet) func() string {
	t.Helper()
	resolver, err := registry.NewResolver([]string{f.Etcd.Address()})
	if err != nil {
		t.Fatal(err)
	}
	return func() string {
		r, err := resolver.Resolve(t.Context(), place.Name)
		if err != nil {
			return err.Error()
		}
		var b strings.Builder
		for _, x := range r.Instances {
			fmt.Fprintln(&b, x.Address())
		}
		return b.String()
	}
}

// deaf registers what accepts connections, as the kernel does for it, and never reads.
func deaf(t *testing.T, f *fleet.Fleet) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	m, err := registry.Join([]string{f.Etcd.Address()}, place.Name, l.Addr(), 10)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Leave() }) // etcd may have ended
}
