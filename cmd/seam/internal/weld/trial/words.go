package trial

import (
	"fmt"
	"math"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/stats"
)

// Speedup says how many times as fast the welded program is: 2 is half the time. Of one
// pair there is no interval: Lo and Hi are 0.
type Speedup struct {
	Ratio float64 `json:"ratio"`
	Lo    float64 `json:"lo,omitempty"`
	Hi    float64 `json:"hi,omitempty"`
}

func speedup(c stats.Comparison) Speedup {
	if c.Ratio == 0 {
		return Speedup{}
	}
	s := Speedup{Ratio: 1 / c.Ratio}
	if c.Lo > 0 && c.Hi > 0 {
		s.Lo, s.Hi = 1/c.Hi, 1/c.Lo
	}
	return s
}

// words is a verdict: "1.31× faster".
func words(c stats.Comparison) string {
	s := speedup(c)
	switch c.Verdict {
	case stats.Faster:
		return fmt.Sprintf("%.2f× faster", s.Ratio)
	case stats.Slower:
		return fmt.Sprintf("%.2f× slower", 1/s.Ratio)
	case stats.Same:
		return "the same"
	}
	if c.Finds > 1 && c.Finds <= 10 {
		return "undecided below " + fmt.Sprintf("%.2f×", c.Finds)
	}
	return "undecided"
}

// Overall is the comparison of all rows.
func (r *Result) Overall() stats.Comparison {
	if len(r.Rows) == 1 {
		return r.Rows[0].Comparison
	}
	return r.Mean
}

// Gain is what all rows together have gained: "1.66× faster (1.53–1.82×), geometric mean of 4
// benchmarks, 3 of them faster and none slower".
func (r *Result) Gain() string {
	all := r.Overall()
	text := fmt.Sprintf("%s (%s)", words(all), interval(all))
	if all.Verdict != stats.Faster && all.Verdict != stats.Slower {
		text = fmt.Sprintf("%s: %.2f× (%s)", words(all), speedup(all).Ratio, interval(all))
	}
	if len(r.Rows) == 1 {
		return text
	}
	count := map[stats.Verdict]int{}
	for _, row := range r.Rows {
		count[row.Verdict]++
	}
	return fmt.Sprintf("%s, geometric mean of %d benchmarks: %d faster, %d slower", text, len(r.Rows), count[stats.Faster], count[stats.Slower])
}

// interval is that of the speedup, or of the slowdown where that is the word. Ends that are more
// than ten times away, as few rounds on a busy machine give, are only said to be.
func interval(c stats.Comparison) string {
	s := speedup(c)
	if s.Hi == 0 {
		return quantity.Missing
	}
	if c.Verdict == stats.Slower {
		s = Speedup{1 / s.Ratio, 1 / s.Hi, 1 / s.Lo}
	}
	lo, hi := fmt.Sprintf("%.2f", s.Lo), fmt.Sprintf("%.2f×", s.Hi)
	if least := s.Ratio / 10; s.Lo < least {
		lo = fmt.Sprintf("<%.2f", least)
	}
	if most := 10 * s.Ratio; s.Hi > most {
		hi = fmt.Sprintf(">%.0f×", most)
	}
	return lo + "–" + hi
}

// Verdict is the result in a few sentences.
func (r *Result) Verdict() string {
	return strings.Join(append([]string{r.proven()}, r.Caveats("measure again with more --rounds")...), " ")
}

// Caveats are sentences about what is dearer, and what isn't known; again says what would tell more.
func (r *Result) Caveats(again string) (list []string) {
	if more := r.moreMemory(); more != "" {
		line := "It takes more memory: " + more + "."
		if r.fewerThreads() != "" {
			line += " Where parked calls have deep stacks, a bound may save both: threads: 16 in the plan, in place of the park lines."
		}
		list = append(list, line)
	}
	differs := "differs"
	if r.Noise.Lo <= 1 && r.Noise.Hi >= 1 {
		differs = "may differ" // so few rounds don't exclude it
	}
	switch doubtful, all := r.withinNoise(); {
	case len(doubtful) == 0:
	case all:
		list = append(list, fmt.Sprintf("But the plain program %s from itself by as much (%s): %s.", differs, r.noise(), again))
	default:
		list = append(list, fmt.Sprintf("But the plain program %s from itself by as much as %s does (%s): %s.", differs, quantity.First(doubtful, 2), r.noise(), again))
	}
	return list
}

// withinNoise lists the rows whose proven difference is no larger than the plain program's from itself, and reports
// whether that is so of all that is proven.
func (r *Result) withinNoise() (doubtful []string, all bool) {
	if r.Noise.Lo <= 0 {
		return nil, false // a single round tells nothing
	}
	most, proven := max(math.Log(r.Noise.Hi), -math.Log(r.Noise.Lo)), 0
	for _, row := range r.Rows {
		if row.Verdict == stats.Faster || row.Verdict == stats.Slower {
			proven++
			if math.Abs(math.Log(row.Ratio)) <= most {
				doubtful = append(doubtful, r.label(row))
			}
		}
	}
	return doubtful, len(doubtful) == proven
}

// noise is the interval of the plain program against itself.
func (r *Result) noise() string {
	n := r.Noise
	n.Verdict = "" // an interval of the speedup always
	return interval(n)
}

// proven is what the rows show, each by its own pairs.
func (r *Result) proven() string {
	count := map[stats.Verdict]int{}
	for _, row := range r.Rows {
		count[row.Verdict]++
	}
	n := len(r.Rows)
	what := func(k int) string {
		if n == 1 {
			return "It is"
		}
		if k == 1 {
			return fmt.Sprintf("1 of %d is", n)
		}
		return fmt.Sprintf("%d of %d are", k, n)
	}
	switch fewer := r.fewerThreads(); {
	case fewer != "" && count[stats.Slower] > 0:
		return fmt.Sprintf("%s proven slower, with fewer threads (%s): use this plan if threads are what is to be saved, as where C waits for many clients.", what(count[stats.Slower]), fewer)
	case fewer != "" && count[stats.Faster] == 0:
		return fmt.Sprintf("Fewer threads (%s), and no difference in time was found.", fewer)
	case count[stats.Slower] > 0 && count[stats.Faster] > 0:
		return fmt.Sprintf("%s proven faster and %d slower: look at what is slower before you use this plan.", what(count[stats.Faster]), count[stats.Slower])
	case count[stats.Slower] > 0:
		return fmt.Sprintf("%s proven slower, and none faster: don't use this plan.", what(count[stats.Slower]))
	case count[stats.Faster] == n:
		return "Welding pays: everything that was measured is faster."
	case count[stats.Faster] > 0:
		return fmt.Sprintf("Welding pays: %s proven faster, and none slower.", what(count[stats.Faster]))
	case count[stats.Same] == n:
		return "Nothing to gain here: both programs take the same time."
	}
	return "No difference was found: more --rounds, or a machine that does less else, narrow the intervals."
}

// fewerThreads is the largest change of a row that takes half as many threads or less, and so at
// least 8 fewer; "" if there is none.
func (r *Result) fewerThreads() string {
	found, most := "", 8.0
	for _, row := range r.Rows {
		before, _ := row.Median(Cgo, Threads)
		after, ok := row.Median(Weld, Threads)
		if saved := before - after; ok && after > 0 && after <= before/2 && saved >= most {
			found, most = row.change(Threads), saved
		}
	}
	return found
}

// grown is how much more memory is worth a sentence.
const grown = 1.1

// moreMemory is the largest growth of a row that is proven; "" if there is none.
func (r *Result) moreMemory() string {
	found, most := "", grown
	for _, row := range r.Rows {
		if row.Memory.Verdict == stats.Slower && row.Memory.Lo > 1 && row.Memory.Ratio > most {
			found, most = fmt.Sprintf("%s (%.2f×)", row.change(Memory), row.Memory.Ratio), row.Memory.Ratio
		}
	}
	return found
}

// figure is a median in a unit, for people.
func figure(v float64, unit string) string {
	switch unit {
	case Time, CPU:
		return quantity.Time(v * 1e9)
	case Memory, Bytes:
		return quantity.Bytes(v)
	}
	return quantity.Tick(math.Round(v), "")
}

// change is a figure before and after, once if they are the same to people; "" if neither
// side has it.
func (r *Row) change(unit string) string {
	before, ok := r.Median(Cgo, unit)
	after, also := r.Median(Weld, unit)
	if !ok || !also {
		return ""
	}
	// The kernel counts pages in batches, and threads come as the machine has time.
	if unit == Memory && math.Abs(after-before) < 0.05*before || unit == Threads && math.Abs(after-before) < 1 {
		after = before
	}
	a, b := figure(before, unit), figure(after, unit)
	if a == b {
		return a
	}
	return a + " → " + b
}
