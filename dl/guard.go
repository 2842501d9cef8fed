package dl

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/seamgo/seam/internal/bubble"
	"github.com/seamgo/seam/internal/crossing"
)

// The guard times some calls of leaves, and demotes a function of which too many take longer than
// the budget. Its verdict is that of programs that seam weld has built (TestVerdictIsWelds
// compares them). It differs in which calls it times: the first 100 of a function, and from then on
// a few every 10 ms. A function's entry leads to the timed path for as long and to the quick one
// otherwise, so calls that aren't timed pay nothing. Counting calls instead would need a
// counter for each thread, for which Go code has no place.

const (
	budget    = 20 * time.Microsecond
	allowed   = 10_000 // calls in a million that may be over budget
	firstOnes = 100    // of a function are all timed
	fewOnes   = 8      // are timed each time
	pause     = 10 * time.Millisecond

	probation = 1024 // calls
	accident  = 3    // calls over budget that nobody minds,
	early     = 32   // and of so many first ones,
	earlyPart = 4    // one in so many
	stalls    = 250  // a second are a busy host's

	shortestControl = time.Microsecond
	longestControl  = 20 * time.Microsecond
)

// A mode is what SEAM_GUARD asks for.
type mode string

const (
	guardSample mode = "sample"
	guardAll    mode = "all" // time every call
	guardOff    mode = "off"
)

var guarding = guardMode(os.Getenv("SEAM_GUARD"))

func guardMode(env string) mode {
	switch env {
	case "", "sample":
	case "off", "0":
		return guardOff
	case "all", "1":
		return guardAll
	default:
		crossing.Warn("dl", "SEAM_GUARD="+strconv.Quote(env)+" is unknown: want off, sample or all; taking sample")
	}
	return guardSample
}

// figures are what the verdict is about. Times are in ns.
type figures struct {
	usual                        uint64 // how long a call within the budget takes
	tried, late, controls, noise uint64 // on probation
}

// length is how long a control is.
func (s *figures) length() uint64 {
	return min(max(s.typical(), uint64(shortestControl)), uint64(longestControl))
}

func (s *figures) typical() uint64 {
	if s.usual != 0 {
		return s.usual
	}
	return uint64(budget / 2)
}

// guilty reports whether more calls were late than chance and the machine explain: with the
// machine's part m, more than 3 + allowed·tried + early/4 + m + 3·√m. m is what the control
// met, for as long as the function ran, and what any machine does. All in thousandths.
func (s *figures) guilty() bool {
	late := s.late * 1000
	machine := s.noise*1000*s.typical()/s.length()*s.tried/max(s.controls, 1) + s.tried*s.typical()*stalls/1000000
	most := accident*1000 + s.tried*allowed/1000 + min(s.tried, early)*1000/earlyPart + machine
	return late > most && late-most > 9*1000*machine/(late-most)
}

// guard is what is known about a leaf.
type guard struct {
	demoted atomic.Bool

	mu      sync.Mutex
	left    int // calls to be timed before the function rests
	trial   int // calls of its probation that are left
	longest time.Duration
	figures
}

func (g *guard) start(f *function) {
	if guarding == guardOff {
		f.setEntry(f.fast)
		return
	}
	g.left = firstOnes
}

// times reports whether f is called as a leaf when it has no quick entry.
func (g *guard) times(*function) bool { return state.Path == PathAssembly && !g.demoted.Load() }

// call calls f and judges it by the time it takes.
func (g *guard) call(f *function, args unsafe.Pointer) {
	running := f.lib.enter(unsafe.Pointer(&args), f.name)
	defer running.Add(-1)
	start := time.Now()
	direct(f, args)
	took := time.Since(start)

	g.mu.Lock()
	defer g.mu.Unlock()
	if guarding == guardOff {
		g.rest(f)
		return
	}
	if g.judge(took) {
		g.demoted.Store(true)
		fmt.Fprintf(os.Stderr, "seam: %s took more than %v in %d of %d calls in turn, at most %v; it is called as cgo calls from now on. Make it a dl.Func\n",
			f.name, budget, g.late, g.tried, g.longest.Round(time.Microsecond))
		return
	}
	if g.left--; g.left <= 0 && g.trial <= 0 && guarding != guardAll {
		g.rest(f)
	}
}

// judge accounts for a call, and reports whether the function must be demoted now.
func (g *guard) judge(took time.Duration) bool {
	late := took > budget
	g.longest = max(g.longest, took)
	switch {
	case !late && g.usual == 0:
		g.usual = uint64(took) + 1
	case !late:
		g.usual += uint64(took)/8 - g.usual/8
	case g.trial <= 0:
		// The figures of the last probation count by half, so that a good day doesn't
		// excuse a bad hour.
		g.trial = probation
		g.tried, g.late, g.controls, g.noise = g.tried/2, g.late/2, g.controls/2, g.noise/2
	}
	if g.trial <= 0 || g.demoted.Load() {
		return false
	}
	g.trial--
	g.tried++
	g.controls++
	if g.control() {
		g.noise++
	}
	if !late {
		return false
	}
	g.late++
	return g.guilty()
}

// control reports whether the machine would have made a call late that takes as long as usual.
func (g *guard) control() bool {
	length := time.Duration(g.length())
	start := time.Now()
	ran := time.Duration(0)
	for ran < length {
		now := time.Since(start)
		if now == ran && bubble.Inside() { // where time stands still
			return false
		}
		ran = now
	}
	return ran-length > max(0, budget-time.Duration(g.typical()))
}

// suspend takes the quick entry away, for as long as the library is being closed.
func (g *guard) suspend(f *function) {
	g.mu.Lock()
	defer g.mu.Unlock()
	f.setEntry(slowEntry)
}

// rest gives f its quick entry, until the clock takes it away again. g.mu is held.
func (g *guard) rest(f *function) {
	if f.lib.closed.Load() || g.demoted.Load() {
		return
	}
	f.setEntry(f.fast)
	if guarding != guardOff {
		resting.add(f)
	}
}

// wake has the next calls of f timed.
func (g *guard) wake(f *function) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.left = fewOnes
	f.setEntry(slowEntry)
}

// resting are the functions that wait for their next timed calls. A function is added by a call of
// it, so a program that calls none has no timer that runs.
var resting sleepers

type sleepers struct {
	mu    sync.Mutex
	list  []*function
	timer *time.Timer // nil until it is needed outside of a bubble of testing/synctest
}

func (s *sleepers) add(f *function) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = append(s.list, f)
	switch {
	case s.timer == nil && bubble.Inside():
	case s.timer == nil:
		s.timer = time.AfterFunc(s.interval(), s.wake)
	case len(s.list) == 1:
		s.timer.Reset(s.interval())
	}
}

// interval is drawn, since a fixed one may meet the same call of a loop again and again.
func (s *sleepers) interval() time.Duration { return pause/2 + rand.N(pause) }

func (s *sleepers) wake() {
	s.mu.Lock()
	list := s.list
	s.list = nil
	s.mu.Unlock()
	for _, f := range list {
		f.guard.wake(f)
	}
}
