//go:build linux

package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/cloudwego/shmipc-go"

	"github.com/seamgo/seam/ring"
)

const (
	kindSeam   = "seam"
	kindUnix   = "unix"
	kindShmipc = "shmipc"

	peerRole = "ringbench-peer"
	capacity = 1 << 20
)

var kinds = []string{kindSeam, kindUnix, kindShmipc}

// A wire leads to another process.
type wire struct {
	echo  func() error                // a record there and back
	send  func(n, together int) error // n records, the last answered, so many published together
	close func()
}

// connect starts the other side and returns what leads to it.
func connect(ctx context.Context, path, op, kind string, size int) (wire, error) {
	cmd, err := startPeer(ctx, path, op, kind, size)
	if err != nil {
		return wire{}, err
	}
	var w wire
	switch kind {
	case kindShmipc:
		w, err = throughShmipc(path, size)
	default:
		var c net.Conn
		if c, err = net.Dial("unix", path); err == nil {
			if kind == kindSeam {
				w, err = throughRing(ctx, c.(*net.UnixConn), op, size)
			} else {
				w = throughSocket(c, size)
			}
		}
	}
	if err != nil {
		cmd.Process.Kill()
		return w, errors.Join(err, cmd.Wait())
	}
	hangUp := w.close
	w.close = func() { hangUp(); stop(cmd) }
	return w, nil
}

func stop(cmd *exec.Cmd) {
	cmd.Process.Kill()
	cmd.Wait()
}

func throughRing(ctx context.Context, c *net.UnixConn, op string, size int) (wire, error) {
	conn, err := ring.Connect(ctx, c, options(op))
	if err != nil {
		return wire{}, err
	}
	rec := make([]byte, size)
	w, r := conn.Writer(), conn.Reader()
	return wire{
		echo: func() error {
			if err := w.Send(ctx, rec); err != nil {
				return err
			}
			_, err := r.Next(ctx)
			return err
		},
		send: func(n, together int) error {
			for i := range n {
				if err := w.Append(ctx, rec); err != nil {
					return err
				}
				if i%together == together-1 {
					if err := w.Flush(); err != nil {
						return err
					}
				}
			}
			if err := w.Flush(); err != nil {
				return err
			}
			_, err := r.Next(ctx)
			return err
		},
		close: func() { conn.Close() },
	}, nil
}

func throughSocket(c net.Conn, size int) wire {
	rec := make([]byte, size)
	return wire{
		echo: func() error {
			if _, err := c.Write(rec); err != nil {
				return err
			}
			_, err := io.ReadFull(c, rec)
			return err
		},
		send: func(n, _ int) error {
			for range n {
				if _, err := c.Write(rec); err != nil {
					return err
				}
			}
			_, err := io.ReadFull(c, rec)
			return err
		},
		close: func() { c.Close() },
	}
}

func options(op string) ring.Options {
	o := ring.Options{Capacity: capacity}
	if op == opPark {
		o.Spin = -1
	}
	return o
}

// quiet keeps shmipc-go from printing, and its memory out of the file system.
func quiet(c *shmipc.Config) {
	shmipc.SetLogLevel(5) // nothing
	c.LogOutput = io.Discard
	c.MemMapType = shmipc.MemMapTypeMemFd
}

func throughShmipc(path string, size int) (wire, error) {
	conf := shmipc.DefaultSessionManagerConfig()
	conf.Network, conf.Address, conf.SessionNum = "unix", path, 1
	conf.ShareMemoryPathPrefix, conf.QueuePath = path+".shm", path+".queue"
	quiet(conf.Config)
	manager, err := shmipc.NewSessionManager(conf)
	if err != nil {
		return wire{}, err
	}
	stream, err := manager.GetStream()
	if err != nil {
		manager.Close()
		return wire{}, err
	}
	rec := make([]byte, size)
	put := func(flush bool) error {
		if _, err := stream.BufferWriter().WriteBytes(rec); err != nil || !flush {
			return err
		}
		return stream.Flush(false)
	}
	take := func() error {
		_, err := stream.BufferReader().ReadBytes(size)
		stream.BufferReader().ReleasePreviousRead()
		return err
	}
	return wire{
		echo: func() error { return errors.Join(put(true), take()) },
		send: func(n, together int) error {
			for i := range n {
				if err := put(i%together == together-1 || i == n-1); err != nil {
					return err
				}
			}
			return take()
		},
		close: func() {
			stream.Close()
			manager.Close()
		},
	}, nil
}

// servePeer is the other process: it sends each record back, or the last of each lot.
func servePeer(kind, op, where string) error {
	number, path, _ := strings.Cut(where, ":")
	size, err := strconv.Atoi(number)
	if err != nil {
		return err
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return err
	}
	os.Stdout.Write([]byte{1})
	c, err := l.Accept()
	if err != nil {
		return err
	}
	lot := 1
	if op == opThroughput {
		lot = records
	}
	switch kind {
	case kindSeam:
		return serveRing(c.(*net.UnixConn), op, lot)
	case kindShmipc:
		return serveShmipc(c, size, lot)
	case kindUnix:
		rec := make([]byte, size)
		for {
			for range lot {
				if _, err := io.ReadFull(c, rec); err != nil {
					return ended(err)
				}
			}
			if _, err := c.Write(rec); err != nil {
				return ended(err)
			}
		}
	}
	return fmt.Errorf("nothing is named %q", kind)
}

// ended makes nothing of the other side's end.
func ended(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, ring.ErrGone) || errors.Is(err, shmipc.ErrEndOfStream) || errors.Is(err, shmipc.ErrStreamClosed) {
		return nil
	}
	return err
}

func serveRing(c *net.UnixConn, op string, lot int) error {
	ctx := context.Background()
	conn, err := ring.Serve(ctx, c, options(op))
	if err != nil {
		return err
	}
	for {
		var rec []byte
		for range lot {
			if rec, err = conn.Reader().Next(ctx); err != nil {
				return ended(err)
			}
		}
		if err := conn.Writer().Send(ctx, rec); err != nil {
			return ended(err)
		}
	}
}

func serveShmipc(c net.Conn, size, lot int) error {
	conf := shmipc.DefaultConfig()
	quiet(conf)
	s, err := shmipc.Server(c, conf)
	if err != nil {
		return err
	}
	stream, err := s.AcceptStream()
	if err != nil {
		return err
	}
	sum := uint64(0)
	for {
		var rec []byte
		for range lot {
			if rec, err = stream.BufferReader().ReadBytes(size); err != nil {
				return ended(err)
			}
			sum += binary.LittleEndian.Uint64(rec)
		}
		_, err := stream.BufferWriter().WriteBytes(rec)
		stream.BufferReader().ReleasePreviousRead()
		if err != nil {
			return err
		}
		if err := stream.Flush(false); err != nil {
			return ended(err)
		}
	}
}
