package lab

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/stats"
)

func TestBudgetsFit(t *testing.T) {
	// Seventeen experiments whose processes take what they are given.
	for mode, most := range map[Mode]time.Duration{Quick: time.Minute, Normal: 10 * time.Minute} {
		b := budgets[mode]
		if total := time.Duration(17*b.rounds) * b.share; total > most*9/10 {
			t.Errorf("%v: seventeen experiments are given %v: no room in %v for what goes over", mode, total, most)
		}
	}
	for mode := Quick; mode <= Full; mode++ {
		if budgets[mode].rounds == 0 {
			t.Errorf("%v has no budget", mode)
		}
	}
}

func probing(name string, probes ...string) Experiment {
	cases := []Case{{Name: "Timed", Setup: op1}}
	for _, p := range probes {
		cases = append(cases, Case{Name: p, Probe: func(context.Context, *Bench) ([]Metric, error) { return nil, nil }})
	}
	return Experiment{Name: name, Cases: func(Mode) []Case { return cases }}
}

func op1() (*Op, error) { return &Op{Run: func(int) {}}, nil }

func TestProbesAsOftenAsTheyCanPayFor(t *testing.T) {
	t.Run("quick", func(t *testing.T) { probesAsOftenAsTheyCanPayFor(t, Quick, 1) })
	t.Run("normal", func(t *testing.T) { probesAsOftenAsTheyCanPayFor(t, Normal, stats.Fewest) })
}

func probesAsOftenAsTheyCanPayFor(t *testing.T, mode Mode, fewest int) {
	share := budgets[mode].share
	a := newSchedule(mode, []Experiment{probing("e", "cheap", "dear", "huge")}, 6)
	costs := map[string]time.Duration{"cheap": share / 100, "dear": share / 4, "huge": 10 * share}
	ran := map[string]int{}
	for round := range 6 {
		_, probes := a.next("e")
		if round == 0 && len(probes) != 3 {
			t.Errorf("the first round runs %q, want all", probes)
		}
		for _, p := range probes {
			ran[p]++
			a.probed("e", p, costs[p])
		}
		a.ended("e", share)
	}
	if ran["cheap"] != 6 || ran["dear"] < 2 || ran["dear"] > 5 || ran["huge"] != fewest {
		t.Errorf("rounds of the probes: %v", ran)
	}
}

// A run whose processes overrun their time gives the later ones less, so that
// the whole stays near what was promised; each still gets some.
func TestStrictBudgetMakesUp(t *testing.T) {
	a := newSchedule(Quick, []Experiment{probing("late"), probing("e")}, 0)
	share := a.share
	a.ended("late", 6*share)
	timed, _ := a.next("e")
	if timed >= share || timed < share/least {
		t.Errorf("after an overrun a process gets %v of %v", timed, share)
	}
	for range 5 {
		a.ended("late", 6*share)
	}
	if timed, _ = a.next("e"); timed != share/least {
		t.Errorf("a process gets %v at least, want %v", timed, share/least)
	}

	full := newSchedule(Full, []Experiment{probing("late"), probing("e")}, 0)
	full.ended("late", 100*full.share)
	if timed, _ := full.next("e"); timed != full.share {
		t.Errorf("full mode gives %v, want %v whatever came before", timed, full.share)
	}
}

func TestGroupsKeepOrder(t *testing.T) {
	timed, probes := groups([]Case{
		{Name: "a", Group: "x", Setup: op1},
		{Name: "b", Group: "y", Setup: op1, Procs: 2},
		{Name: "c", Group: "x", Setup: op1, Base: true},
		{Name: "p", Probe: func(context.Context, *Bench) ([]Metric, error) { return nil, nil }},
	})
	if len(timed) != 2 || timed[0].name != "x" || timed[0].base != 1 || timed[1].base != -1 || timed[1].procs != 2 {
		t.Errorf("groups %+v", timed)
	}
	names := func(list []Case) (n []string) {
		for _, c := range list {
			n = append(n, c.Name)
		}
		return n
	}
	if !slices.Equal(names(timed[0].cases), []string{"a", "c"}) || !slices.Equal(names(probes), []string{"p"}) {
		t.Errorf("cases %v, probes %v", names(timed[0].cases), names(probes))
	}
}

// A run that would take twice its time leaves out rounds, but not those that a verdict
// takes; a run whose time is not strict leaves out none.
func TestOverdue(t *testing.T) {
	experiments := []Experiment{{Name: "a", Cases: func(Mode) []Case { return nil }}}
	quick, full := newSchedule(Quick, experiments, 0), newSchedule(Full, experiments, 0)
	its := time.Duration(quick.jobs) * quick.share
	for _, c := range []struct {
		s       *schedule
		round   int
		elapsed time.Duration
		want    bool
	}{
		{quick, 3, its, false},
		{quick, 4, 2 * its, true},
		{quick, 2, 9 * its, false},
		{quick, 3, 9 * its, true},
		{full, 9, 1000 * time.Hour, false},
	} {
		if got := c.s.overdue(c.round, c.elapsed); got != c.want {
			t.Errorf("%s, round %d after %v: %v", c.s.mode, c.round, c.elapsed, got)
		}
	}
}
