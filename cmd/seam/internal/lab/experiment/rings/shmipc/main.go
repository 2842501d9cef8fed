//go:build ignore

// Command shmipc sends records through shmipc-go to another process, which is this program too.
// It is built by the experiment, so that seam itself needs nothing of shmipc-go.
//
//	shmipc SIZE         reads orders on standard input, and answers on descriptor 3
//	shmipc serve SIZE   the other side: it serves the connection on descriptor 3
package main

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/cloudwego/shmipc-go"
)

// An order is what to do. The answer is what single round trips took, in ns.
type order struct {
	Send     int // so many records, of which the other side says when it has them
	Together int // are published at once
	Echo     int // so many records there and back, one after the other
	Time     bool
}

type answer struct {
	Times []float64
	Error string
}

func main() {
	if err := run(os.Args[1:]); err != nil && !errors.Is(err, io.EOF) {
		fmt.Fprintln(os.Stderr, "shmipc:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 0 {
		return errors.New("want the size of records")
	}
	size, err := strconv.Atoi(args[len(args)-1])
	if err != nil || size < 8 {
		return fmt.Errorf("%q is no size of records", args[len(args)-1])
	}
	shmipc.SetLogLevel(5) // nothing
	if args[0] == "serve" {
		return serve(size)
	}
	return drive(size)
}

// configure keeps shmipc-go from printing, and its memory out of the file system.
func configure(c *shmipc.Config) *shmipc.Config {
	c.LogOutput = io.Discard
	c.MemMapType = shmipc.MemMapTypeMemFd
	return c
}

// drive starts the other side and does what it is told.
func drive(size int) error {
	dir, err := os.MkdirTemp("", "seam-shmipc")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "s")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return err
	}
	listening, err := l.File()
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	other := exec.Command(self, "serve", strconv.Itoa(size))
	other.ExtraFiles, other.Stderr = []*os.File{listening}, os.Stderr
	other.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := other.Start(); err != nil {
		return err
	}
	defer func() {
		other.Process.Kill()
		other.Wait()
	}()
	l.SetUnlinkOnClose(false)
	listening.Close()
	l.Close()
	conf := shmipc.DefaultSessionManagerConfig()
	conf.Network, conf.Address, conf.SessionNum = "unix", path, 1
	conf.ShareMemoryPathPrefix, conf.QueuePath = path+".shm", path+".queue"
	configure(conf.Config)
	manager, err := shmipc.NewSessionManager(conf)
	if err != nil {
		return err
	}
	defer manager.Close()
	stream, err := manager.GetStream()
	if err != nil {
		return err
	}
	defer stream.Close()
	os.RemoveAll(dir) // nobody else comes

	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.NewFile(3, "answers"))
	w := wire{stream, make([]byte, size)}
	for {
		var o order
		if err := in.Decode(&o); err != nil {
			return err
		}
		times, err := w.do(o)
		a := answer{Times: times}
		if err != nil {
			a.Error = err.Error()
		}
		if err := out.Encode(a); err != nil {
			return err
		}
	}
}

type wire struct {
	stream *shmipc.Stream
	rec    []byte
}

// put writes a record; what was written is published by the last.
func (w *wire) put(rec []byte, publish bool) error {
	if _, err := w.stream.BufferWriter().WriteBytes(rec); err != nil || !publish {
		return err
	}
	return w.stream.Flush(false)
}

func (w *wire) take() error {
	_, err := w.stream.BufferReader().ReadBytes(len(w.rec))
	w.stream.BufferReader().ReleasePreviousRead()
	return err
}

// lot is how many records are under way until there is an answer: neither shmipc-go's queue of
// 8192 nor its memory of 32 MB takes any number of them.
func (w *wire) lot() int { return min(4096, max(1, 8<<20/len(w.rec))) }

// do does what it is told. The first record of a lot says how many follow until an answer.
func (w *wire) do(o order) (times []float64, err error) {
	head := make([]byte, len(w.rec))
	for left := o.Send; left > 0; {
		n := min(left, w.lot())
		left -= n
		binary.LittleEndian.PutUint64(head, uint64(n))
		if err := w.put(head, true); err != nil {
			return nil, err
		}
		for i := range n {
			if err := w.put(w.rec, (i+1)%o.Together == 0 || i == n-1); err != nil {
				return nil, err
			}
		}
		if err := w.take(); err != nil {
			return nil, err
		}
	}
	for range o.Echo { // nothing follows
		before := time.Now()
		if err := w.put(w.rec, true); err != nil {
			return nil, err
		}
		if err := w.take(); err != nil {
			return nil, err
		}
		if o.Time {
			times = append(times, float64(time.Since(before)))
		}
	}
	return times, nil
}

// serve is the other side.
func serve(size int) error {
	l, err := net.FileListener(os.NewFile(3, "listener"))
	if err != nil {
		return err
	}
	c, err := l.Accept()
	if err != nil {
		return err
	}
	s, err := shmipc.Server(c, configure(shmipc.DefaultConfig()))
	if err != nil {
		return err
	}
	stream, err := s.AcceptStream()
	if err != nil {
		return err
	}
	w := wire{stream, make([]byte, size)}
	for {
		rec, err := stream.BufferReader().ReadBytes(size)
		if err != nil {
			return err
		}
		for n := binary.LittleEndian.Uint64(rec); n > 0; n-- {
			if rec, err = stream.BufferReader().ReadBytes(size); err != nil {
				return err
			}
		}
		copy(w.rec, rec)
		stream.BufferReader().ReleasePreviousRead()
		if err := w.put(w.rec, true); err != nil {
			return err
		}
	}
}
