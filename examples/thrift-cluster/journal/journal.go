// Package journal keeps a server's orders in a file, so that those which were
// acknowledged outlive it. A record is an order in Thrift's compact protocol behind its
// length.
//
// A record is in the kernel's hands before it is acknowledged: it survives the end of the
// process, however that comes, but not of the machine. That would take an fsync for each.
package journal

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"

	"github.com/seamgo/seam/examples/thrift-cluster/kitex_gen/orders"
)

// longest bounds a record: a length beyond it is damage.
const longest = 1 << 20

// A Journal is a file that grows. It is safe for use by several goroutines.
type Journal struct {
	mu   sync.Mutex
	f    *os.File
	end  int64
	buf  []byte
	fail error
}

// Open opens a journal, or makes one, and gives every order in it to each. What is half
// written at its end was not acknowledged, and is cut off.
func Open(path string, each func(*orders.Order)) (*Journal, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	// Two servers with one journal would write over each other's orders. The kernel takes the
	// lock back from a process that ends, however that comes.
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = errors.New("another server has it: give this one a file of its own")
		}
		return nil, fmt.Errorf("journal %s: %w", path, err)
	}
	end, err := read(f, each)
	if err == nil {
		err = f.Truncate(end)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("journal %s: %w", path, err)
	}
	return &Journal{f: f, end: end}, nil
}

// Read gives every order of a journal to each, and changes nothing.
func Read(path string, each func(*orders.Order)) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := read(f, each); err != nil {
		return fmt.Errorf("journal %s: %w", path, err)
	}
	return nil
}

// read returns where the last whole record ends.
func read(f io.Reader, each func(*orders.Order)) (end int64, err error) {
	r := bufio.NewReader(f)
	var head [4]byte
	for {
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return end, unlessShort(err)
		}
		n := binary.LittleEndian.Uint32(head[:])
		if n > longest {
			return end, fmt.Errorf("a record of %d bytes at %d", n, end)
		}
		b := make([]byte, n)
		if _, err := io.ReadFull(r, b); err != nil {
			return end, unlessShort(err)
		}
		o := new(orders.Order)
		if err := o.DecodeCompact(b); err != nil {
			return end, fmt.Errorf("at %d: %w", end, err)
		}
		each(o)
		end += int64(len(head)) + int64(n)
	}
}

func unlessShort(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

// Append adds an order. When it returns nil the order is kept. If it could not be
// written, nothing of it is; if not even that can be said, every later call fails.
func (j *Journal) Append(o *orders.Order) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.fail != nil {
		return j.fail
	}
	b, err := o.AppendCompact(append(j.buf[:0], 0, 0, 0, 0))
	if err != nil {
		return err
	}
	j.buf = b
	if len(b)-4 > longest {
		return fmt.Errorf("journal: an order of %d bytes", len(b)-4)
	}
	binary.LittleEndian.PutUint32(b, uint32(len(b)-4))
	if _, err := j.f.WriteAt(b, j.end); err != nil { // a full disk, say
		if cut := j.f.Truncate(j.end); cut != nil {
			j.fail = errors.Join(err, cut)
		}
		return err
	}
	j.end += int64(len(b))
	return nil
}

// Close closes the file.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.fail = os.ErrClosed
	return j.f.Close()
}
