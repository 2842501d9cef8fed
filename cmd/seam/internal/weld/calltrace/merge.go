package calltrace

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/weld/recording"
)

// maxCallers is how many stacks of a function a File keeps.
const maxCallers = 256

// OtherCallers is the function of the only frame of what stands for all stacks
// that a trace has no room for.
const OtherCallers = "[other callers]"

// Merge makes one File of the records of all processes. The fields that tell of
// the run and not of the calls are for the caller to fill in: Seam, OS, Arch,
// CPU, Module, Command, Time.
func Merge(records []*Record) *File {
	f := &File{Processes: []Process{}, Functions: []Function{}}
	var sums recording.Ordered[[2]string, sum]
	calls, overhead := 0.0, 0.0
	var prices []float64
	for _, r := range records {
		f.Processes = append(f.Processes, Process{
			Exe: r.Exe, PID: r.PID, Start: r.Start, WallNS: r.WallNS, CPUNS: r.CPUNS, LostCalls: r.LostCalls, LostStacks: r.LostStacks,
			Incomplete: r.gaps(),
		})
		if r.Go != "" {
			f.Go = r.Go
		}
		f.NoSwitches = f.NoSwitches || r.NoSwitches
		f.NoWaits = f.NoWaits || r.NoWaits
		if r.CallbackNS > 0 {
			prices = append(prices, r.CallbackNS)
		}
		mine := 0.0
		for i := range r.Functions {
			x := &r.Functions[i]
			sums.At([2]string{x.Package, x.Name}, sum{}).add(x)
			mine += float64(total(x.Bins))
		}
		calls += mine
		overhead += mine*(r.EmptyNS+stubNS) + float64(r.SamplesNS)
	}
	if calls > 0 {
		f.OverheadNS = math.Round(overhead/calls*10) / 10
	}
	if len(prices) > 0 {
		slices.Sort(prices)
		f.CallbackCrossingNS = math.Round(prices[len(prices)/2]*10) / 10
	}
	slices.SortFunc(sums.List, func(a, b *sum) int {
		return cmp.Or(cmp.Compare(a.Package, b.Package), cmp.Compare(a.Name, b.Name))
	})
	build := sha256.New()
	for _, s := range sums.List {
		fmt.Fprintf(build, "%q %q %q %q\n", s.Package, s.Build, s.Name, s.Signature)
		f.Functions = append(f.Functions, s.function())
	}
	f.Build = hex.EncodeToString(build.Sum(nil)[:8])
	return f
}

// stubNS is what the decision in the Go stub takes that a call is not timed
// from there: a load and an addition of its own cache line.
const stubNS = 3

// sum is one function in several processes.
type sum struct {
	FunctionRecord
	callers recording.Ordered[string, CallerRecord]
	waits   waits
}

func (s *sum) add(x *FunctionRecord) {
	f := &s.FunctionRecord
	f.Package, f.Name, f.Signature, f.Build = x.Package, x.Name, x.Signature, x.Build
	f.counters.add(x.counters)
	f.MaxThreads = max(f.MaxThreads, x.MaxThreads)
	f.Crossing = plus(f.Crossing, x.Crossing)
	for _, w := range x.Waits {
		s.waits.add(w)
	}
	for _, c := range x.Callers {
		c.Stack, _ = recording.Tidy(c.Stack)
		known := s.callers.At(fmt.Sprint(c.Stack), CallerRecord{Stack: c.Stack})
		known.Calls += c.Calls
		known.NS += c.NS
	}
}

func plus[N uint32 | uint64](a *[bins]uint64, b *[bins]N) *[bins]uint64 {
	if b == nil {
		return a
	}
	if a == nil {
		a = new([bins]uint64)
	}
	for i, n := range b {
		a[i] += uint64(n)
	}
	return a
}

func total(h *[bins]uint64) (n uint64) {
	if h != nil {
		for _, c := range h {
			n += c
		}
	}
	return n
}

// function works out what a File says.
func (s *sum) function() Function {
	ended := total(s.Bins)
	f := Function{
		Package: s.Package, Name: s.Name, Signature: s.Signature,
		Calls: ended + s.Unfinished, TotalNS: s.TotalNS, MaxNS: s.MaxNS, MaxBusyNS: s.MaxBusyNS,
		P50NS: quantile(s.Bins, ended, 0.5, s.MaxNS), P99NS: quantile(s.Bins, ended, 0.99, s.MaxNS),
		P999NS:    quantile(s.Bins, ended, 0.999, s.MaxNS),
		Callbacks: s.Callbacks, CallbackNS: s.CallbackNS, Examined: s.Judged, Blocked: s.Blocked, Preempted: s.Preempted,
		MaxThreads: int(s.MaxThreads), Abandoned: s.Abandoned, Unfinished: s.Unfinished,
		CrossingNS: math.Round(trimmedMean(s.Crossing)*10) / 10,
		Histogram:  histogram(s.Bins), Callers: []Caller{},
		BlockedNS: s.BlockedNS,
	}
	if b := s.Between; b != nil {
		n := total(b.Bins)
		f.Between = &Between{
			Callbacks: b.Callbacks, Stretches: n,
			P50NS: quantile(b.Bins, n, 0.5, b.MaxNS), P99NS: quantile(b.Bins, n, 0.99, b.MaxNS), P999NS: quantile(b.Bins, n, 0.999, b.MaxNS),
			MaxNS: b.MaxNS, MaxBusyNS: b.MaxBusyNS, Blocked: b.Blocked, BlockedNS: b.BlockedNS, Preempted: b.Preempted,
			Histogram: histogram(b.Bins),
		}
	}
	f.Looks, f.Running, f.StackBytes, f.Waits = s.waits.done()
	f.Callers = s.scaled(f.Calls, float64(f.TotalNS)+f.CrossingNS*float64(f.Calls))
	return f
}

func histogram(h *[bins]uint64) []Bin {
	list := []Bin{}
	if h != nil {
		for i, n := range h {
			if n > 0 {
				list = append(list, Bin{UpToNS: binEnd(i), Calls: n})
			}
		}
	}
	return list
}

// quantile is the upper end of the bin that the q-quantile lies in, and at most
// the largest value.
func quantile(h *[bins]uint64, n uint64, q float64, most uint64) uint64 {
	if n == 0 {
		return 0
	}
	rank := max(1, uint64(math.Ceil(q*float64(n))))
	seen := uint64(0)
	for i, c := range h {
		if seen += c; seen >= rank {
			if i == bins-1 {
				break
			}
			return min(binEnd(i), most)
		}
	}
	return most
}

// trimmedMean is the mean of a histogram without its lowest and highest
// twentieth: when a thread loses the processor during one of the few calls that
// are timed from Go, that says nothing about the other calls.
func trimmedMean(h *[bins]uint64) float64 {
	n := total(h)
	if n == 0 {
		return 0
	}
	cut := float64(n) / 20
	low, high := cut, float64(n)-cut
	seen, sum := 0.0, 0.0
	for i, c := range h {
		from, to := max(seen, low), min(seen+float64(c), high)
		if to > from {
			sum += (to - from) * (float64(binStart(i)) + float64(binEnd(i))) / 2
		}
		seen += float64(c)
	}
	return sum / (high - low)
}

// scaled makes the sampled callers account for all calls and all their time.
func (s *sum) scaled(calls uint64, ns float64) []Caller {
	list := make([]*CallerRecord, 0, len(s.callers.List))
	weight, time := 0.0, 0.0
	for _, c := range s.callers.List {
		if c.Calls > 0 { // a stack may be known and its first sample not yet counted
			list = append(list, c)
			weight += float64(c.Calls)
			time += float64(c.NS)
		}
	}
	slices.SortFunc(list, func(a, b *CallerRecord) int {
		return cmp.Or(cmp.Compare(b.NS, a.NS), cmp.Compare(b.Calls, a.Calls), slices.CompareFunc(a.Stack, b.Stack, recording.CompareFrames))
	})
	if len(list) > maxCallers {
		rest := CallerRecord{Stack: []Frame{{Func: OtherCallers}}}
		for _, c := range list[maxCallers-1:] {
			rest.Calls += c.Calls
			rest.NS += c.NS
		}
		list = append(list[:maxCallers-1], &rest)
	}
	callers := make([]Caller, len(list))
	// Rounding the sums and not the parts keeps the sum right.
	doneWeight, doneTime, doneCalls, doneNS := 0.0, 0.0, uint64(0), uint64(0)
	for i, c := range list {
		doneWeight += float64(c.Calls)
		doneTime += float64(c.NS)
		upto := uint64(math.Round(float64(calls) * doneWeight / weight))
		uptoNS := doneNS
		if time > 0 {
			uptoNS = uint64(math.Round(ns * doneTime / time))
		}
		if i == len(list)-1 {
			upto = calls
		}
		callers[i] = Caller{Calls: max(upto, doneCalls) - doneCalls, NS: max(uptoNS, doneNS) - doneNS, Stack: c.Stack}
		doneCalls, doneNS = max(upto, doneCalls), max(uptoNS, doneNS)
	}
	return callers
}
