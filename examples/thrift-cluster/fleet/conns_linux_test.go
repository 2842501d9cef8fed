package fleet_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/seamgo/seam/examples/thrift-cluster/fleet"
	"github.com/seamgo/seam/examples/thrift-cluster/kitex_gen/orders"
	"github.com/seamgo/seam/internal/testenv"
	"github.com/seamgo/seam/thrift"
)

// 10,000 connections, each of which has made a call and is idle now, cost a server at most
// 200 MB of memory, all of the process counted: seam's own server as well as Kitex's.
func TestConnections(t *testing.T) {
	testenv.Tool(t, "etcd")
	n := 1000
	if os.Getenv("SEAM_SOAK") != "" {
		n = 10_000 // less than the limit of descriptors that is usual for root
	}
	const limit = 200 << 20 / 10_000 // for each
	f, err := fleet.New(t.Context(), "", func() *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childEnv+"=1")
		return cmd
	})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for name, env := range map[string][]string{"seam": {"ORDERS_PLACE=tcp:127.0.0.1:0"}, "kitex": nil} {
		t.Run(name, func(t *testing.T) {
			s, err := f.Add(t.Context(), env...)
			if err != nil {
				t.Fatal(err)
			}
			alone := rss(t, s)
			conns := make([]net.Conn, 0, n)
			defer func() {
				for _, c := range conns {
					c.Close()
				}
			}()
			for range n {
				c, err := net.Dial("tcp", s.Address)
				if err != nil {
					t.Fatalf("connection %d: %v (ulimit -n?)", len(conns), err)
				}
				conns = append(conns, c)
				if _, err := orders.NewOrdersClient(thrift.NewClient(thrift.NewConn(c, thrift.ConnOptions{}), thrift.ClientOptions{})).Of(t.Context(), "anna"); err != nil {
					t.Fatalf("connection %d: %v", len(conns), err)
				}
			}
			used := rss(t, s)
			t.Logf("%d connections: %d MB, of which %d before the first; %d bytes for each", n, used>>20, alone>>20, (used-alone)/n)
			if n == 10_000 && used > n*limit {
				t.Errorf("%d MB", used>>20)
			}
			if each := (used - alone) / n; each > limit {
				t.Errorf("a connection takes %d bytes, want at most %d", each, limit)
			}
		})
	}
}

// rss is the memory that a server has, in bytes.
func rss(t *testing.T, s *fleet.Server) int {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.Pid()))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		var kb int
		if _, err := fmt.Sscanf(line, "VmRSS: %d kB", &kb); err == nil {
			return kb << 10
		}
	}
	t.Fatal("there is no VmRSS")
	return 0
}
