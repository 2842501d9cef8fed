package prof

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// patience is how long a process may take to begin, and to end.
const patience = 20 * time.Second

// Attach records a process that runs, for so long or until the context ends or the process
// does, in a folder as the process itself would. The process was built by package inject.
//
// They speak through an abstract socket, of which nothing stays when either is killed, and
// each asks the kernel who the other is.
func Attach(ctx context.Context, pid, rate int, long time.Duration, dir string) error {
	exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("there is no process %d", pid)
	}
	if err != nil {
		return fmt.Errorf("process %d: %w", pid, err)
	}
	c, err := dial(ctx, pid)
	if errors.Is(err, syscall.ECONNREFUSED) {
		return fmt.Errorf("process %d (%s) doesn't listen, as what records is in the program: build it with seam prof -- go build, and run it by itself. Of a Go program as it is, seam try --pid %d says what crossings between Go and C take", pid, exe, pid)
	}
	if err != nil {
		return fmt.Errorf("process %d: %w", pid, err)
	}
	conn := c.(*net.UnixConn)
	defer conn.Close()
	if err := isProcess(conn, pid); err != nil {
		return err
	}
	name := filepath.Join(dir, strconv.Itoa(pid)+"-0")
	if err := keepProgram(pid, exe, name+".exe"); err != nil {
		return err
	}
	// In a container the files that are loaded are others than those of these names here.
	if root := fmt.Sprintf("/proc/%d/root", pid); inOtherMounts(pid) {
		if err := os.WriteFile(name+".root", []byte(root), 0o600); err != nil {
			return err
		}
	}
	if _, err := fmt.Fprintf(conn, "%d\n", rate); err != nil {
		return fmt.Errorf("process %d: %w", pid, err)
	}
	from := bufio.NewReader(conn)
	_ = conn.SetReadDeadline(time.Now().Add(patience))
	impatient := context.AfterFunc(ctx, func() { _ = conn.SetReadDeadline(time.Now()) })
	answer, err := from.ReadString('\n')
	impatient()
	if errors.Is(err, os.ErrDeadlineExceeded) && ctx.Err() == nil {
		return fmt.Errorf("process %d doesn't answer: it is stopped, or C has all its processors", pid)
	}
	if err != nil {
		return fmt.Errorf("process %d doesn't answer: %w", pid, err)
	}
	_ = conn.SetReadDeadline(time.Time{})
	if answer != "ok\n" {
		return fmt.Errorf("process %d: %s", pid, strings.TrimSpace(answer))
	}
	stop := func() { // it writes what is left, and closes
		_ = conn.CloseWrite()
		_ = conn.SetReadDeadline(time.Now().Add(patience))
	}
	timer := time.AfterFunc(long, stop)
	defer timer.Stop()
	defer context.AfterFunc(ctx, stop)()
	return receive(from, name)
}

// receive writes what a process sends to files: the name of its kind, then a piece.
func receive(from *bufio.Reader, name string) error {
	for {
		kind, err := sized(from, 16)
		if err == io.EOF {
			return nil
		}
		var cpu [8]byte
		if err == nil {
			_, err = io.ReadFull(from, cpu[:])
		}
		var profile []byte
		if err == nil {
			profile, err = sized(from, 1<<30)
		}
		if err != nil {
			return fmt.Errorf("the recording is cut off: %w", err)
		}
		if k := string(kind); k != ".prof" && k != ".wall" && k != ".note" && k != ".map" {
			return fmt.Errorf("the program and seam are of different versions: it sends %q; build it again", k)
		}
		f, err := os.OpenFile(name+string(kind), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			return err
		}
		head := binary.LittleEndian.AppendUint64(cpu[:], uint64(len(profile)))
		_, err = f.Write(append(head, profile...))
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
}

// sized reads bytes behind their number. Memory is taken as they come.
func sized(from io.Reader, most uint64) ([]byte, error) {
	var head [8]byte
	if _, err := io.ReadFull(from, head[:]); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint64(head[:])
	if n > most {
		return nil, fmt.Errorf("a piece of %d bytes", n)
	}
	text, err := io.ReadAll(io.LimitReader(from, int64(n)))
	if err == nil && uint64(len(text)) < n {
		err = io.ErrUnexpectedEOF
	}
	return text, err
}

// keepProgram copies a program whose file is gone or replaced: the names of its C are in it.
func keepProgram(pid int, path, to string) error {
	running := fmt.Sprintf("/proc/%d/exe", pid)
	if a, err := os.Stat(running); err == nil {
		if b, err := os.Stat(path); err == nil && os.SameFile(a, b) {
			return nil
		}
	}
	from, err := os.Open(running)
	if err != nil {
		return err
	}
	defer from.Close()
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, from)
	return errors.Join(err, f.Close())
}
