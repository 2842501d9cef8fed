package result

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/stats"
)

// Check tells the first thing in a run that a reader would stumble over.
func (r *Run) Check() error {
	if err := numbers("run", num{"seconds", r.Seconds}, num{"load", r.Machine.Load}); err != nil {
		return err
	}
	if err := counts("run", count{"rounds", r.Rounds}, count{"cores", r.Machine.Cores}); err != nil {
		return err
	}
	seen := map[string]bool{}
	for i := range r.Experiments {
		e := &r.Experiments[i]
		if e.Name == "" || seen[e.Name] {
			return fmt.Errorf("experiment %d: name %q is empty or not the first of its kind", i, e.Name)
		}
		seen[e.Name] = true
		if err := e.check(); err != nil {
			return fmt.Errorf("experiment %s: %w", e.Name, err)
		}
	}
	return nil
}

func (e *Experiment) check() error {
	if err := counts("experiment", count{"rounds", e.Rounds}); err != nil {
		return err
	}
	seen := map[[2]string]bool{}
	for i := range e.Series {
		s := &e.Series[i]
		key := [2]string{s.Name, s.Unit}
		if !isToken(s.Name) || !isToken(s.Unit) && s.NotMeasured == "" {
			return fmt.Errorf("series %d: name %q and unit %q must be words without spaces", i, s.Name, s.Unit)
		}
		if seen[key] {
			return fmt.Errorf("series %s (%s) appears twice", s.Name, s.Unit)
		}
		seen[key] = true
		if err := s.check(fmt.Sprintf("series %s (%s)", s.Name, s.Unit)); err != nil {
			return err
		}
	}
	for _, name := range e.Yardsticks {
		if !slices.ContainsFunc(e.Series, func(s Series) bool { return s.Name == name }) {
			return fmt.Errorf("yardstick %q is no series", name)
		}
	}
	for i := range e.Profiles {
		p := &e.Profiles[i]
		if e.Profile(p.Name) != p {
			return fmt.Errorf("profile %q appears twice", p.Name)
		}
		if err := p.Check(); err != nil {
			return fmt.Errorf("profile %s: %w", p.Name, err)
		}
	}
	for _, list := range []struct {
		what string
		all  []Comparison
	}{{"comparison", e.Comparisons}, {"control", e.Controls}} {
		for i := range list.all {
			c := &list.all[i]
			if err := c.check(fmt.Sprintf("%s %q with %q", list.what, c.Name, c.Base)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Series) check(where string) error {
	if ref := s.Reference; ref != nil {
		if err := numbers(where, num{"reference", ref.Value}); err != nil {
			return err
		}
	}
	if s.NotMeasured != "" {
		if len(s.Samples) > 0 {
			return fmt.Errorf("%s: not measured, yet with %d samples", where, len(s.Samples))
		}
		return numbers(where, num{"median", s.Median}, num{"lo", s.Lo}, num{"hi", s.Hi})
	}
	if err := inside(where, "median", s.Median, s.Lo, s.Hi); err != nil {
		return err
	}
	outliers := 0
	for i, x := range s.Samples {
		at := fmt.Sprintf("%s: sample %d", where, i)
		if err := numbers(at, num{"value", x.Value}); err != nil {
			return err
		}
		if err := counts(at, count{"round", x.Round}, count{"block", x.Block}, count{"n", x.N}); err != nil {
			return err
		}
		if x.Outlier {
			outliers++
		}
	}
	if err := counts(where, count{"outliers", s.Outliers}); err != nil {
		return err
	}
	if len(s.Samples) > 0 && outliers != s.Outliers {
		return fmt.Errorf("%s: outliers is %d, but %d samples are marked", where, s.Outliers, outliers)
	}
	return nil
}

func (c *Comparison) check(where string) error {
	if c.Name == "" || c.Base == "" {
		return fmt.Errorf("%s: both need a name", where)
	}
	if err := counts(where, count{"blocks", c.Blocks}); err != nil {
		return err
	}
	switch stats.Verdict(c.Verdict) {
	case stats.Faster, stats.Slower, stats.Same, stats.Unproven:
	default:
		return fmt.Errorf("%s: verdict %q, want faster, slower, same or unproven", where, c.Verdict)
	}
	if c.Ratio < 0 || c.Lo < 0 {
		return fmt.Errorf("%s: ratio %v from %v is below 0", where, c.Ratio, c.Lo)
	}
	if c.Finds != 0 && !(c.Finds >= 1) {
		return fmt.Errorf("%s: finds %v is below 1", where, c.Finds)
	}
	if err := numbers(where, num{"finds", c.Finds}); err != nil {
		return err
	}
	if c.Lo == 0 && c.Hi == 0 { // no interval
		return numbers(where, num{"ratio", c.Ratio})
	}
	return inside(where, "ratio", c.Ratio, c.Lo, c.Hi)
}

// isToken reports whether s can be a name or a unit in the benchmark format.
func isToken(s string) bool { return s != "" && !strings.ContainsAny(s, " \t\r\n") }

type num struct {
	name  string
	value float64
}

func numbers(where string, list ...num) error {
	for _, n := range list {
		if math.IsNaN(n.value) || math.IsInf(n.value, 0) {
			return fmt.Errorf("%s: %s is %v, want a finite number", where, n.name, n.value)
		}
	}
	return nil
}

type count struct {
	name  string
	value int
}

func counts(where string, list ...count) error {
	for _, c := range list {
		if c.value < 0 {
			return fmt.Errorf("%s: %s is %d, want 0 or more", where, c.name, c.value)
		}
	}
	return nil
}

func inside(where, name string, value, lo, hi float64) error {
	if err := numbers(where, num{name, value}, num{"lo", lo}, num{"hi", hi}); err != nil {
		return err
	}
	if lo > value || value > hi {
		return fmt.Errorf("%s: %s %v is not within its interval [%v, %v]", where, name, value, lo, hi)
	}
	return nil
}
