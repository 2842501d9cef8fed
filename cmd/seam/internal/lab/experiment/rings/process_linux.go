package rings

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/subprocess"
	"github.com/seamgo/seam/ring"
)

// An order is what the other process is told: to connect to a socket, and what to do there.
// It opens what else it needs through this process's folder in /proc.
type order struct {
	Socket string // an abstract name, without the leading 0
	Op     string
	Via    string
	Size   int
	In     string // for pipes: what it reads
	Out    string // and writes
	Word   string // for words: memory of a page
}

// A process is the other side of all cases in one language, while there is one.
type process struct {
	child *subprocess.Child
	users int
}

var processes struct {
	sync.Mutex
	of map[string]*process
}

// use returns the process of a language, and what gives it back. The last who does ends it.
func use(ctx context.Context, peer string) (*process, func(), error) {
	processes.Lock()
	defer processes.Unlock()
	p := processes.of[peer]
	if p == nil {
		child, err := startProcess(ctx, peer)
		if err != nil {
			return nil, nil, err
		}
		p = &process{child: child}
		if processes.of == nil {
			processes.of = map[string]*process{}
		}
		processes.of[peer] = p
	}
	p.users++
	return p, sync.OnceFunc(func() {
		processes.Lock()
		defer processes.Unlock()
		if p.users--; p.users == 0 {
			delete(processes.of, peer)
			p.child.Close()
		}
	}), nil
}

// toProcess leads to another process.
func toProcess(ctx context.Context, t trip, size int, via string) (*wire, error) {
	if isShmipc(via) {
		return throughShmipc(ctx, size, via)
	}
	p, release, err := use(ctx, t.peer)
	if err != nil {
		return nil, err
	}
	w, err := p.connect(ctx, t.op, size, via)
	if err != nil {
		release()
		return nil, err
	}
	hangUp := w.close
	w.close = func() {
		hangUp()
		release()
	}
	return w, nil
}

func startProcess(ctx context.Context, peer string) (*subprocess.Child, error) {
	switch peer {
	case peerPython:
		return startPython(ctx)
	case peerC:
		if err := haveC(); err != nil {
			return nil, err
		}
		return subprocess.Start(ctx, "rings-c")
	}
	return subprocess.Start(ctx, "rings-go")
}

// connect sets up a wire of its own.
func (p *process) connect(ctx context.Context, op string, size int, via string) (*wire, error) {
	l, err := net.ListenUnix("unix", &net.UnixAddr{Net: "unix"}) // a name that the kernel chooses
	if err != nil {
		return nil, err
	}
	defer l.Close()
	o := order{Socket: l.Addr().String()[1:], Op: op, Via: via, Size: size}
	var mine []*os.File
	var theirs []*os.File
	closeAll := func(list []*os.File) {
		for _, f := range list {
			f.Close()
		}
	}
	defer func() { closeAll(theirs) }() // which they have opened by then
	var both words
	var page []byte
	switch via {
	case viaPipe:
		for _, theirName := range []*string{&o.In, &o.Out} {
			r, w, err := os.Pipe()
			if err != nil {
				closeAll(mine)
				return nil, err
			}
			if theirName == &o.In {
				mine, theirs = append(mine, w), append(theirs, r)
			} else {
				mine, theirs = append(mine, r), append(theirs, w)
			}
			*theirName = pathOf(theirs[len(theirs)-1])
		}
	case viaLine, viaLines:
		fd, err := unix.MemfdCreate("seam-line", unix.MFD_CLOEXEC)
		if err != nil {
			return nil, lab.Skip("no memory to share: %v", err)
		}
		memory := os.NewFile(uintptr(fd), "line")
		theirs = append(theirs, memory)
		if page, err = mapWord(memory); err != nil {
			return nil, err
		}
		both, o.Word = wordsIn(unsafe.Pointer(&page[0]), via), pathOf(memory)
	}
	c, err := p.meet(l, o)
	if err != nil {
		closeAll(mine)
		return nil, err
	}
	switch via {
	case viaSeam, viaEach, viaSmall:
		conn, err := ring.Serve(ctx, c, options(op, via))
		if err != nil {
			return nil, err
		}
		return overRings(ctx, conn.Writer(), conn.Reader(), size, via, func() {
			conn.Close()
			conn.Writer().Close()
			conn.Reader().Close()
		}), nil
	case viaLine, viaLines:
		w := overStream(c, c, 8, func() { c.Close() })
		w.echo = func(n int) error {
			if _, err := c.Write(binary.LittleEndian.AppendUint64(nil, uint64(n))); err != nil {
				return err
			}
			both.ping(n)
			var got [1]byte
			_, err := io.ReadFull(c, got[:])
			return err
		}
		w.close = func() {
			c.Close()
			unix.Munmap(page)
		}
		return w, nil
	case viaPipe:
		return overStream(mine[1], mine[0], size, func() {
			closeAll(mine)
			c.Close()
		}), nil
	}
	return overStream(c, c, size, func() { c.Close() }), nil
}

// meet gives the order, and returns the connection when the other process has opened what
// it needs.
func (p *process) meet(l *net.UnixListener, o order) (*net.UnixConn, error) {
	var wrong string
	if err := p.child.Ask(o, &wrong); err != nil {
		return nil, err
	}
	if wrong != "" {
		return nil, lab.Skip("%s", wrong)
	}
	return l.AcceptUnix()
}

func yield() { unix.Syscall(unix.SYS_SCHED_YIELD, 0, 0, 0) }

// pathOf is where another process of the user can open the same.
func pathOf(f *os.File) string { return fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), f.Fd()) }

func mapWord(f *os.File) ([]byte, error) {
	if err := f.Truncate(int64(os.Getpagesize())); err != nil {
		return nil, err
	}
	return unix.Mmap(int(f.Fd()), 0, os.Getpagesize(), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
}

// overStream makes a wire of streams of bytes.
func overStream(r io.Reader, w io.Writer, size int, close func()) *wire {
	rec := make([]byte, size)
	return &wire{
		send: func(n int) error {
			if _, err := w.Write(binary.LittleEndian.AppendUint64(nil, uint64(n))); err != nil {
				return err
			}
			for range n {
				if _, err := w.Write(rec); err != nil {
					return err
				}
			}
			_, err := io.ReadFull(r, rec[:1])
			return err
		},
		echo: func(n int) error {
			for range n {
				if _, err := w.Write(rec); err != nil {
					return err
				}
				if _, err := io.ReadFull(r, rec); err != nil {
					return err
				}
			}
			return nil
		},
		close: close,
	}
}
