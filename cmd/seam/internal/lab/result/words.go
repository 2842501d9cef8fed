package result

import (
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/stats"
)

// NotProven is what is said of a comparison that shows neither a difference nor equality.
const NotProven = "not proven here"

// Proven reports whether there is anything to say.
func (c *Comparison) Proven() bool {
	return c.Verdict != string(stats.Unproven) && c.Ratio > 0 && c.Lo > 0 && c.Lo < c.Hi
}

// Words is the comparison as every sentence has it: its ratio, its interval and its
// verdict, as in the table; or that there is none.
func (c *Comparison) Words() string {
	if !c.Proven() {
		return NotProven
	}
	return quantity.Ratio(c.Ratio) + " (" + quantity.Interval(c.Lo, c.Hi, "×") + "), " + c.verdict()
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
