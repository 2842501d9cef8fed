// Package lab measures what crossing a boundary costs on this machine.
//
// An [Experiment] is a list of [Case] values, each a way to do the same thing.
// The package is opinionated about how they are timed:
//
//   - The cases of one group run in turn, in blocks of random order followed by
//     the same order reversed (ABC CBA), so that slow drift of the machine's
//     speed hits all of them alike and cancels in a block's ratios.
//   - Every experiment is repeated in several fresh processes, because the
//     address of code, stacks and heap is drawn once a process and moves
//     results by more than the noise inside one.
//   - Every group runs its base case twice under two names. That A/A control
//     tells how large a difference means nothing here today.
//   - No sample is dropped. Outliers are labelled and counted.
//
// The loop is our own: testing.B.Loop changed what may be inlined between Go
// releases, and testing.B grows its iteration count where paired blocks need
// it fixed.
package lab

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

// An Experiment measures one family of crossings. One folder holds one
// experiment; the list of them is in package experiment.
type Experiment struct {
	Name    string           // what the user types: "call"
	Title   string           // one line for --list and headings
	Sources []*result.Source // of the published figures that it is compared with
	About   string           // one paragraph: what is measured and how

	// Cases lists what to measure. It must be cheap and give the same list
	// whenever it is called with the same mode: parent and workers both call it.
	Cases func(Mode) []Case

	// Explain is called once with the summarised measurements. It adds
	// findings, notes and charts computed from them. It must cope with series
	// that were not measured.
	Explain func(*result.Experiment)
}

// A Case is one way of doing the thing. Exactly one of Setup, Start and Probe is
// set.
type Case struct {
	Name      string // benchmark name without "Benchmark": "Call/via=go"
	Label     string // for people: "Go call, not inlined"
	Group     string // cases of one group share blocks; "" is a group too
	Base      bool   // the case that the others of its group are compared with
	Reference *result.Reference
	Procs     int // GOMAXPROCS while the group is set up and runs; 0 leaves it; the same for a whole group

	// Yardstick marks a timed case that holds none of Seam's code and is
	// compared with none of its group. Where an experiment has such cases, its
	// bases may be under test themselves, and what the machine did between two
	// runs is told from the yardsticks alone.
	Yardstick bool

	// Setup prepares a timed case. The lab calls Run of what it returns many
	// times and reports nanoseconds per operation.
	Setup func() (*Op, error)

	// Start is Setup for a case that has to know which process it is in, or
	// takes so long that it must be possible to end it.
	Start func(context.Context, *Bench) (*Op, error)

	// Probe measures something that is not time per operation (bytes, a
	// break-even point). It is called once in every process.
	Probe func(context.Context, *Bench) ([]Metric, error)
}

// An Op is a timed operation that is ready to run.
type Op struct {
	// Run does the operation n times and returns. It is called from one
	// goroutine at a time, always the same goroutine.
	Run func(n int)
	// Time is Run for an operation that tells its own time, because another
	// process does it, or because not all that is done along with it counts:
	// how long n of them took. Run is then nil.
	Time func(n int) time.Duration
	// N fixes the number of operations of a sample; 0 lets the lab choose it so
	// that a sample is long enough for the clock.
	N int
	// Close releases what Setup made; may be nil.
	Close func()
}

// A Metric is what a Probe found.
type Metric struct {
	Name  string  // benchmark name; "" means the case's
	Unit  string  // "B/unit", "count", "ns"
	Value float64 // finite
	Label string  // "" means the case's
}

// A Mode says how much time a run may take.
type Mode int

const (
	Quick  Mode = iota // all experiments in a minute or two
	Normal             // ten minutes
	Full               // half an hour or more
)

func (m Mode) String() string {
	if Quick <= m && m <= Full {
		return ByMode(m, "quick", "normal", "full")
	}
	return fmt.Sprintf("Mode(%d)", int(m))
}

// ByMode is what stands for the mode: of a number of repetitions, say.
func ByMode[T any](m Mode, quick, normal, full T) T {
	switch m {
	case Quick:
		return quick
	case Normal:
		return normal
	}
	return full
}

// InQuick is ByMode where only the quick mode differs.
func InQuick[T any](m Mode, quick, other T) T { return ByMode(m, quick, other, other) }

// ParseMode is the inverse of [Mode.String].
func ParseMode(s string) (Mode, error) {
	for m := Quick; m <= Full; m++ {
		if s == m.String() {
			return m, nil
		}
	}
	return 0, fmt.Errorf("unknown mode %q (want quick, normal or full)", s)
}

// NotMeasured is the error that Setup or Probe returns where the machine can't
// measure the case. The reason is shown in place of the figure; the run goes on.
type NotMeasured struct{ Reason string }

func (e *NotMeasured) Error() string { return "not measured: " + e.Reason }

// Skip returns a [NotMeasured] error.
func Skip(format string, args ...any) error {
	return &NotMeasured{fmt.Sprintf(format, args...)}
}

// NoC says why C code can't be called in this build. onLinux is what needs Linux, "" if
// it runs on other systems too.
func NoC(onLinux string) error {
	if onLinux != "" && runtime.GOOS != "linux" {
		return Skip("Linux only: %s", onLinux)
	}
	return Skip("built without cgo: build with CGO_ENABLED=1 and a C compiler")
}

// reason turns an error of Setup or Probe into the text of a "not measured" row.
func reason(err error) string {
	var nm *NotMeasured
	if errors.As(err, &nm) {
		return nm.Reason
	}
	return err.Error()
}
