package plan

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/weld/calltrace"
)

// Trace is the content of a trace and the name of its file.
type Trace struct {
	Name string
	File *calltrace.File
}

// union adds up what several traces say about each function, by its path. Where
// they disagree about its type, the newest is taken to match the code and the
// others are left out. Quantiles are those of all calls together or of one trace
// that alone has enough calls, whichever is more: a program's slow use must not
// drown in another one's quick use.
func union(traces []Trace, minCalls uint64) (map[string]*calltrace.Function, []string) {
	traces = slices.Clone(traces)
	slices.SortStableFunc(traces, func(a, b Trace) int { return a.File.Time.Compare(b.File.Time) })
	all := map[string]*calltrace.Function{}
	owner := map[string]string{} // the file that a type comes from
	var warnings []string
	for _, t := range traces {
		for i := range t.File.Functions {
			f := &t.File.Functions[i]
			path := f.Package + "." + f.Name
			sum := all[path]
			if sum != nil && sum.Signature != f.Signature {
				warnings = append(warnings, fmt.Sprintf("%s: %s is %s here and %s in %s, which is older and not used",
					t.Name, path, f.Signature, sum.Signature, owner[path]))
				sum = nil
			}
			owner[path] = t.Name
			if sum == nil {
				sum = new(calltrace.Function)
				*sum = *f
				sum.Callers = slices.Clone(f.Callers)
				sum.Histogram = slices.Clone(f.Histogram)
				sum.Waits = slices.Clone(f.Waits)
				if f.Calls < minCalls {
					sum.P50NS, sum.P99NS, sum.P999NS = 0, 0, 0
				}
				all[path] = sum
				continue
			}
			add(sum, f, minCalls)
		}
	}
	for _, f := range all {
		at := func(share float64) uint64 { return min(quantile(f.Histogram, f.Calls, share), f.MaxNS) }
		f.P50NS, f.P99NS, f.P999NS = max(f.P50NS, at(0.5)), max(f.P99NS, at(0.99)), max(f.P999NS, at(0.999))
	}
	return all, warnings
}

// add adds up what two traces say of a function. calltrace adds up the same counters of
// threads and processes, but has whole histograms where traces have quantiles.
func add(sum, f *calltrace.Function, minCalls uint64) {
	if calls := sum.Calls + f.Calls; calls > 0 {
		// The crossing is a mean.
		sum.CrossingNS = (sum.CrossingNS*float64(sum.Calls) + f.CrossingNS*float64(f.Calls)) / float64(calls)
	}
	if f.Calls >= minCalls {
		sum.P50NS, sum.P99NS, sum.P999NS = max(sum.P50NS, f.P50NS), max(sum.P99NS, f.P99NS), max(sum.P999NS, f.P999NS)
	}
	sum.Between = addBetween(stretches(sum), stretches(f), sum.Callbacks+f.Callbacks > 0)
	sum.Calls += f.Calls
	sum.TotalNS += f.TotalNS
	sum.Callbacks += f.Callbacks
	sum.CallbackNS += f.CallbackNS
	sum.Examined += f.Examined
	sum.Blocked += f.Blocked
	sum.Preempted += f.Preempted
	sum.Abandoned += f.Abandoned
	sum.Unfinished += f.Unfinished
	sum.MaxNS, sum.MaxBusyNS = max(sum.MaxNS, f.MaxNS), max(sum.MaxBusyNS, f.MaxBusyNS)
	sum.BlockedNS += f.BlockedNS
	sum.Looks += f.Looks
	sum.Running += f.Running
	sum.StackBytes = max(sum.StackBytes, f.StackBytes)
	sum.Waits = append(sum.Waits, f.Waits...)
	sum.Callers = append(sum.Callers, f.Callers...)
	sum.MaxThreads = max(sum.MaxThreads, f.MaxThreads)
	sum.Histogram = addBins(sum.Histogram, f.Histogram)
}

// stretches is a function by stretches of C; nil if it called Go and the trace doesn't tell.
func stretches(f *calltrace.Function) *calltrace.Between {
	switch {
	case f.Between != nil:
		return f.Between
	case f.Callbacks+f.Abandoned > 0:
		return nil
	}
	return &calltrace.Between{
		Stretches: f.Calls, MaxNS: f.MaxNS, MaxBusyNS: f.MaxBusyNS,
		Blocked: f.Blocked, BlockedNS: f.BlockedNS, Preempted: f.Preempted, Histogram: f.Histogram,
	}
}

func addBetween(a, b *calltrace.Between, callsGo bool) *calltrace.Between {
	if a == nil || b == nil || !callsGo {
		return nil
	}
	sum := &calltrace.Between{
		Callbacks: a.Callbacks + b.Callbacks, Stretches: a.Stretches + b.Stretches,
		MaxNS: max(a.MaxNS, b.MaxNS), MaxBusyNS: max(a.MaxBusyNS, b.MaxBusyNS),
		Blocked: a.Blocked + b.Blocked, BlockedNS: a.BlockedNS + b.BlockedNS, Preempted: a.Preempted + b.Preempted,
		Histogram: addBins(a.Histogram, b.Histogram),
	}
	at := func(share float64) uint64 { return min(quantile(sum.Histogram, sum.Stretches, share), sum.MaxNS) }
	sum.P50NS, sum.P99NS, sum.P999NS = at(0.5), at(0.99), at(0.999)
	return sum
}

func addBins(a, b []calltrace.Bin) []calltrace.Bin {
	all := append(slices.Clone(a), b...)
	slices.SortFunc(all, func(x, y calltrace.Bin) int { return cmp.Compare(x.UpToNS, y.UpToNS) })
	var sum []calltrace.Bin
	for _, bin := range all {
		if n := len(sum); n > 0 && sum[n-1].UpToNS == bin.UpToNS {
			sum[n-1].Calls += bin.Calls
		} else {
			sum = append(sum, bin)
		}
	}
	return sum
}

// quantile is the upper end of the bin where share of the calls is reached; 0
// without a histogram.
func quantile(bins []calltrace.Bin, calls uint64, share float64) uint64 {
	seen := uint64(0)
	for _, b := range bins {
		seen += b.Calls
		if float64(seen) >= share*float64(calls) {
			return b.UpToNS
		}
	}
	if len(bins) == 0 {
		return 0
	}
	return bins[len(bins)-1].UpToNS
}

// Made is what the traces of a plan were made by, and what is now: a plan that is
// made from another Go, system or code may not fit.
type Made struct{ Go, OS, Arch string }

// differences says what speaks against using a trace today.
func (m Made) differences(t Trace, code []Code) []string {
	var list []string
	if build := buildOf(t.File, code); build != "" && t.File.Build != "" && build != t.File.Build {
		list = append(list, fmt.Sprintf("%s: made from another build: the Go files that call C have changed since, or other build flags are used", t.Name))
	}
	if gaps := t.File.Gaps(); len(gaps) > 0 {
		list = append(list, fmt.Sprintf("%s: incomplete, so calls may have waited that it doesn't show: %s", t.Name, strings.Join(gaps, "; ")))
	}
	if t.File.Failed != "" {
		list = append(list, fmt.Sprintf("%s: the traced command failed (%s): the trace is partial, and functions that would have been called later are missing in it", t.Name, t.File.Failed))
	}
	if f := t.File; f.Go != "" && m.Go != "" && f.Go != m.Go {
		list = append(list, fmt.Sprintf("%s: made with %s, and this is %s: crossings may cost more or less", t.Name, f.Go, m.Go))
	}
	if f := t.File; m.OS != "" && f.OS != "" && (f.OS != m.OS || f.Arch != m.Arch) {
		list = append(list, fmt.Sprintf("%s: made on %s/%s, and this is %s/%s: C may be faster or slower here",
			t.Name, f.OS, f.Arch, m.OS, m.Arch))
	}
	return list
}

// buildOf is what [calltrace.File.Build] of a trace with the same functions would
// be now; "" if the code has not all packages of the trace.
func buildOf(f *calltrace.File, code []Code) string {
	builds := map[string]string{}
	for _, c := range code {
		builds[c.Package.ImportPath] = c.Build
	}
	h := sha256.New()
	for _, x := range f.Functions {
		if builds[x.Package] == "" {
			return ""
		}
		fmt.Fprintf(h, "%q %q %q %q\n", x.Package, builds[x.Package], x.Name, x.Signature)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// origin is a line of the plan's head about a trace.
func origin(t Trace) string {
	f := t.File
	text := fmt.Sprintf("trace %s: %s %s/%s", t.Name, f.Go, f.OS, f.Arch)
	if !f.Time.IsZero() {
		text += f.Time.UTC().Format(", 2006-01-02 15:04 UTC")
	}
	if len(f.Command) > 0 {
		command := strings.Join(f.Command, " ")
		if len(command) > 200 {
			command = strings.ToValidUTF8(command[:200], "") + "…"
		}
		text += ", " + command
	}
	return text
}
