package fleet_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/seamgo/seam/internal/testenv"
)

// With apartEnv set a test runs in a mount and a network namespace of its own, where it may
// fill disks and set up firewalls. It is the folder where a disk may be mounted.
const apartEnv = "SEAM_TEST_FLEET_APART"

// apart runs the test again in namespaces of its own, and reports whether this is that run.
func apart(t *testing.T) bool {
	t.Helper()
	testenv.Tool(t, "etcd")
	testenv.Tool(t, "ip")
	if os.Getenv(apartEnv) != "" {
		return true
	}
	dir, err := os.MkdirTemp("", "d") // short: sockets are in it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), apartEnv+"="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWNET, Pdeathsig: syscall.SIGKILL}
	if id := os.Getuid(); id != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: id, Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	out, err := cmd.CombinedOutput()
	switch {
	case errors.Is(err, syscall.EPERM):
		t.Skipf("this machine gives us no namespaces: %v (run it as root, or allow user namespaces)", err)
	case err != nil:
		t.Errorf("%v\n%s", err, out)
	case !bytes.Contains(out, []byte("--- PASS: "+t.Name()+" ")):
		t.Errorf("it did not run:\n%s", out)
	default:
		t.Logf("%s", out)
	}
	return false
}

// run runs a command line.
func run(t *testing.T, line string) {
	t.Helper()
	args := strings.Fields(line)
	if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", line, err, out)
	}
}

// A firewall refuses connections to one server, and swallows what goes to another, while
// both keep their leases: calls go on, and both take orders again when it is gone.
func TestFirewall(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	testenv.Tool(t, "nft")
	if !apart(t) {
		return
	}
	run(t, "ip link set lo up")
	run(t, "nft add table inet fire")
	run(t, "nft add chain inet fire wall { type filter hook input priority 0 ; }")
	s := newScene(t, "", []string{"ORDERS_LISTEN=127.0.0.2:0"}, []string{"ORDERS_LISTEN=127.0.0.3:0"}, []string{"ORDERS_LISTEN=127.0.0.4:0"})
	for i, verdict := range []string{"reject with tcp reset", "drop"} {
		server := s.Servers[i]
		host, _, _ := strings.Cut(server.Address, ":")
		failed := s.load.Failed()
		run(t, "nft add rule inet fire wall meta l4proto tcp ip daddr "+host+" "+verdict)
		if verdict == "drop" {
			eventually(t, "a call runs into its time limit", func() bool { return s.load.Failed() > failed })
		}
		s.goesOn("behind a firewall: " + verdict)
		none := size(server.Journal)
		s.goesOn("and on: " + verdict)
		if n := size(server.Journal); n != none {
			t.Errorf("%s: orders arrive all the same, %d bytes of them", verdict, n-none)
		}
		if !s.isRegistered(server) { // its own way to etcd is open
			t.Errorf("%s: the server has lost its lease: it isn't the breaker that helps", verdict)
		}
		run(t, "nft flush chain inet fire wall")
		eventually(t, "orders arrive again: "+verdict, s.takesOrders(server))
	}
	s.check()
}

// The disk of etcd is full: calls go on, and when there is room again, and etcd, servers
// join as ever.
func TestFullDiskOfEtcd(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	if !apart(t) {
		return
	}
	run(t, "ip link set lo up")
	run(t, "mount --make-rprivate /") // what is mounted here is nobody else's
	disk := os.Getenv(apartEnv)
	run(t, "mount -t tmpfs -o size=256m none "+disk)
	journals := t.TempDir()
	t.Setenv("TMPDIR", disk) // for etcd
	s := newScene(t, journals)
	full := filepath.Join(disk, "full")
	fill(t, full)
	// It has some room in files of its own: that goes first.
	c, err := clientv3.New(clientv3.Config{Endpoints: []string{s.Etcd.Address()}, DialTimeout: patient, Logger: zap.NewNop()})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var refused error
	for i := 0; refused == nil && i < 1000; i++ {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		_, refused = c.Put(ctx, "ballast", strings.Repeat("x", 1<<20))
		cancel()
	}
	if refused == nil {
		t.Fatal("etcd takes a gigabyte on a disk of 256 MB that is full")
	}
	t.Logf("etcd says: %v", refused)
	s.goesOn("with the disk of etcd full")

	if err := os.Remove(full); err != nil {
		t.Fatal(err)
	}
	s.Etcd.Crash() // it has ended by itself, or would sooner or later
	if err := s.Etcd.Again(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, server := range s.Servers {
		eventually(t, "all are in the registry again", func() bool { return s.isRegistered(server) })
	}
	eventually(t, "a new server takes orders", s.takesOrders(s.add()))
	s.check()
}

// fill writes a file until there is no room.
func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for block := make([]byte, 1<<20); len(block) > 0; {
		if _, err := f.Write(block); errors.Is(err, syscall.ENOSPC) {
			block = block[:len(block)/2]
		} else if err != nil {
			t.Fatal(err)
		}
	}
}
