//go:build linux && cgo

package switches

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

var peerKinds = []struct {
	name string
	new  func() (*peer, error)
}{
	{"process", func() (*peer, error) { return newPeer(processPipe, 4096) }},
	{"thread", func() (*peer, error) { return newPeer(threadPipe, 4096) }},
	{"futex", func() (*peer, error) { return newPeer(threadFutex, 4096) }},
}

// status returns one line of /proc/.../status.
func status(t *testing.T, path, key string) string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for sc := bufio.NewScanner(f); sc.Scan(); {
		if v, ok := strings.CutPrefix(sc.Text(), key+":"); ok {
			return strings.TrimSpace(v)
		}
	}
	t.Fatalf("%s has no %s", path, key)
	return ""
}

// A hand-over is a switch of the CPU: each round trip takes control from the
// peer exactly once, by its own will or not.
func TestHandOverSwitches(t *testing.T) {
	for _, k := range peerKinds {
		t.Run(k.name, func(t *testing.T) {
			p, err := k.new()
			if err != nil {
				t.Skip(err)
			}
			defer p.close()
			switches := func() int {
				path := fmt.Sprintf("/proc/%d/status", p.tid())
				a, _ := strconv.Atoi(status(t, path, "voluntary_ctxt_switches"))
				b, _ := strconv.Atoi(status(t, path, "nonvoluntary_ctxt_switches"))
				return a + b
			}
			const rounds = 2000
			before := switches()
			if err := p.run(rounds); err != nil {
				t.Fatal(err)
			}
			// Others may take the CPU away a few times more.
			if got := switches() - before; got < rounds-1 {
				t.Errorf("the peer was switched out %d times in %d round trips", got, rounds)
			}
		})
	}
}

func TestAffinityIsRestored(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := status(t, "/proc/thread-self/status", "Cpus_allowed")
	for _, k := range peerKinds {
		p, err := k.new()
		if err != nil {
			t.Skip(err)
		}
		if err := p.run(10); err != nil {
			t.Error(err)
		}
		if got := status(t, "/proc/thread-self/status", "Cpus_allowed"); got != before {
			t.Errorf("%s: CPUs allowed are %s after run, %s before", k.name, got, before)
		}
		p.close()
	}
}

func TestKilledPeerIsAnError(t *testing.T) {
	p, err := newPeer(processPipe, 0)
	if err != nil {
		t.Skip(err)
	}
	defer p.close()
	if err := syscall.Kill(p.tid(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := p.run(1000); err == nil || !strings.Contains(err.Error(), "has gone") {
			t.Fatalf("got %v, want an error that says the peer has gone", err)
		}
	}
}

// The peer of a program that was killed ends too. The test program runs itself
// as that program.
func TestNoOrphan(t *testing.T) {
	if os.Getenv("SEAM_TEST_ORPHAN") != "" {
		p, err := newPeer(processPipe, 4096)
		if err != nil {
			fmt.Println(0, err)
			return
		}
		fmt.Println(p.tid())
		select {}
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "-test.run=^TestNoOrphan$")
	cmd.Env = append(os.Environ(), "SEAM_TEST_ORPHAN=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); errors.Is(err, syscall.ENOEXEC) {
		t.Skip("this program runs under an emulator and can't start itself")
	} else if err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Fscan(out, &pid); err != nil || pid == 0 {
		cmd.Process.Kill()
		cmd.Wait()
		t.Fatalf("no peer: pid %d, %v", pid, err)
	}
	cmd.Process.Kill()
	cmd.Wait()
	for end := time.Now().Add(150 * time.Second); ; time.Sleep(time.Millisecond) {
		// The process that inherits it may reap it late: a zombie has ended.
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || strings.Contains(string(b), ") Z ") {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("peer %d still runs: %s", pid, b)
		}
	}
}
