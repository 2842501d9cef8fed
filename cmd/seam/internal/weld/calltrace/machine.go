package calltrace

import (
	"context"
	"os"
	"runtime"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Machine is what the machine did to code that does nothing but run, while a program was
// traced: interrupts and, on a virtual machine, the host's other guests stop all code alike.
type Machine struct {
	SpunNS uint64 `json:"spun_ns"` // CPU time in which the control looked out for stalls
	Stalls []Bin  `json:"stalls"`  // by how long it stood still while the kernel counted it as running
	Lost   []Bin  `json:"lost"`    // by how long it stood still by the clock on the wall

	StealNS uint64 `json:"steal_ns,omitempty"` // CPU time that the host took, by /proc/stat
	CPUNS   uint64 `json:"cpu_ns,omitempty"`   // of all that there was
}

// How the control spins: a share of one CPU that a traced program can spare.
const (
	spinFor   = time.Millisecond
	spinEvery = 25 * time.Millisecond
	leastLost = 500 // ns; shorter stalls are a few cache misses
)

// A Control spins beside a program that is traced.
type Control struct {
	cancel context.CancelFunc
	done   sync.WaitGroup
	turns  []turn

	steal, all uint64 // CPU time at the start
}

// A turn is one time of spinning.
type turn struct {
	at     time.Time
	spun   time.Duration // CPU time
	stalls []stall
}

// A stall is a time in which the control stood still, and how much of it the kernel counted
// as its own.
type stall struct{ lost, busy time.Duration }

// Watch begins to look out for what the machine does.
func Watch() *Control {
	ctx, cancel := context.WithCancel(context.Background())
	c := &Control{cancel: cancel}
	c.steal, c.all = cpuTimes()
	c.done.Go(func() { c.run(ctx) })
	return c
}

// Stop ends that and says what was seen while the processes of a trace ran: building them
// keeps a machine busier than they do. It is nil if nothing was seen.
func (c *Control) Stop(processes []Process) *Machine {
	c.cancel()
	c.done.Wait()
	m := &Machine{}
	if steal, all := cpuTimes(); all > c.all {
		m.StealNS, m.CPUNS = steal-min(c.steal, steal), all-c.all
	}
	var busy, lost [bins]uint64
	for _, t := range c.turns {
		traced := func(p Process) bool {
			return !t.at.Before(p.Start) && !t.at.After(p.Start.Add(time.Duration(p.WallNS)))
		}
		if !slices.ContainsFunc(processes, traced) {
			continue
		}
		m.SpunNS += uint64(t.spun)
		for _, s := range t.stalls {
			lost[binOf(uint64(s.lost))]++
			if s.busy >= leastLost {
				busy[binOf(uint64(s.busy))]++
			}
		}
	}
	if m.SpunNS == 0 {
		return nil
	}
	m.Stalls, m.Lost = binsOf(&busy), binsOf(&lost)
	return m
}

// run spins now and then, on a thread of its own.
func (c *Control) run(ctx context.Context) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for {
		if t, ok := spin(); ok {
			c.turns = append(c.turns, t)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(spinEvery):
		}
	}
}

// spin reads the clock again and again. Between two readings there is nothing but the
// machine.
func spin() (t turn, ok bool) {
	cpu, ok := threadTime()
	if !ok {
		return t, false
	}
	t.at = time.Now()
	began, mark := cpu, time.Duration(0) // cpu was read at mark
	for last := mark; last < spinFor; {
		now := time.Since(t.at)
		if gap := now - last; gap >= leastLost {
			used, _ := threadTime()
			off := (now - mark) - (used - cpu) // the kernel ran something else
			t.stalls = append(t.stalls, stall{gap, gap - max(0, off)})
			cpu, mark = used, time.Since(t.at)
			now = mark // reading the thread's clock is no stall
		}
		last = now
	}
	ended, _ := threadTime()
	t.spun = ended - began
	return t, t.spun > 0
}

// binOf is the bin of a histogram that a value belongs to.
func binOf(ns uint64) int {
	return sort.Search(bins-1, func(i int) bool { return ns <= binEnd(i) })
}

func binsOf(h *[bins]uint64) []Bin {
	list := []Bin{}
	for i, n := range h {
		if n > 0 {
			list = append(list, Bin{UpToNS: binEnd(i), Calls: n})
		}
	}
	return list
}

// cpuTimes reads what all CPUs have done since the system started, in ns: 0 if it isn't told.
func cpuTimes() (steal, all uint64) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, 0
	}
	line, _, _ := strings.Cut(string(text), "\n")
	fields := strings.Fields(line)
	const tick = uint64(time.Second / 100) // USER_HZ, the same on all of Linux's architectures that Go has
	for i, f := range fields[min(1, len(fields)):] {
		v, err := strconv.ParseUint(f, 10, 64)
		if err != nil || i > 7 {
			break // guests' time is in user time already
		}
		all += v * tick
		if i == 7 {
			steal = v * tick
		}
	}
	return steal, all
}
