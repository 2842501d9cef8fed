package rings

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/seamgo/seam/cmd/seam/internal/lab/subprocess"
	"github.com/seamgo/seam/ring"
)

func init() {
	subprocess.Hook("rings-go", func(p *subprocess.Pipe) error { return obey(p, serveGo) })
}

// obey is the other process: it serves all orders at the same time, until it is ended.
func obey(p *subprocess.Pipe, serve func(order) error) error {
	for {
		var o order
		if err := p.Receive(&o); err != nil {
			return err
		}
		wrong := ""
		if err := serve(o); err != nil {
			wrong = err.Error()
		}
		if err := p.Send(wrong); err != nil {
			return err
		}
	}
}

// serveGo opens what an order needs and serves it in a goroutine.
func serveGo(o order) error {
	c, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: "@" + o.Socket, Net: "unix"})
	if err != nil {
		return err
	}
	switch o.Via {
	case viaSeam, viaEach, viaSmall:
		go func() {
			conn, err := ring.Connect(context.Background(), c, options(o.Op, o.Via))
			if err != nil {
				return // the other side is told too
			}
			answer(context.Background(), o.Op, conn.Reader(), conn.Writer())
			conn.Close()
		}()
	case viaLine, viaLines:
		f, err := os.OpenFile(o.Word, os.O_RDWR, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		page, err := mapWord(f)
		if err != nil {
			return err
		}
		go func() {
			defer unix.Munmap(page)
			defer c.Close()
			for {
				n, err := number(c)
				if err != nil {
					return
				}
				wordsIn(unsafe.Pointer(&page[0]), o.Via).pong(n)
				if _, err := c.Write([]byte{0}); err != nil {
					return
				}
			}
		}()
	case viaPipe:
		in, err := os.OpenFile(o.In, os.O_RDONLY, 0)
		if err != nil {
			return err
		}
		out, err := os.OpenFile(o.Out, os.O_WRONLY, 0)
		if err != nil {
			in.Close()
			return err
		}
		go func() {
			answerStream(o, in, out)
			in.Close()
			out.Close()
			c.Close()
		}()
	default:
		go func() {
			answerStream(o, c, c)
			c.Close()
		}()
	}
	return nil
}

func number(r io.Reader) (int, error) {
	var b [8]byte
	_, err := io.ReadFull(r, b[:])
	return int(binary.LittleEndian.Uint64(b[:])), err
}

// answerStream is the other side of streams, until they end.
func answerStream(o order, r io.Reader, w io.Writer) {
	rec := make([]byte, o.Size)
	for {
		back := rec
		if o.Op == throughput {
			n, err := number(r)
			if err != nil {
				return
			}
			for range n {
				if _, err := io.ReadFull(r, rec); err != nil {
					return
				}
			}
			back = rec[:1]
		} else if _, err := io.ReadFull(r, rec); err != nil {
			return
		}
		if _, err := w.Write(back); err != nil {
			return
		}
	}
}
