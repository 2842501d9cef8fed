package prof

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/pprof/profile"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// A note is the last that a process wrote about itself, beside its samples.
type note struct {
	begun            bool
	looks, someLooks int    // at all that waits, and at some threads
	ended            bool   // by itself
	blind            string // why it could not see C
	signal           string // what has been done to its handler of SIGPROF
	deaf             []deafThread
	own              int64              // nanoseconds of CPU time that recording took
	queued           int64              // nanoseconds that threads have waited for a processor
	files            []*profile.Mapping // with code, when it began
}

// deafThreads is what the name of a thread with SIGPROF blocked stands behind, in the place of its
// functions.
const deafThreads = "[thread "

// queue stands for the kernel's queue among what is waited for.
const queue = "[queue for a processor]"

// A deafThread had SIGPROF blocked.
type deafThread struct {
	id, name string
	cpu      int64
}

func (n note) deafCPU() (sum int64) {
	for _, t := range n.deaf {
		sum += t.cpu
	}
	return sum
}

func readNote(file string) (n note, err error) {
	text, err := os.ReadFile(file)
	for len(text) > 0 {
		piece, rest, ok := cut(text)
		if !ok {
			break // what follows was to replace it
		}
		text, n = rest, note{begun: true}
		for line := range strings.Lines(string(piece.profile)) {
			kind, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
			switch kind {
			case "path":
				path, reason, _ := strings.Cut(rest, " ")
				if path == "none" {
					n.blind = reason
				}
			case "signal":
				n.signal = rest
			case "map":
				if m := mappingOf(rest); m != nil {
					m.ID = uint64(len(n.files) + 1)
					n.files = append(n.files, m)
				}
			case "deaf":
				if words := strings.SplitN(rest, " ", 3); len(words) == 3 {
					cpu, _ := strconv.ParseInt(words[1], 10, 64)
					n.deaf = append(n.deaf, deafThread{words[0], words[2], cpu})
				}
			case "looks":
				_, _ = fmt.Sscan(rest, &n.looks, &n.someLooks) // else there were none
			case "own":
				n.own, _ = strconv.ParseInt(rest, 10, 64)
			case "queued":
				n.queued, _ = strconv.ParseInt(rest, 10, 64)
			case "ended":
				n.ended = true
			}
		}
	}
	return n, err
}

// mappingOf reads a line of /proc/self/maps.
func mappingOf(line string) *profile.Mapping {
	m := new(profile.Mapping)
	words := strings.SplitN(line, " ", 6) // a file's name may have spaces
	if len(words) < 6 {
		return nil
	}
	if n, _ := fmt.Sscanf(words[0]+" "+words[2], "%x-%x %x", &m.Start, &m.Limit, &m.Offset); n < 3 || m.Start >= m.Limit {
		return nil
	}
	if _, name, ok := strings.Cut(words[5], "/"); ok { // after the inode and blanks
		m.File = "/" + name
	} else if _, name, ok := strings.Cut(words[5], "["); ok {
		m.File = "[" + name
	}
	return m
}

// judge says what of a process is not there, and why.
func (r *reader) judge(what string, n note, pieces []*profile.Profile, cpu, sampled int64) {
	const least = 10 // samples that can't be missing by chance
	out := r.out
	switch unsampled := cpu - n.deafCPU(); {
	case len(pieces) == 0:
		r.empty = append(r.empty, what)
	case n.signal != "" && unsampled > sampled+least*pieces[0].Period:
		out.Gaps = append(out.Gaps, fmt.Sprintf("%s used %s of CPU time, and samples came for %s of it: %s. Samples need Go's handler of SIGPROF: leave the other one out, as a profiler of C that is linked in or preloaded",
			what, quantity.Time(float64(unsampled)), quantity.Time(float64(sampled)), n.signal))
	case sampled == 0 && unsampled > least*pieces[0].Period:
		out.Gaps = append(out.Gaps, fmt.Sprintf("%s used %s of CPU time, and no sample came of it: a handler of SIGPROF was there for a time, its timers were taken, or the system has none that count CPU time",
			what, quantity.Time(float64(unsampled))))
	case n.begun && !n.ended:
		r.unended = append(r.unended, what)
	}
	if n.queued > 0 && len(pieces) > 0 {
		out.Add([]Frame{{Func: queue, Kind: Kernel}}, nil, 0, n.queued)
	}
	const few, long = 10, 2 * time.Second
	if n.begun && n.looks < few && len(pieces) > 0 && lasted(pieces) > long {
		at := "how goroutines wait was looked at only " + quantity.Plural(n.looks, "time")
		if n.someLooks > 0 {
			at += fmt.Sprintf(", and at some of the threads alone %s", quantity.Plural(n.someLooks, "time"))
		}
		out.Notes = append(out.Notes, fmt.Sprintf("%s: %s, since it has so many goroutines and threads that more would take above a hundredth of a processor; a longer profile has more of them", what, at))
	}
	const much = 0.01
	for _, t := range n.deaf {
		if strings.HasPrefix(t.name, "seam-") {
			continue // package unwind's, which renews the tables
		}
		if float64(t.cpu) >= much*float64(cpu) && t.cpu >= int64(20*time.Millisecond) {
			out.Deaf += t.cpu
			out.Add([]Frame{{Func: deafThreads + t.name + "]", Kind: C}}, nil, t.cpu) // Go blocks SIGPROF in no thread that it runs code in
			out.Notes = append(out.Notes, fmt.Sprintf("thread %s (%s) of %s ran for %s with SIGPROF blocked: its time counts as C's, and its functions are not known; perf record -g has them",
				t.id, t.name, what, quantity.Time(float64(t.cpu))))
		}
	}
}

// lasted is how long pieces are of.
func lasted(pieces []*profile.Profile) (d time.Duration) {
	for _, p := range pieces {
		d += time.Duration(p.DurationNanos)
	}
	return d
}

// conclude says what several processes may have in common.
func (r *reader) conclude() {
	out := r.out
	if len(r.empty) > 0 {
		out.Lost = several(r.empty) + " has written nothing down: it ended by a signal, a panic or C's exit in its first hundredth of a second, or it could not (a limit on the size of files, a full disk, a sandbox: its line on standard error has the reason)"
	}
	for _, why := range r.blind {
		out.Blind = true
		out.Notes = append(out.Notes, "C was not seen ("+why+"): its time is that of the function which Go called, the crossing included")
	}
	if total := out.Total(0); float64(r.unknown) >= worth*float64(total) && r.unknown > 0 {
		out.Notes = append(out.Notes, share(r.unknown, total)+" % are in code that is in no file ("+fileless+"), as a compiler makes at run time, or of which the program could not read the file's name, without /proc")
	}
	if total := out.Total(0) + r.noting; r.noting > 0 && float64(r.noting) >= worth*float64(total) {
		out.Notes = append(out.Notes, fmt.Sprintf("%s more (%s %%) went to the profile itself, which notes for each call from C to Go where in C that was, and is left out; the calls take longer for it, so without a profile their crossing is less",
			quantity.Time(float64(r.noting)), share(r.noting, total)))
	}
	if len(r.unended) > 0 {
		out.Notes = append(out.Notes, several(r.unended)+" ended by a signal, a panic or C's exit, so the last of what it did is missing")
	}
}

func several(processes []string) string {
	if n := len(processes) - 1; n > 0 {
		return fmt.Sprintf("%s (and %d more)", processes[0], n)
	}
	return processes[0]
}

// withCallee puts the C function in front of a stack that ends in a call of it by cgo: a process that
// could not see C would have all of its time counted as the crossing.
func withCallee(stack []Frame) (with []Frame, changed bool) {
	for _, f := range stack {
		if callee := calleeOf(f); strings.HasPrefix(callee, "C.") {
			return slices.Concat([]Frame{{Func: callee, Kind: C}}, stack), true
		}
		if f.Kind != Crossing {
			break
		}
	}
	return stack, false
}
