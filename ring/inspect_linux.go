package ring

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unsafe"
)

// Inspect looks at the rings of a process that is running, which has the same rights as
// this one or fewer. The process doesn't notice: its memory is read, and nothing is written.
func Inspect(pid int) ([]Seen, error) {
	mapped, err := ringsOf(pid)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("ring: there is no process %d: %w", pid, err)
	case errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf("ring: process %d must be yours, or you root: %w", pid, err)
	case err != nil:
		return nil, fmt.Errorf("ring: %w", err)
	}
	if len(mapped) == 0 {
		return nil, nil
	}
	mem, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	if err != nil {
		return nil, fmt.Errorf("ring: %w", err)
	}
	defer mem.Close()
	sharing := processes()
	var list []Seen
	for _, m := range mapped {
		back := false
		for at := m.from; at+controlSize <= m.to; back = true {
			var c control
			if _, err := mem.ReadAt((*[unsafe.Sizeof(c)]byte)(unsafe.Pointer(&c))[:], int64(at)); err != nil {
				return nil, fmt.Errorf("ring: %w", err)
			}
			if c.magic != magic || c.version != version || c.layout != layoutHash || checkCapacity(c.capacity) != nil {
				return nil, wrap(ErrMismatch, "process %d has a ring of another version at %#x", pid, at)
			}
			s := Seen{Address: at, Inode: m.inode, Version: c.version, Features: c.features, Back: back, Stats: c.stats(), Processes: sharing[m.inode]}
			writer, reader := c.writer.state.Load(), c.reader.state.Load()
			s.WriterWaits, s.WriterClosed = writer&waits != 0, writer&(closed|aborted) != 0
			s.ReaderWaits, s.ReaderClosed = reader&waits != 0, reader&closed != 0
			list = append(list, s)
			at += stride(c.capacity)
		}
	}
	return list, nil
}

// A mapping is the memory of a connection.
type mapping struct{ from, to, inode uint64 }

// ringsOf reads where a process has rings.
func ringsOf(pid int) (list []mapping, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		// from-to rw-s offset device inode /memfd:seam-ring (deleted)
		f := strings.Fields(line)
		if len(f) < 6 || f[5] != "/memfd:seam-ring" {
			continue
		}
		from, to, _ := strings.Cut(f[0], "-")
		var m mapping
		for _, n := range []struct {
			to   *uint64
			text string
			base int
		}{{&m.from, from, 16}, {&m.to, to, 16}, {&m.inode, f[4], 10}} {
			if *n.to, err = strconv.ParseUint(n.text, n.base, 64); err != nil {
				return nil, fmt.Errorf("/proc/%d/maps: %w", pid, err)
			}
		}
		list = append(list, m)
	}
	return list, nil
}

// processes finds who has which memory. What can't be read is left out.
func processes() map[uint64][]int {
	sharing := map[uint64][]int{}
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil {
			continue
		}
		mapped, _ := ringsOf(pid) // it may have ended, or be another user's
		seen := map[uint64]bool{}
		for _, m := range mapped {
			if !seen[m.inode] {
				seen[m.inode] = true
				sharing[m.inode] = append(sharing[m.inode], pid)
			}
		}
	}
	return sharing
}
