//go:build linux && cgo

package blocking

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/seamgo/seam/cmd/seam/internal/lab/subprocess"
)

func init() { subprocess.Hook("blocking", serve) }

// An order is what a case's process measures.
type order struct {
	Via    string
	N      int
	Peer   string // abstract name of the socket that answers
	Looks  int
	Window time.Duration // of a look
}

// A finding is what one look found.
type finding struct {
	Wrong   string // why there is none; for people
	Rate    float64
	Late    float64 // ns, 99th percentile
	Threads int
	Memory  float64 // bytes a call
	Used    float64 // percent of the Ps
	NotInGo float64 // percent of the calling goroutines; below 0: not known with this Go
}

// patience is how long it may take until every goroutine calls.
const patience = 30 * time.Second

// serve measures one case. The process ends afterwards, so nothing is cleaned up.
func serve(p *subprocess.Pipe) error {
	var o order
	if err := p.Receive(&o); err != nil {
		return err
	}
	if err := measure(o, p.Send); err != nil {
		if err := p.Send(finding{Wrong: err.Error()}); err != nil {
			return err
		}
	}
	var never order
	return p.Receive(&never) // the parent kills this process: ending n threads in order takes longer
}

// measure reports what each look found.
func measure(o order, tell func(any) error) error {
	// The runtime's own limit is 10,000.
	debug.SetMaxThreads(o.N + 1000)
	fds := make([]int, o.N)
	for i := range fds {
		fd, err := dial(o.Peer)
		if err != nil {
			return fmt.Errorf("connection %d of %d: %w", i+1, o.N, err)
		}
		fds[i] = fd
	}
	call, err := caller(o.Via)
	if err != nil {
		return err
	}
	debug.FreeOSMemory() // or the runtime would return it during the calls, and it would be subtracted from theirs
	before, err := subprocess.Memory()
	if err != nil {
		return err
	}
	others, _ := subprocess.NotInGo()
	calls := startCallers(call, fds)
	if err := calls.warm(delay(o.N)); err != nil {
		return err
	}
	for range o.Looks {
		f, err := look(o, calls, before, others)
		if err != nil {
			return err
		}
		if err := tell(f); err != nil {
			return err
		}
	}
	return nil
}

// look watches the calls for a while. Before them the process had that memory,
// and so many other goroutines were in system calls.
func look(o order, calls *callers, memory int64, others int) (finding, error) {
	w, err := newWatcher(period)
	if err != nil {
		return finding{}, err
	}
	runtime.GC() // the shares of the Ps are as of the last collection
	before, err := subprocess.ReadUsage()
	if err != nil {
		return finding{}, err
	}
	done, start := calls.count(), time.Now()
	late := make(chan error, 1)
	go func() { late <- w.watch(o.Window) }()

	// The number of goroutines in C changes all the time.
	var outside, looks float64
	for time.Since(start) < o.Window {
		time.Sleep(o.Window / 40)
		if n, ok := subprocess.NotInGo(); ok {
			outside += min(1, max(0, float64(n-others)/float64(o.N)))
			looks++
		}
	}
	done, took := calls.count()-done, time.Since(start)
	f := finding{Rate: float64(done) / took.Seconds(), NotInGo: -1}
	if f.Threads, err = subprocess.Threads(); err != nil {
		return finding{}, err
	}
	now, err := subprocess.Memory()
	if err != nil {
		return finding{}, err
	}
	f.Memory = max(0, float64(now-memory)/float64(o.N))
	if err := <-late; err != nil {
		return finding{}, err
	}
	f.Late = subprocess.Quantile(w.late, 0.99)
	runtime.GC()
	after, err := subprocess.ReadUsage()
	if err != nil {
		return finding{}, err
	}
	if u := after.Since(before); u.Available > 0 {
		f.Used = 100 * min(1, max(0, 1-u.Idle/u.Available))
	}
	if looks > 0 {
		f.NotInGo = 100 * outside / looks
	}
	if err := calls.failed(); err != nil {
		return finding{}, err
	}
	return f, nil
}

// dial connects to the peer, as C would.
func dial(name string) (int, error) {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, fmt.Errorf("socket: %w", err)
	}
	if err := unix.Connect(fd, &unix.SockaddrUnix{Name: "@" + name}); err != nil {
		unix.Close(fd)
		return -1, fmt.Errorf("connect: %w", err)
	}
	return fd, nil
}

// Callers are the goroutines that call C.
type callers struct {
	counts []atomic.Int64
	begun  atomic.Int64 // goroutines that run: their first call is next
	wrong  atomic.Pointer[error]
}

func startCallers(call func(context.Context, *trip) error, fds []int) *callers {
	c := &callers{counts: make([]atomic.Int64, len(fds))}
	for i, fd := range fds {
		t := newTrip(fd)
		go func() {
			c.begun.Add(1)
			for {
				if err := call(context.Background(), t); err != nil {
					c.wrong.CompareAndSwap(nil, &err)
					return
				}
				c.counts[i].Add(1)
			}
		}()
	}
	return c
}

func (c *callers) count() int64 {
	sum := int64(0)
	for i := range c.counts {
		sum += c.counts[i].Load()
	}
	return sum
}

func (c *callers) failed() error {
	if err := c.wrong.Load(); err != nil {
		return fmt.Errorf("a call: %w", *err)
	}
	return nil
}

// warm returns when all goroutines call and the first have been answered. That
// takes a while where calls take the threads away from the goroutines.
func (c *callers) warm(delay time.Duration) error {
	for end := time.Now().Add(patience); c.begun.Load() < int64(len(c.counts)); time.Sleep(time.Millisecond) {
		if err := c.failed(); err != nil {
			return err
		}
		if time.Now().After(end) {
			return fmt.Errorf("only %d of %d goroutines got to run within %v", c.begun.Load(), len(c.counts), patience)
		}
	}
	time.Sleep(2 * delay)
	return c.failed()
}
