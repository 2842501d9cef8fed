//go:build linux

package main

import (
	"context"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/seamgo/seam"
	"github.com/seamgo/seam/include"
	"github.com/seamgo/seam/ring"
)

//go:embed consumer.py
var consumer []byte

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "ring-python:", err)
		os.Exit(1)
	}
}

const (
	blocks  = 100
	samples = 1000 // in a block
)

func run(ctx context.Context, out io.Writer) error {
	dir, err := os.MkdirTemp("", "ring-python")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := build(ctx, dir); err != nil {
		return err
	}
	conn, process, err := start(ctx, dir)
	if err != nil {
		return err
	}
	produced := make(chan error, 1)
	go func() { produced <- produce(ctx, conn.Writer()) }()
	for i := 0; ; i++ {
		answer, err := conn.Reader().Next(ctx)
		if err == io.EOF {
			break
		}
		if err != nil || len(answer) != 16 {
			conn.Close()
			return errors.Join(err, process.Wait())
		}
		if i%25 == 0 {
			fmt.Fprintf(out, "block %2d: mean %.3f, largest %.3f\n", i, float(answer), float(answer[8:]))
		}
	}
	conn.Close()
	return errors.Join(<-produced, process.Wait())
}

// produce writes blocks of a wave into the ring, in place, and then closes it.
func produce(ctx context.Context, w *ring.Writer) error {
	for i := range blocks {
		room, err := w.Reserve(ctx, 8*samples)
		if err != nil {
			return err
		}
		for k := range samples {
			binary.LittleEndian.PutUint64(room[8*k:], math.Float64bits(float64(i+1)+math.Sin(float64(k))))
		}
		if err := w.Commit(len(room)); err != nil {
			return err
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	return w.Close()
}

func float(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }

// start starts the consumer with one end of a pair of sockets, and makes the rings.
func start(ctx context.Context, dir string) (*ring.Conn, *exec.Cmd, error) {
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	ours, theirs := os.NewFile(uintptr(fds[0]), "socket"), os.NewFile(uintptr(fds[1]), "socket")
	defer ours.Close()
	defer theirs.Close() // or we wouldn't see the consumer hang up
	socket, err := net.FileConn(ours)
	if err != nil {
		return nil, nil, err
	}
	process := exec.Command("python3", filepath.Join(dir, "consumer.py"))
	process.Env = append(os.Environ(), "PYTHONPATH="+dir+string(os.PathListSeparator)+os.Getenv("PYTHONPATH"))
	process.Stderr = os.Stderr
	process.ExtraFiles = []*os.File{theirs} // descriptor 3
	if err := process.Start(); err != nil {
		socket.Close()
		return nil, nil, err
	}
	theirs.Close()
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	conn, err := ring.Serve(ctx, socket.(*net.UnixConn), ring.Options{Capacity: 64 << 10})
	if err != nil {
		process.Process.Kill()
		process.Wait()
		return nil, nil, err
	}
	return conn, process, nil
}

// build makes package seam_ring and the consumer in dir.
func build(ctx context.Context, dir string) error {
	for _, source := range []fs.FS{seam.Python, include.Files} {
		if err := os.CopyFS(dir, source); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "consumer.py"), consumer, 0o666); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "python3", filepath.Join(dir, "python", "build.py"), dir, dir)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	return cmd.Run()
}
