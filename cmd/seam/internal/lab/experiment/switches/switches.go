// Package switches measures a switch from one flow of control to another:
// processes, threads, goroutines, coroutines.
//
// Each kind is a pair of parties that hand control to one another. The party
// that gets it touches every cache line of a buffer of its own, so the same
// experiment with buffers of several sizes tells the switch itself (direct
// cost) from the caches that have to be filled again (indirect cost).
package switches

import (
	"fmt"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/reference"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

// Experiment is `seam lab switch`.
var Experiment = lab.Experiment{
	Name:    "switch",
	Title:   "What does a switch between processes, threads or goroutines cost?",
	Sources: []*result.Source{reference.Coroutines},
	About: "Two parties pass control to each other; one operation is one switch, half of a round trip. " +
		"Process and thread hand over a byte through a pair of pipes, both parties pinned to one CPU, with the same C code: " +
		"the only difference is the change of address space. Futex is the same pair of threads with FUTEX_WAKE and FUTEX_WAIT alone, " +
		"the least the kernel takes for a switch. Goroutine is runtime.Gosched between two goroutines, " +
		"channel is an unbuffered ping-pong, iterpull is half a step of iter.Pull, all with GOMAXPROCS=1. " +
		"Syscall is getppid, into the kernel and back without a switch. " +
		"After each switch the party that got control reads and writes one word in every 64-byte line of its own buffer of ws bytes. " +
		"kind=none is one party that touches both buffers in turn, kind=none-c the same in C; process, thread and futex are compared with it, " +
		"because gcc and the Go compiler compile the same loop differently. All kinds touch the same physical memory. " +
		"Direct cost = (kind - none) at ws=0. Indirect cost = (kind - none) at ws, less the direct cost.",
	Cases:   cases,
	Explain: explain,
}

// sizes are the working sets of one party, in bytes.
var sizes = []int{0, 16 << 10, 64 << 10, 1 << 20}

// A kind is one way to switch.
type kind struct {
	name  string // in the benchmark name
	label string
	none  string            // the kind without a switch that touches with the same code
	ref   *reference.Figure // direct cost
	setup func(ws int) (*lab.Op, error)
}

var kinds = []kind{
	{name: "none", label: "no switch", setup: with(setupNone)},
	{name: "none-c", label: "no switch, C", setup: setupNoneC},
	{name: "process", label: "process (pipe)", none: "none-c", setup: setupProcess,
		ref: &reference.ProcessSwitch},
	{name: "thread", label: "thread (pipe)", none: "none-c", setup: setupThread},
	{name: "futex", label: "thread (bare futex)", none: "none-c", setup: setupFutex},
	{name: "goroutine", label: "goroutine (Gosched)", none: "none", setup: with(setupGoroutine),
		ref: &reference.GoroutineSwitch},
	{name: "channel", label: "goroutine (channel)", none: "none", setup: with(setupChannel)},
	{name: "iterpull", label: "coroutine (iter.Pull)", none: "none", setup: with(setupIterPull)},
	{name: "syscall", label: "system call (no switch)", none: "none", setup: setupSyscall},
}

func cases(mode lab.Mode) []lab.Case {
	list := make([]lab.Case, 0, len(sizes)*len(kinds))
	for _, ws := range sizes {
		for _, k := range kinds {
			c := lab.Case{
				Name:  name(k.name, ws),
				Label: k.label,
				Group: fmt.Sprintf("ws=%d", ws),
				Base:  k.name == "none",
				Procs: 1,
				Setup: func() (*lab.Op, error) {
					op, err := k.setup(ws)
					if err == nil {
						op.N = fixedN(ws, mode)
					}
					return op, err
				},
			}
			switch {
			case ws > 0:
				c.Label += ", " + bytesLabel(ws)
			case k.ref != nil:
				c.Reference = k.ref.Reference()
			}
			list = append(list, c)
		}
	}
	return list
}

func name(kind string, ws int) string { return fmt.Sprintf("Switch/kind=%s/ws=%d", kind, ws) }

func bytesLabel(ws int) string {
	if ws >= 1<<20 {
		return fmt.Sprintf("%d MB each", ws>>20)
	}
	return fmt.Sprintf("%d KB each", ws>>10)
}

// fixedN is the number of switches of a sample. Only a whole round trip can be
// timed. With a few dozen long operations a sample, an odd one more or less
// would be percents, so their number is fixed and even; shorter ones leave it
// to the lab (0).
func fixedN(ws int, mode lab.Mode) int {
	switch {
	case ws < 1<<20:
		return 0
	case mode == lab.Quick:
		return 32
	case mode == lab.Normal:
		return 64
	}
	return 160
}

// trips turns switches into round trips of two. Where n is odd it rounds up and
// the next call gets one less, so that no switch is lost on average.
type trips struct{ ahead int }

func (t *trips) of(n int) int {
	want := n - t.ahead
	rounds := (want + 1) / 2
	t.ahead = 2*rounds - want
	return rounds
}
