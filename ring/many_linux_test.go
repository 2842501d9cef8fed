package ring

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seamgo/seam/internal/child"
)

// perProcess is how many rings a process of writers has: each takes a descriptor.
const perProcess = 2500

// Many rings to one process, of which few are used: memory, descriptors and wake-ups follow
// what passes through them. SEAM_SOAK has ten thousand.
func TestManyRings(t *testing.T) {
	if where := os.Getenv("RING_WRITERS"); where != "" {
		if err := writers(where); err != nil {
			t.Fatal(err)
		}
		return
	}
	if len(child.Emulator()) > 0 {
		t.Skip("the emulator maps and opens what is its own too")
	}
	rings := 500
	if os.Getenv("SEAM_SOAK") != "" {
		rings = 10000
	}
	collected(t)
	l, err := net.ListenUnix("unix", &net.UnixAddr{Net: "unix"}) // a name that the kernel chooses
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	d := newDoorbell(t)
	before, goroutines, fds := heap(), runtime.NumGoroutine(), descriptors(t)
	type process struct {
		cmd     *exec.Cmd
		in      io.WriteCloser
		replies *bufio.Reader
	}
	var processes []process
	var servers []*Conn
	for len(servers) < rings {
		n := min(perProcess, rings-len(servers))
		cmd := child.Self(t, "-test.run=^TestManyRings$")
		cmd.Env = append(os.Environ(), fmt.Sprintf("RING_WRITERS=%d %s", n, l.Addr()))
		cmd.Stderr = os.Stderr
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		processes = append(processes, process{cmd, in, bufio.NewReader(out)})
		for range n {
			sock, err := l.AcceptUnix()
			if err != nil {
				t.Fatal(err)
			}
			c, err := Serve(t.Context(), sock, Options{Untrusted: true, Doorbell: d})
			if err != nil {
				t.Fatal(err)
			}
			servers = append(servers, c)
		}
	}
	// The pipe to each process is not the rings'.
	perRing := float64(descriptors(t)-fds-2*len(processes)) / float64(rings)
	memory, shared := (heap()-before)/rings, resident(t)/rings
	if n := runtime.NumGoroutine() - goroutines; n > rings/10 {
		t.Errorf("%d goroutines for %d rings", n, rings)
	}
	if perRing > 1.05 {
		t.Errorf("%.2f descriptors for each", perRing)
	}
	if memory > 16<<10 {
		t.Errorf("%d bytes of memory for each", memory)
	}
	if shared > 2*4096 {
		t.Errorf("%d bytes of shared memory for each, want two pages", shared)
	}
	// One in a hundred writes, ten times.
	const rounds, apart = 10, 100
	busy := 0
	for i := range processes {
		busy += (min(perProcess, rings-i*perProcess) + apart - 1) / apart
	}
	turns := 0
	for range rounds {
		for _, p := range processes {
			fmt.Fprintln(p.in, apart)
		}
		for got := 0; got < busy; {
			c, err := d.Next(forever)
			if err != nil {
				t.Fatal(err)
			}
			turns++
			for {
				rec, ok, err := c.Reader().TryNext()
				if err != nil {
					t.Fatal(err)
				}
				if !ok {
					break
				}
				if len(rec) != 64 {
					t.Fatalf("a record of %d bytes", len(rec))
				}
				got++
			}
		}
		for _, p := range processes {
			if line, err := p.replies.ReadString('\n'); line != "sent\n" {
				t.Fatalf("%q, %v", line, err)
			}
		}
	}
	woken, rung := uint64(0), 0
	for _, c := range servers {
		n := c.Reader().Stats().WriterWoke
		woken += n
		if n > 0 {
			rung++
		}
	}
	if woken > rounds*uint64(busy) || rung > busy || turns > rounds*busy {
		t.Errorf("%d records through %d rings: %d wake-ups, by %d of them, %d turns", rounds*busy, busy, woken, rung, turns)
	}
	ctx, cancel := context.WithTimeout(forever, 20*time.Millisecond)
	defer cancel()
	if c, err := d.Next(ctx); err != context.DeadlineExceeded {
		t.Errorf("while nothing is sent: %p, %v", c, err)
	}
	after := (heap() - before) / rings
	t.Logf("%d rings of 64 KiB each way: %d bytes of Go's memory and %d KiB shared for each while idle, %.2f descriptors; "+
		"%d records through %d of them: %d wake-ups by %d rings, %d turns, %d bytes for each afterwards",
		rings, memory, shared>>10, perRing, rounds*busy, busy, woken, rung, turns, after)
	for _, p := range processes {
		p.in.Close()
		if err := p.cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	// All of them have ended, and the doorbell says so of each.
	for left := rings; left > 0; left-- {
		c, err := d.Next(forever)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok, err := c.Reader().TryNext(); ok || err == nil {
			t.Fatal("a ring whose process has ended goes on")
		}
		c.Close()
		c.Writer().Close()
	}
	if n := mappings(t); n != 0 {
		t.Errorf("%d rings are still mapped", n)
	}
}

// writers is the other process: so many writers, of which each nth sends a record when it is
// asked to.
func writers(where string) error {
	count, addr, _ := strings.Cut(where, " ")
	n, err := strconv.Atoi(count)
	if err != nil {
		return err
	}
	d, err := NewDoorbell()
	if err != nil {
		return err
	}
	var conns []*Conn
	for range n {
		sock, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: addr, Net: "unix"})
		if err != nil {
			return err
		}
		c, err := Connect(forever, sock, Options{Doorbell: d})
		if err != nil {
			return err
		}
		conns = append(conns, c)
	}
	orders := bufio.NewScanner(os.Stdin)
	for orders.Scan() {
		apart, err := strconv.Atoi(orders.Text())
		if err != nil {
			return err
		}
		for i := 0; i < n; i += apart {
			if err := conns[i].Writer().Send(forever, make([]byte, 64)); err != nil {
				return err
			}
		}
		fmt.Println("sent")
	}
	os.Exit(0) // without a word
	return nil
}

// heap is what this process's rings take of Go's memory, among others.
func heap() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc + m.StackInuse)
}

// resident is how much of the rings' memory is used, in bytes.
func resident(t *testing.T) (bytes int) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	ours := false
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) >= 5 && !strings.HasSuffix(f[0], ":") {
			ours = strings.Contains(line, "memfd:seam-ring")
		} else if ours && f[0] == "Rss:" {
			kib, err := strconv.Atoi(f[1])
			if err != nil {
				t.Fatal(err)
			}
			bytes += kib << 10
		}
	}
	return bytes
}
