package outside

import (
	"fmt"
	"io"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/text"
)

// WriteText says what was seen, and what follows from it.
func (r *Report) WriteText(to io.Writer, o text.Options) error {
	w := text.New(to, o)
	w.Line(text.Bold, fmt.Sprintf("Process %d (%s, %s): %s of processor time in %s, %s.",
		r.PID, r.Program, r.Go, quantity.Time(float64(r.CPU)), quantity.Time(float64(r.Long)), quantity.Plural(r.Samples.All, "sample")))
	s := r.Samples
	lo, hi := r.Crossings()
	w.Line(text.Plain, fmt.Sprintf("Crossings between Go and C took %s of it: to C and back %s, callbacks %s, cgo's checks of pointers %s.",
		percent(lo, hi), r.percent(s.Out), r.percent(s.Back), r.percent(s.Checks)))
	if s.Perhaps > 0 {
		w.Line(text.Plain, fmt.Sprintf("Of %s it can't be seen whether it was that or a system call of Go's; the upper end has it.", r.percent(s.Perhaps)))
	}
	w.Line(text.Plain, "C itself took "+r.percent(s.C)+".")
	w.Line(text.Plain, r.counted())
	for _, note := range r.notes() {
		w.Line(text.Caution, "Note: "+note+".")
	}
	w.Line(text.Bold, r.Verdict())
	return w.Flush()
}

// Verdict says what welding can bring at most.
func (r *Report) Verdict() string {
	_, hi := r.Crossings()
	switch {
	case r.Welded:
		return "It is a welded program: these crossings are those that seam weld has left."
	case !r.Worth():
		return fmt.Sprintf("Not worth it by these samples: without any crossing it would take at most %s less processor time. Memory that arguments of C calls take from Go's heap is not in that.", percent(hi, hi))
	}
	return fmt.Sprintf("By these samples seam weld can save at most %s of the processor time (%.2f× as fast), and that much only if all these calls are short and their functions can be welded. Memory that arguments of C calls take from Go's heap is not in that. What it saves is for a comparison to say: seam try with benchmarks or a program that ends, seam weld --compare --load with a server.", percent(hi, hi), 1/(1-min(hi, 0.99)))
}

// counted says what the runtime has counted.
func (r *Report) counted() string {
	if !r.Counted {
		return "How many calls of C that were is not known: it takes debug information (a link without -ldflags=-w) to know where Go counts them, and the right to read the process's memory. Callbacks are counted nowhere."
	}
	text := fmt.Sprintf("%s calls of C a second", quantity.Compact(float64(r.Calls)/max(r.Long.Seconds(), 1e-9)))
	if len(r.InC) > 0 {
		sum := 0.0
		for _, n := range r.InC {
			sum += n
		}
		text += fmt.Sprintf("; %.1f threads in C on average, %.0f at most in %d looks", sum/float64(len(r.InC)), slices.Max(r.InC), len(r.InC))
	}
	return text + ". Callbacks are counted nowhere."
}

func (r *Report) notes() (list []string) {
	if r.User {
		list = append(list, "this kernel doesn't let the time in system calls be sampled (perf_event_paranoid); what crossings take there is not in their share")
	}
	if r.Missed > 0 {
		list = append(list, quantity.Plural(r.Missed, "sample")+" were lost for want of room")
	}
	if r.Unseen > 0 {
		list = append(list, quantity.Plural(r.Unseen, "thread")+" could not be sampled")
	}
	if r.Ended {
		list = append(list, "the process ended before the time was over")
	}
	return list
}

func (r *Report) percent(n int) string {
	return percent(r.share(n, n))
}

// percent is a range of shares.
func percent(lo, hi float64) string {
	digits := func(v float64) string {
		switch v *= 100; {
		case v >= 10:
			return fmt.Sprintf("%.0f", v)
		case v >= 1:
			return fmt.Sprintf("%.1f", v)
		case v < 0.005:
			return "0"
		}
		return fmt.Sprintf("%.2f", v)
	}
	if lo == hi {
		return digits(hi) + " %"
	}
	return digits(lo) + "–" + digits(hi) + " %"
}
