package lab

import (
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/stats"
)

// A budget is how long a mode measures.
type budget struct {
	rounds int
	share  time.Duration // for one experiment in one process
	// strict modes make up for an experiment that takes more than its share by
	// giving the later processes less.
	strict bool
	// fewest is how many processes run even a probe that takes more than its share: what one
	// process measured proves nothing. One that takes longer than dear runs once.
	fewest int
	dear   time.Duration
	// silence is how long a worker may measure without reporting anything
	// before it is taken for hung.
	silence time.Duration
}

// Quick spends 18 × 8 × 0.39 s = 56 s on eighteen experiments, and normal nine minutes, on
// many processes rather than long ones: what one measures twice as long is as disturbed.
// Starting processes, building programs and probes that don't fit their share come on
// top; a run that would take twice as long leaves out rounds, and says so.
var budgets = map[Mode]budget{
	Quick:  {rounds: 8, share: 390 * time.Millisecond, strict: true, fewest: stats.Fewest, dear: 2 * time.Second, silence: time.Minute},
	Normal: {rounds: 20, share: 1580 * time.Millisecond, strict: true, fewest: stats.Fewest, dear: time.Hour, silence: 5 * time.Minute},
	Full:   {rounds: 20, share: 15 * time.Second, fewest: stats.Fewest, dear: 24 * time.Hour, silence: 2 * time.Hour},
}

// least is the part of its share that a process gets even when the run is late.
const least = 4

// A schedule divides the time that a run has left among its processes.
type schedule struct {
	budget
	mode     Mode
	jobs     int           // processes that the whole run takes
	done     int           // processes that have ended
	spent    time.Duration // by those
	cost     map[string]time.Duration
	probes   map[probeKey]*bucket
	allProbe map[string][]string // names of an experiment's probes
}

type probeKey struct{ experiment, probe string }

// A bucket lets a probe run as often as its costs allow: each round puts in
// what a probe may take of a share, each run takes out what it cost. The first
// rounds, as many as the mode wants at least, are on credit.
type bucket struct {
	saved, cost time.Duration
	ran         int
}

func newSchedule(mode Mode, experiments []Experiment, rounds int) *schedule {
	s := &schedule{
		budget:   budgets[mode],
		mode:     mode,
		cost:     map[string]time.Duration{},
		probes:   map[probeKey]*bucket{},
		allProbe: map[string][]string{},
	}
	if rounds > 0 {
		s.rounds = rounds
	}
	s.jobs = s.rounds * len(experiments)
	for _, e := range experiments {
		_, probes := groups(e.Cases(mode))
		for _, p := range probes {
			s.allProbe[e.Name] = append(s.allProbe[e.Name], p.Name)
			s.probes[probeKey{e.Name, p.Name}] = &bucket{}
		}
	}
	return s
}

// within gives a run a time of its own: each process less, or as many as there is time for.
func (s *schedule) within(limit time.Duration) {
	s.strict = true
	s.share = min(s.share, limit*9/10/time.Duration(max(1, s.jobs)))
}

// tooDear are the experiments that can't get the processes that a verdict takes in the time
// that is left, the dearest first, after each has had one.
func (s *schedule) tooDear(experiments []Experiment, left time.Duration) (names []string) {
	costs := map[string]time.Duration{}
	need := time.Duration(0)
	for _, e := range experiments {
		costs[e.Name] = (stats.Fewest - 1) * s.cost[e.Name]
		need += costs[e.Name]
	}
	for need > left && len(costs) > 1 {
		dearest := ""
		for _, e := range experiments {
			if c, there := costs[e.Name]; there && (dearest == "" || c > costs[dearest]) {
				dearest = e.Name
			}
		}
		need -= costs[dearest]
		delete(costs, dearest)
		names = append(names, dearest)
	}
	return names
}

// late is how many times its own time a run may take before rounds are left out.
const late = 2

// overdue reports whether another round would take the run beyond its time. What a
// verdict takes is measured in any case.
func (s *schedule) overdue(round int, elapsed time.Duration) bool {
	if !s.strict || round < stats.Fewest {
		return false
	}
	return elapsed+elapsed/time.Duration(round) > late*time.Duration(s.jobs)*s.share
}

// next plans one process of an experiment: how long for its timed cases, and
// which probes. A probe is repeated in every round where all its experiment's
// probes together stay below half of the share, and else in as many rounds as
// that half pays for, but in one at least.
func (s *schedule) next(experiment string) (timed time.Duration, probes []string) {
	share := s.share
	if s.strict {
		left := time.Duration(s.jobs)*s.share - s.spent
		share = min(s.share*3/2, max(s.share/least, left/time.Duration(max(1, s.jobs-s.done))))
	}
	timed = share
	for _, p := range s.allProbe[experiment] {
		b := s.probes[probeKey{experiment, p}]
		b.saved += s.share / 2 / time.Duration(len(s.allProbe[experiment]))
		if (b.ran >= s.fewest || b.ran > 0 && b.cost > s.dear) && b.cost > b.saved {
			continue
		}
		probes = append(probes, p)
		timed -= b.cost
	}
	return max(timed, s.share/least), probes
}

// probed takes note of what a probe cost.
func (s *schedule) probed(experiment, probe string, cost time.Duration) {
	if b := s.probes[probeKey{experiment, probe}]; b != nil {
		b.ran++
		b.cost = cost
		b.saved -= cost
	}
}

// ended takes note of a process that has ended.
func (s *schedule) ended(experiment string, took time.Duration) {
	s.done++
	s.spent += took
	s.cost[experiment] = took
}

// expect is how long a process of an experiment will take.
func (s *schedule) expect(experiment string) time.Duration {
	if d, known := s.cost[experiment]; known && !s.strict {
		return d
	}
	return s.share
}
