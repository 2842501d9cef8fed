// Package heap shows which stacks have allocated what C holds: it builds the library that programs
// preload for that, reads the record which the library keeps, and names its functions.
package heap

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"
)

// The record's layout: heap.h in internal/heap. A test compiles that and compares.
const (
	version    = 2
	mostSites  = 1 << 16
	mostPCs    = 1 << 21
	mostDepth  = 128
	mostModule = 1 << 10

	headSize   = 1512 // account reads its last words
	siteSize   = 96
	moduleSize = 24 + 96 + 256
)

// A Record is what a process has allocated up to a moment.
type Record struct {
	Rate        uint64 // bytes a sample; 1: all blocks are known
	PID, Parent int
	Start       time.Time
	Live, Peak  int64 // bytes
	PeakAt      time.Duration
	Sites       []Site
	Modules     []Module

	LostBlocks, LostBytes, LostStacks, LostMaps uint64

	GoLow, GoHigh uint64
	Exe, Go       string
	Allocator     string // the file whose malloc is used; "" for libc
	Note          string
	Named         uint32 // a bit for each Function that was called
}

// Bypassed is the Note of a program that doesn't ask the library for memory.
const Bypassed = "bypassed"

// A Site is a stack that has allocated. Bytes are what sampled blocks stand for.
type Site struct {
	PCs     []uint64 // innermost first, each in the call
	C       int      // how many of them are C's
	Mapped  bool     // by mmap
	named   int      // by which Function, from 1; 0 is malloc or mmap
	modules int      // that were known

	Live, LiveObjects   int64
	Bytes, Objects      int64 // ever
	Short, ShortObjects int64 // freed by the same thread before it had allocated 4 KiB more
	Peak, PeakObjects   int64 // live at the process's peak
	Samples             uint64
}

// A Module is a file with code.
type Module struct {
	Low, High, Base uint64
	BuildID, Path   string // Path is "" for the program
}

// ErrUnfinished is that of a record in which nothing is yet.
var ErrUnfinished = errors.New("the record has not been begun")

// ReadFile reads a record, which its process may be writing to.
func ReadFile(name string) (*Record, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	r, err := Read(f, info.Size())
	if err != nil && !errors.Is(err, ErrUnfinished) {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return r, err
}

// recordOf finds the record of a process that runs: mapped under a name that ends so.
func recordOf(pid int) (at, size int64, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		return 0, 0, fmt.Errorf("process %d: %w", pid, bare(err))
	}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) < 6 || words[2] != "00000000" || words[5] != "/memfd:seam-heap" && !strings.HasSuffix(words[5], ".heap") {
			continue
		}
		low, high, _ := strings.Cut(words[0], "-")
		from, err1 := strconv.ParseInt(low, 16, 64)
		to, err2 := strconv.ParseInt(high, 16, 64)
		if err1 == nil && err2 == nil && to > from {
			return from, to - from, nil
		}
	}
	return 0, 0, fmt.Errorf("process %d does not count what C allocates: start it by seam heap -- PROGRAM, or have it import github.com/seamgo/seam/prof/heap (without cgo and in a sandbox without memfd_create it counts nothing)", pid)
}

func bare(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		if errors.Is(err, fs.ErrNotExist) {
			return errors.New("there is no such process")
		}
		return p.Err
	}
	return err
}

// ReadProcess reads the record in the memory of a process.
func ReadProcess(pid int) (*Record, error) {
	at, size, err := recordOf(pid)
	if err != nil {
		return nil, err
	}
	memory, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	if err != nil {
		return nil, fmt.Errorf("the memory of process %d can't be read: %w", pid, bare(err))
	}
	defer memory.Close()
	r, err := Read(io.NewSectionReader(memory, at, size), size)
	if err != nil {
		return nil, fmt.Errorf("process %d: %w", pid, err)
	}
	r.PID = pid // what it had before a fork is its parent's
	if exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid)); err == nil {
		r.Exe = strings.TrimSuffix(exe, " (deleted)")
	}
	return r, nil
}

// Read reads a record of so many bytes, on no trust.
func Read(from io.ReaderAt, size int64) (*Record, error) {
	part := func(at uint64, n int) ([]byte, error) {
		if at > uint64(size) || uint64(n) > uint64(size)-at {
			return nil, errors.New("the record is cut off")
		}
		b := make([]byte, n)
		if _, err := from.ReadAt(b, int64(at)); err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		return b, nil
	}
	if size < headSize {
		return nil, ErrUnfinished
	}
	h, err := part(0, headSize)
	if err != nil {
		return nil, err
	}
	n := reader{b: h}
	magic := n.text(8)
	switch v, head := n.u32(), n.u32(); {
	case magic == "":
		return nil, ErrUnfinished
	case magic != "SEAMHEAP":
		return nil, errors.New("it is no record of seam heap")
	case v != version || head != headSize:
		return nil, fmt.Errorf("the record has layout %d, and this seam knows %d", v, version)
	}
	sitesAt, pcsAt, modulesAt := n.u64(), n.u64(), n.u64()
	n.u64()
	r := &Record{Rate: n.u64(), PID: int(int32(n.u64())), Parent: int(int32(n.u64())), Start: time.Unix(0, int64(n.u64()))}
	sites, pcs, modules := int64(n.u32()), int64(n.u32()), int64(n.u32())
	r.Named = n.u32()
	r.Live, r.Peak, r.PeakAt = int64(n.u64()), int64(n.u64()), time.Duration(n.u64())
	r.LostBlocks, r.LostBytes, r.LostStacks, r.LostMaps = n.u64(), n.u64(), n.u64(), n.u64()
	r.GoLow, r.GoHigh = n.u64(), n.u64()
	r.Exe, r.Allocator, r.Note, r.Go = n.text(512), n.text(256), n.text(512), n.text(32)
	if sites > mostSites || pcs > mostPCs || modules > mostModule {
		return nil, errors.New("the record is damaged: it counts more than it has room for")
	}
	m, err := part(modulesAt, int(modules)*moduleSize)
	if err != nil {
		return nil, err
	}
	for n := (reader{b: m}); len(n.b) > 0; {
		r.Modules = append(r.Modules, Module{Low: n.u64(), High: n.u64(), Base: n.u64(), BuildID: n.text(96), Path: n.text(256)})
	}
	p, err := part(pcsAt, int(pcs)*8)
	if err != nil {
		return nil, err
	}
	all := make([]uint64, pcs)
	for i := range all {
		all[i] = binary.NativeEndian.Uint64(p[8*i:])
	}
	s, err := part(sitesAt, int(sites)*siteSize)
	if err != nil {
		return nil, err
	}
	for n := (reader{b: s}); len(n.b) > 0; {
		n.u64() // the hash
		first, depth, c := int64(n.u32()), int64(n.u16()), int(n.u16())
		kind := n.u32()
		t := Site{C: c, Mapped: kind == 1, named: int(max(kind, 1)) - 1, modules: int(min(n.u32(), mostModule))}
		for _, to := range []*int64{&t.Live, &t.LiveObjects, &t.Bytes, &t.Objects, &t.Short, &t.ShortObjects, &t.Peak, &t.PeakObjects} {
			*to = int64(n.u64())
		}
		t.Samples = n.u64()
		for _, to := range []*int64{&t.LiveObjects, &t.Objects, &t.ShortObjects, &t.PeakObjects} { // in thousandths
			*to = (*to + 500) / 1000
		}
		if first+depth > pcs || depth > mostDepth || int64(c) > depth || t.modules > len(r.Modules) {
			return nil, errors.New("the record is damaged: a stack lies outside of it")
		}
		t.PCs = all[first : first+depth]
		r.Sites = append(r.Sites, t)
	}
	return r, nil
}

// A reader takes numbers from bytes that are there.
type reader struct{ b []byte }

func (r *reader) take(n int) []byte { b := r.b[:n]; r.b = r.b[n:]; return b }
func (r *reader) u16() uint16       { return binary.NativeEndian.Uint16(r.take(2)) }
func (r *reader) u32() uint32       { return binary.NativeEndian.Uint32(r.take(4)) }
func (r *reader) u64() uint64       { return binary.NativeEndian.Uint64(r.take(8)) }
func (r *reader) text(n int) string {
	b, _, _ := bytes.Cut(r.take(n), []byte{0})
	return string(b)
}
