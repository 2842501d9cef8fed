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

// A scene is a fleet under load.
type scene struct {
	*testing.T
	*fleet.Fleet
	load       *load.Load
	registered func() string // the addresses in the registry

	stop    context.CancelFunc
	callers sync.WaitGroup
}

// newScene starts an etcd and three servers, which have their files below dir, and calls
// them.
func newScene(t *testing.T, dir string, env ...[]string) *scene {
	t.Helper()
	testenv.Tool(t, "etcd")
	f, err := fleet.New(t.Context(), dir, func() *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childEnv+"=1")
		return cmd
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	s := &scene{T: t, Fleet: f}
	for i := range 3 {
		if i < len(env) {
			s.add(env[i]...)
		} else {
			s.add()
		}
	}
	p, err := place.Parse(f.Place())
	if err != nil {
		t.Fatal(err)
	}
	c, err := p.Dial(place.DialOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	s.registered = members(t, f)
	s.load = load.New(c, 100)
	var ctx context.Context
	ctx, s.stop = context.WithCancel(t.Context())
	s.callers.Go(func() { s.load.Run(ctx, 8) })
	t.Cleanup(func() { s.stop(); s.callers.Wait() })
	s.goesOn("with three servers")
	return s
}

func (s *scene) add(env ...string) *fleet.Server {
	s.Helper()
	server, err := s.Add(s.Context(), env...)
	if err != nil {
		s.Fatal(err)
	}
	return server
}

// goesOn waits for 200 calls more.
func (s *scene) goesOn(while string) {
	s.Helper()
	n := s.load.Answered()
	eventually(s.T, "calls go on "+while, func() bool { return s.load.Answered() > n+200 })
}

// takesOrders returns what reports whether a server has taken orders since.
func (s *scene) takesOrders(server *fleet.Server) func() bool {
	before := size(server.Journal)
	return func() bool { return size(server.Journal) > before }
}

func (s *scene) isRegistered(server *fleet.Server) bool {
	return strings.Contains(s.registered(), server.Address)
}

func (s *scene) signal(server *fleet.Server, signal syscall.Signal) {
	s.Helper()
	if err := server.Signal(signal); err != nil {
		s.Fatal(err)
	}
}

// check ends the load and compares every order with the journals.
func (s *scene) check() {
	s.Helper()
	s.stop()
	s.callers.Wait()
	count, err := s.load.Check(s.Journals())
	if err != nil {
		s.Error(err)
	}
	if n := s.load.Answered(); 2*count.Acknowledged < n { // a caller asks only for what it has placed
		s.Errorf("%d answers, %+v", n, count)
	}
	s.Logf("%+v; errors: %d", count, len(s.load.Errors()))
}

// Whatever happens to servers and to etcd, calls go on, no order that was acknowledged is
// lost, and none is placed twice.
func TestChaos(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	s := newScene(t, "")
	first, second, third := s.Servers[0], s.Servers[1], s.Servers[2]

	first.Kill()
	s.goesOn("without the one that was killed")

	eventually(t, "the new server takes orders", s.takesOrders(s.add()))

	// A server that stands still loses its lease; when it runs again it comes back.
	s.signal(second, syscall.SIGSTOP)
	s.goesOn("while one stands still")
	eventually(t, "it is no longer in the registry", func() bool { return !s.isRegistered(second) })
	back := s.takesOrders(second)
	s.signal(second, syscall.SIGCONT)
	eventually(t, "it is back", func() bool { return s.isRegistered(second) && back() })

	// A slow one: most of the time it stands still.
	for range 10 {
		s.signal(third, syscall.SIGSTOP)
		time.Sleep(90 * time.Millisecond)
		s.signal(third, syscall.SIGCONT)
		time.Sleep(10 * time.Millisecond)
	}
	s.goesOn("after one was slow")

	s.Etcd.Crash()
	s.goesOn("without etcd")
	if err := s.Etcd.Again(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.goesOn("with etcd again")

	// Something takes connections and answers nothing.
	deaf(t, s.Fleet)
	s.goesOn("beside a server that is deaf")

	if err := third.Drain(); err != nil {
		t.Errorf("draining: %v", err)
	}
	s.goesOn("without the one that was drained")
	eventually(t, "a last new server takes orders", s.takesOrders(s.add()))
	s.check()
}

// For a whole minute there is no etcd: no call fails for that, and all servers are back when
// it is.
func TestAMinuteWithoutEtcd(t *testing.T) {
	if os.Getenv("SEAM_SOAK") == "" {
		t.Skip("takes more than a minute (SEAM_SOAK=1)")
	}
	s := newScene(t, "")
	s.Etcd.Crash()
	for range 60 {
		time.Sleep(time.Second)
		s.goesOn("without etcd")
	}
	if err := s.Etcd.Again(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, server := range s.Servers {
		eventually(t, "all are in the registry again", func() bool { return s.isRegistered(server) })
	}
	eventually(t, "a new server takes orders", s.takesOrders(s.add()))
	s.check()
	for text, n := range s.load.Errors() {
		t.Errorf("%d × %s", n, text)
	}
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
