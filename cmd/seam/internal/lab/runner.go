package lab

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/stats"
)

// A Runner runs experiments, each several times in fresh processes.
type Runner struct {
	Experiments []Experiment
	Mode        Mode
	Seed        uint64
	Rounds      int           // 0: what the mode says
	Share       time.Duration // of an experiment in one process; 0: what the mode says
	// For is how long the run may take, 0 for as long as the mode does. It is kept: what there
	// is no time for is left out.
	For time.Duration
	// Busy is how many times as long as on an idle machine everything may take: a worker that
	// gets a tenth of a processor is not hung because it reports nothing for a minute.
	Busy float64
	// Say, if set, is told at once what a run leaves out.
	Say func(string)

	// Worker returns the command of a process that calls [WorkerMain].
	Worker func() *exec.Cmd

	// Progress, if set, is told what the run is at. It is called from the
	// goroutine of Run.
	Progress func(Progress)
}

// Progress is where a run stands.
type Progress struct {
	Round, Rounds int
	Experiment    string
	Label         string        // of the case that is measured now, with those of its group
	Elapsed       time.Duration // since the start
	Left          time.Duration // estimated
}

// A Failure is a measurement that went wrong where it should have gone well.
// The run goes on without it; what it leaves out is said in the result.
type Failure struct {
	Experiment string
	Round      int // -1: not in a round
	Err        error
}

func (f Failure) Error() string {
	if f.Round < 0 {
		return fmt.Sprintf("experiment %s: %v", f.Experiment, f.Err)
	}
	return fmt.Sprintf("experiment %s, round %d: %v", f.Experiment, f.Round+1, f.Err)
}

func (f Failure) Unwrap() error { return f.Err }

// Run measures and returns what was found, also when ctx ended it early or
// workers failed. The caller fills in what Run can't know: the tool's version,
// the commit, the machine.
func (r *Runner) Run(ctx context.Context) (*result.Run, []Failure) {
	start := time.Now()
	plan := newSchedule(r.Mode, r.Experiments, r.Rounds)
	if r.Share > 0 {
		plan.share = r.Share
	}
	limited := ctx
	if r.For > 0 {
		plan.within(r.For)
		var cancel context.CancelFunc
		limited, cancel = context.WithDeadline(ctx, start.Add(r.For))
		defer cancel()
	}
	dropped := map[string]bool{}
	collectors := make([]*collector, len(r.Experiments))
	for i, e := range r.Experiments {
		collectors[i] = newCollector(e, r.Mode)
	}

	// The experiments take turns, so that an hour in which the machine is slow
	// hits all of them; in an order that is new for every round, so that none
	// always follows the same other.
	var failures []Failure
	cut := false // ctx left something out
	chance := rand.New(rand.NewPCG(r.Seed, 0x0d0e))
	rounds := plan.rounds
	for round := range plan.rounds {
		if plan.overdue(round, time.Since(start)) {
			rounds = round
			break
		}
		if r.For > 0 && round > 0 {
			elapsed := time.Since(start)
			if elapsed+elapsed/time.Duration(round) > r.For && round >= stats.Fewest || limited.Err() != nil && ctx.Err() == nil {
				rounds = round
				break
			}
			if names := plan.tooDear(r.Experiments, r.For-elapsed); round == 1 && len(names) > 0 {
				for _, name := range names {
					dropped[name] = true
				}
				if r.Say != nil {
					r.Say(fmt.Sprintf("no time for more than one process of %s within %v here; each by itself: seam lab %s", strings.Join(names, ", "), r.For, names[0]))
				}
			}
		}
		for _, i := range chance.Perm(len(r.Experiments)) {
			seed := chance.Uint64()
			if ctx.Err() != nil {
				cut = true
				continue
			}
			if dropped[r.Experiments[i].Name] {
				continue
			}
			if limited.Err() != nil {
				collectors[i].late = true
				continue
			}
			finished, err := r.once(limited, start, plan, collectors[i], round, seed)
			cut = cut || !finished && ctx.Err() != nil
			if err != nil {
				failures = append(failures, Failure{collectors[i].Name, round, err})
			}
		}
	}

	run := &result.Run{
		Started:     start,
		Mode:        r.Mode.String(),
		Seed:        r.Seed,
		Rounds:      rounds,
		LeftOut:     plan.rounds - rounds,
		Interrupted: cut,
	}
	for i, col := range collectors {
		e, empty := col.summarise(r.Seed, run.Interrupted)
		if !empty || !run.Interrupted {
			if err := explain(r.Experiments[i], &e); err != nil {
				failures = append(failures, Failure{e.Name, -1, err})
			}
		}
		if n := col.processes(); n < rounds && len(e.Findings) > 0 {
			e.Notes = append(e.Notes, fmt.Sprintf("The findings are from %d of %d processes.", n, rounds))
		}
		run.Experiments = append(run.Experiments, e)
	}
	run.Seconds = time.Since(start).Seconds()
	return run, failures
}

// explain lets the experiment comment on its figures. A bug there must not
// cost the user the figures.
func explain(e Experiment, found *result.Experiment) error {
	if e.Explain == nil {
		return nil
	}
	err := caught(func() error { e.Explain(found); return nil })
	if err != nil {
		err = fmt.Errorf("explaining the figures: %w", err)
		found.Notes = append(found.Notes, err.Error())
	}
	return err
}

// once runs one experiment in one process and collects what it reports. finished
// tells that the process was through with all of it.
func (r *Runner) once(ctx context.Context, start time.Time, s *schedule, col *collector, round int, seed uint64) (finished bool, err error) {
	timed, probes := s.next(col.Name)
	began := time.Now()
	defer func() { s.ended(col.Name, time.Since(began)) }()
	r.tell(start, began, s, col, round, "")

	order := spec{col.Name, r.Mode.String(), round, seed, timed, probes}
	var failed error
	err = runWorker(ctx, r.Worker(), order, time.Duration(float64(s.silence)*min(10, max(1, r.Busy))), func(e event) {
		switch e.Kind {
		case evBegin:
			r.tell(start, began, s, col, round, col.label(e.Case))
		case evProbed:
			s.probed(col.Name, e.Case, seconds(e.Seconds))
		case evDone:
			finished = true
		}
		if err := col.add(round, e); err != nil {
			failed = errors.Join(failed, err)
		}
	})
	switch {
	case ctx.Err() != nil && !finished:
		return false, failed // ended by us
	case ctx.Err() != nil:
		err = nil // the worker was through before it was ended
	case err == nil && !finished:
		err = errors.New("the worker ended before it was done")
	}
	if err != nil {
		col.died(round, err)
	} else {
		col.finished++
	}
	return finished, errors.Join(failed, err)
}

// tell reports progress.
func (r *Runner) tell(start, began time.Time, s *schedule, col *collector, round int, label string) {
	if r.Progress == nil {
		return
	}
	left := s.expect(col.Name) - time.Since(began)
	if s.strict {
		left = max(left, time.Duration(s.jobs)*s.share-time.Since(start))
	} else {
		later := time.Duration(0)
		for _, e := range r.Experiments {
			later += s.expect(e.Name)
		}
		left = max(left, 0) + later*time.Duration(s.jobs-s.done-1)/time.Duration(len(r.Experiments))
	}
	r.Progress(Progress{
		Round: round, Rounds: s.rounds, Experiment: col.Name, Label: label,
		Elapsed: time.Since(start), Left: max(left, 0),
	})
}

// seconds is a duration that a worker reported, at most a day.
func seconds(s float64) time.Duration {
	return time.Duration(min(max(s, 0), 24*60*60) * float64(time.Second))
}
