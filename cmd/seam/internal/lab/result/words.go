package result

import (
	"math"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/stats"
)

// Undecided is said where neither a difference nor equality is proven: how large a difference
// would have been found, or that a single process shows nothing of others.
func Undecided(finds float64) string {
	switch {
	case finds <= 1:
		return undecided
	case finds > tooNoisy:
		return undecided + ", too noisy"
	}
	return undecided + " below " + Factor(finds)
}

// tooNoisy is the smallest difference from which on its size tells nobody anything.
const tooNoisy = 10

const undecided = "undecided"

// Factor is a smallest difference, rounded up: 1.07×, 2.4×.
func Factor(f float64) string {
	step := 0.01
	if f >= 2 {
		step = 0.1
	}
	return quantity.Tick(math.Ceil(f/step-1e-9)*step, "×")
}

// Proven reports whether there is anything to say.
func (c *Comparison) Proven() bool {
	return c.Verdict != string(stats.Unproven) && c.Ratio > 0 && c.Lo > 0 && c.Lo < c.Hi
}

// Words is the comparison as every sentence has it: its ratio, its interval and its
// verdict, as in the table; or that there is none.
func (c *Comparison) Words() string {
	if !c.Proven() {
		return Undecided(c.Finds)
	}
	return quantity.Ratio(c.Ratio) + " (" + quantity.Interval(c.Lo, c.Hi, "×") + "), " + c.verdict()
}

// Cell is the verdict as a table has it.
func (c *Comparison) Cell() string {
	if !c.Proven() {
		return Undecided(c.Finds)
	}
	return c.verdict()
}

// verdict says it of a time, or of a thing of which there is more or less.
func (c *Comparison) verdict() string {
	time := strings.Contains(c.Unit, "ns")
	switch stats.Verdict(c.Verdict) {
	case stats.Faster:
		if time {
			return "faster"
		}
		return "less"
	case stats.Slower:
		if time {
			return "slower"
		}
		return "more"
	}
	return "the same"
}

// vague is how many times the lower end of a median's interval the upper may be until the
// median itself says more than is known.
const vague = 3

// Vague reports whether the processes leave open what the median is.
func (s *Series) Vague() bool { return s.Lo > 0 && s.Hi > vague*s.Lo }
