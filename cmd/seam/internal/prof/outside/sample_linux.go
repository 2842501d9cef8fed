//go:build linux

package outside

import (
	"context"
	"debug/buildinfo"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	dataPages = 8  // of a thread's ring: 30 samples and more of the deepest stacks
	deepest   = 64 // frames of a sample
	interval  = 20 * time.Millisecond
)

// Sample looks at a process for so long, or until the context or the process ends.
func Sample(ctx context.Context, pid int, long time.Duration) (*Report, error) {
	proc := fmt.Sprintf("/proc/%d", pid)
	exe, err := os.Readlink(proc + "/exe")
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("there is no process %d", pid)
	case err != nil:
		return nil, fmt.Errorf("process %d: %w", pid, err)
	}
	info, err := buildinfo.ReadFile(proc + "/exe")
	if err != nil {
		return nil, fmt.Errorf("process %d (%s) is no Go program: %w", pid, exe, err)
	}
	program, err := open(proc)
	if err != nil {
		return nil, fmt.Errorf("process %d (%s): %w", pid, exe, err)
	}
	r := &Report{PID: pid, Program: filepath.Base(exe), Go: info.GoVersion, Welded: program.has("runtime/cgo.SeamCall")}
	s := &sampler{report: r, program: program, pid: pid, threads: map[int]*thread{}}
	defer s.close()
	if err := s.addThreads(); err != nil {
		return nil, fmt.Errorf("process %d: %w", pid, err)
	}
	counters := program.counters(pid)
	defer counters.close()
	before, _ := counters.calls()
	began, cpu := time.Now(), cpuTime(proc)
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	end := time.NewTimer(long)
	defer end.Stop()
	for done := false; !done; {
		select {
		case <-ctx.Done():
			done = true
		case <-end.C:
			done = true
		case <-ticker.C:
		}
		s.read()
		if now := cpuTime(proc); now > 0 {
			r.CPU = now - cpu
		}
		if n, ok := counters.inC(); ok {
			r.InC = append(r.InC, float64(n))
		}
		if n, ok := counters.calls(); ok {
			r.Counted, r.Calls = true, n-before
		}
		if s.addThreads() != nil {
			r.Ended = true
			break
		}
	}
	r.Long = time.Since(began)
	return r, nil
}

// A sampler has the rings of a process's threads.
type sampler struct {
	report  *Report
	program *program
	pid     int
	threads map[int]*thread
}

type thread struct {
	fd   int
	ring []byte
}

func (s *sampler) close() {
	for _, t := range s.threads {
		t.close()
	}
}

func (t *thread) close() {
	if t != nil {
		_ = unix.Munmap(t.ring)
		_ = unix.Close(t.fd)
	}
}

// addThreads begins to sample threads that are new. The error is that of a process that is gone, or
// of which no thread could ever be sampled.
func (s *sampler) addThreads() error {
	names, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", s.pid))
	if err != nil {
		return err
	}
	live := map[int]bool{}
	for _, e := range names {
		tid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		live[tid] = true
		if _, known := s.threads[tid]; known {
			continue
		}
		t, err := s.open(tid)
		if errors.Is(err, unix.ESRCH) {
			continue // it has ended
		}
		if err != nil && len(s.threads) == 0 {
			return err
		}
		if err != nil {
			s.report.Unseen++
		}
		s.threads[tid] = t
	}
	for tid, t := range s.threads {
		if !live[tid] {
			t.read(s)
			t.close()
			delete(s.threads, tid)
		}
	}
	return nil
}

// open begins to sample a thread.
func (s *sampler) open(tid int) (*thread, error) {
	attr := unix.PerfEventAttr{
		Type:             unix.PERF_TYPE_SOFTWARE,
		Config:           unix.PERF_COUNT_SW_TASK_CLOCK,
		Size:             uint32(unsafe.Sizeof(unix.PerfEventAttr{})),
		Sample:           uint64(period),
		Sample_type:      unix.PERF_SAMPLE_CALLCHAIN,
		Sample_max_stack: deepest,
		Bits:             unix.PerfBitExcludeHv | unix.PerfBitExcludeCallchainKernel,
	}
	if s.report.User {
		attr.Bits |= unix.PerfBitExcludeKernel
	}
	fd, err := unix.PerfEventOpen(&attr, tid, -1, -1, unix.PERF_FLAG_FD_CLOEXEC)
	if errors.Is(err, unix.EACCES) && !s.report.User {
		s.report.User = true
		return s.open(tid)
	}
	if errors.Is(err, unix.ESRCH) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("the kernel doesn't let it be sampled (perf_event_open: %w): try as root, with sysctl kernel.perf_event_paranoid=2 or lower, or outside of the container; seam trace needs none of that, but another build", err)
	}
	page := os.Getpagesize()
	ring, err := unix.Mmap(fd, 0, (1+dataPages)*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		_ = unix.Close(fd)
		return nil, fmt.Errorf("no memory for samples (mmap: %w): try as root, or raise kernel.perf_event_mlock_kb", err)
	}
	return &thread{fd, ring}, nil
}

func (s *sampler) read() {
	for _, t := range s.threads {
		t.read(s)
	}
}

// Where the kernel's page in front of a ring has what.
const (
	ringHead = 1024
	ringTail = 1032
)

// read takes what a ring has.
func (t *thread) read(s *sampler) {
	if t == nil {
		return
	}
	page := os.Getpagesize()
	data := t.ring[page:]
	headAt, tailAt := (*uint64)(unsafe.Pointer(&t.ring[ringHead])), (*uint64)(unsafe.Pointer(&t.ring[ringTail]))
	head, tail := atomic.LoadUint64(headAt), *tailAt
	if head-tail <= uint64(len(data)) {
		pending := make([]byte, head-tail)
		at := int(tail % uint64(len(data)))
		n := copy(pending, data[at:])
		copy(pending[n:], data)
		s.report.Missed += records(pending, func(stack []uint64) { s.report.Samples.add(classify(s.program.names(stack))) })
	}
	atomic.StoreUint64(tailAt, head)
}

// records calls do with the addresses of each sample, the innermost first, and returns how many
// samples the kernel says it has dropped.
func records(data []byte, do func(stack []uint64)) (lost int) {
	const header = 8
	for len(data) >= header {
		kind, size := binary.NativeEndian.Uint32(data), int(binary.NativeEndian.Uint16(data[6:]))
		if size < header || size > len(data) {
			return lost
		}
		body := data[header:size]
		data = data[size:]
		switch kind {
		case unix.PERF_RECORD_LOST: // an identifier, and how many
			if len(body) >= 16 {
				lost += int(binary.NativeEndian.Uint64(body[8:]))
			}
		case unix.PERF_RECORD_SAMPLE: // how many addresses, and these
			if len(body) < 8 {
				continue
			}
			n := min(binary.NativeEndian.Uint64(body), uint64(len(body)-8)/8)
			stack := make([]uint64, 0, n)
			for i := range int(n) {
				address := binary.NativeEndian.Uint64(body[8+8*i:])
				if address >= 1<<64-4095 { // a mark: what follows is the kernel's, or the program's
					continue
				}
				stack = append(stack, address)
			}
			do(stack)
		}
	}
	return lost
}

// cpuTime is the processor time of a process; 0 if it is gone.
func cpuTime(proc string) time.Duration {
	text, err := os.ReadFile(proc + "/stat")
	if err != nil {
		return 0
	}

	rest := ""
	if i := strings.LastIndex(string(text), ") "); i >= 0 { // the name before may have brackets and blanks
		rest = string(text[i+2:])
	}
	fields := strings.Fields(rest)
	const user, system = 11, 12
	if len(fields) <= system {
		return 0
	}
	const tick = 10 * time.Millisecond // USER_HZ is 100 wherever Go runs
	u, _ := strconv.ParseInt(fields[user], 10, 64)
	k, _ := strconv.ParseInt(fields[system], 10, 64)
	return time.Duration(u+k) * tick
}
