package published

import (
	"fmt"
	"math"

	"github.com/seamgo/seam/cmd/seam/internal/lab/reference"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/stats"
)

// Claims are all published figures, in the order of their sources.
var Claims = list(
	times("one call of an empty Go function", "call", reference.GoCall, "Call/via=go").but("that call was inlined: no call takes so little"),
	times("one C call through cgo", "call", reference.CgoCall, "Call/via=cgo"),
	grid(),
	times("a C call of the grid, whatever the count", "grid", reference.GridCgo, "Grid/work=1000/kind=fold/via=cgo"),
	Claim{reference.Figure{Source: reference.CgoCost, Value: reference.BreakEvenLo, Unit: "count"}, fmt.Sprintf("a C call pays off from a count of %d to %d on", reference.BreakEvenLo, reference.BreakEvenHi), "grid",
		median("Grid/breakeven/kind=fold/via=cgo", "count"), reference.BreakEvenLo, reference.BreakEvenHi, ""},

	times("a switch between processes", "switch", reference.ProcessSwitch, "Switch/kind=process/ws=0"),
	times("a switch between goroutines", "switch", reference.GoroutineSwitch, "Switch/kind=goroutine/ws=0"),
	times("create and schedule a goroutine", "spawn", reference.GoroutineStart, "Spawn/kind=goroutine"),
	times("memory of a parked goroutine", "spawn", reference.GoroutineStack, "Spawn/kind=goroutine"),
	times("stack of a thread (address space)", "spawn", reference.ThreadStack, "Spawn/kind=thread/what=virtual"),

	Claim{percent(reference.ErrorsInPlace, 10), "decoders with each error wrapped in place are slower by", "errorpath", wrapped, 5, 15, ""},

	buffers(),
	shares("clearing, as a share of that benchmark on the stack", "buffers", reference.Clearing,
		part("Buffers/from=stack/size=4096/state=warm", "Buffers/from=stack/size=4096/state=warm/zero=once", "ns/op")),

	served("pure Go, requests a second", reference.PureGo, "encoding-json/via=go"),
	served("through cgo with copies, requests a second", reference.CgoCopy, "rapidjson/via=cgo-copy"),
	served("with all three layers, requests a second", reference.CgoShared, "rapidjson/via=registered"),
	shares("loss of C++ through cgo with copies, behind a server", "payload", reference.CopyLoss, median("Payload/bytes=128/lib=rapidjson/via=cgo-copy/load=saturation", "loss-%")),
	shares("loss with all three layers, behind a server", "payload", reference.SharedLoss, median("Payload/bytes=128/lib=rapidjson/via=registered/load=saturation", "loss-%")),
	shares("gain by views over copies, behind a server", "payload", reference.ViewGain, gain("view", "cgo-copy")),
	shares("gain by results in Go's memory", "payload", reference.FillGain, gain("fill", "view")),
	shares("gain by registered buffers", "payload", reference.RegisteredGain, gain("registered", "fill")),
	shares("share of copying in what cgo costs a call", "payload", reference.CopyShare, costs("copy", "allocation")),
	shares("share of the crossing in what cgo costs a call", "payload", reference.StackSwitchShare, costs("crossing")),

	shares("structs that straddle lines", "cacheline", reference.StraddlingLines, median("CacheLine/layout=natural/shape=small/what=lines", "split-structs-%")),
	times("a call with structs that straddle lines", "cacheline", reference.StraddlingCall, "CacheLine/layout=straddled/shape=small/set=cold/via=cgo"),
	shares("structs aligned to lines that straddle them", "cacheline", reference.AlignedLines, median("CacheLine/layout=aligned/shape=small/what=lines", "split-structs-%")),
	times("a call with structs aligned to lines", "cacheline", reference.AlignedCall, "CacheLine/layout=aligned/shape=small/set=cold/via=cgo"),

	times("others run late by, beside C calls that block (p99)", "blocking", reference.BlockedLatency, "Blocking/via=cgo/n=256").but("how many calls there were is not said; here 256"),
	shares("goroutines inside C", "blocking", reference.BlockedGoroutines, median("Blocking/via=cgo/n=256/what=not-in-go", "%")).but("how many calls there were is not said; here 256"),
	shares("use of the processors that Go schedules on", "blocking", reference.BlockedUse, median("Blocking/via=cgo/n=256/what=P-use", "%")).but("how many calls there were is not said; here 256"),

	server("latency before", reference.LatencyBefore, "Events/via=cgo-callback/inflight=1"),
	server("latency after epoll_wait joined the poller", reference.LatencyAfter, "Events/via=coro-loop/inflight=1"),
	server("context switches a second before", reference.SwitchesBefore, "Events/via=cgo-callback"),
	server("context switches a second after", reference.SwitchesAfter, "Events/via=coro-loop"),
	server("contentions a second before", reference.ContentionBefore, "Events/via=cgo-callback"),
	server("contentions a second after", reference.ContentionAfter, "Events/via=coro-loop"),
)

// list joins single claims and lists of them.
func list(parts ...any) (all []Claim) {
	for _, p := range parts {
		switch p := p.(type) {
		case Claim:
			all = append(all, p)
		case []Claim:
			all = append(all, p...)
		}
	}
	return all
}

// times holds within a factor of two.
func times(said, experiment string, f reference.Figure, series string) Claim {
	return Claim{f, said, experiment, median(series, f.Unit), f.Value / 2, f.Value * 2, ""}
}

// shares holds within ten points.
func shares(said, experiment string, f reference.Figure, here func(*result.Experiment) (found, bool)) Claim {
	return Claim{f, said, experiment, here, f.Value - 10, f.Value + 10, ""}
}

func (c Claim) but(since string) Claim {
	c.since = since
	return c
}

func served(said string, f reference.Figure, way string) Claim {
	return times(said, "payload", f, "Payload/bytes=128/lib="+way+"/load=saturation").but("the machine is not named")
}

func server(said string, f reference.Figure, series string) Claim {
	return times(said, "events", f, series).but("the load and the machine are not said")
}

func grid() (list []Claim) {
	for _, r := range reference.Grid {
		list = append(list, times(fmt.Sprintf("sum of 0..%d in Go", r.Count), "grid", r.GoTime(), fmt.Sprintf("Grid/work=%d/kind=fold/via=go", r.Count)))
		f := reference.Figure{Source: reference.CgoCost, Value: r.Ratio, Unit: "×"}
		list = append(list, Claim{f, fmt.Sprintf("the same, cgo over Go at %d", r.Count), "grid",
			ratio(fmt.Sprintf("Grid/work=%d/kind=fold/via=cgo", r.Count), fmt.Sprintf("Grid/work=%d/kind=fold/via=go", r.Count), "ns/op"), r.Ratio / 2, r.Ratio * 2, ""})
	}
	return list
}

func buffers() (list []Claim) {
	for _, r := range reference.Buffers {
		name := func(from string) string { return fmt.Sprintf("Buffers/from=%s/size=%d/state=warm", from, r.Size) }
		list = append(list,
			times(fmt.Sprintf("read, copy and write %d KB, sync.Pool", r.Size>>10), "buffers", r.Pool, name("pool")),
			times(fmt.Sprintf("read, copy and write %d KB, on the stack", r.Size>>10), "buffers", r.Stack, name("stack")))
	}
	return list
}

// percent is a figure in per cent more.
func percent(f reference.Figure, value float64) reference.Figure {
	f.Value, f.Unit = value, "%"
	return f
}

// few reports whether fewer processes measured it than a verdict takes. Sizes and where structs
// lie are the same in each.
func few(series ...*result.Series) bool {
	for _, s := range series {
		if s.Unit == "B/unit" || s.Unit == "split-structs-%" {
			continue
		}
		rounds := map[int]bool{}
		for _, x := range s.Samples {
			rounds[x.Round] = true
		}
		if len(rounds) < stats.Fewest {
			return true
		}
	}
	return false
}

// median is that of a series.
func median(name, unit string) func(*result.Experiment) (found, bool) {
	return func(e *result.Experiment) (found, bool) {
		s := e.Find(name, unit)
		if s == nil {
			return found{}, false
		}
		return found{s.Median, s.Lo, s.Hi, few(s)}, true
	}
}

// ratio is how two series compare.
func ratio(name, base, unit string) func(*result.Experiment) (found, bool) {
	return func(e *result.Experiment) (found, bool) {
		a, b := e.Find(name, unit), e.Find(base, unit)
		if a == nil || b == nil || a.Median <= 0 || b.Median <= 0 {
			return found{}, false
		}
		c := stats.CompareMedians(result.SideBySide(a, b), a.Median/b.Median, 0, 1)
		return found{c.Ratio, c.Lo, c.Hi, few(a, b)}, c.Ratio > 0
	}
}

// inPercent is what a ratio is above 1.
func inPercent(f func(*result.Experiment) (found, bool)) func(*result.Experiment) (found, bool) {
	return func(e *result.Experiment) (found, bool) {
		r, ok := f(e)
		if r.lo < r.hi {
			r.lo, r.hi = 100*(r.lo-1), 100*(r.hi-1)
		}
		r.value = 100 * (r.value - 1)
		return r, ok
	}
}

// part is what a series takes more than another, as a share of it.
func part(whole, without, unit string) func(*result.Experiment) (found, bool) {
	less := ratio(without, whole, unit)
	return func(e *result.Experiment) (found, bool) {
		r, ok := less(e)
		f := found{value: 100 * (1 - r.value), few: r.few}
		if r.lo < r.hi {
			f.lo, f.hi = 100*(1-r.hi), 100*(1-r.lo)
		}
		return f, ok
	}
}

// gain is how many more requests one way serves.
func gain(via, over string) func(*result.Experiment) (found, bool) {
	name := func(via string) string {
		return "Payload/bytes=128/lib=rapidjson/via=" + via + "/load=saturation"
	}
	return inPercent(ratio(name(via), name(over), "req/s"))
}

// costs is what parts of a call through cgo are of all but the work itself.
func costs(parts ...string) func(*result.Experiment) (found, bool) {
	return func(e *result.Experiment) (found, bool) {
		sum, some, scant := 0.0, 0.0, false
		for _, p := range []string{"copy", "allocation", "crossing"} {
			s := e.Find("Payload/bytes=128/lib=rapidjson/via=cgo-copy/part="+p, "ns/op")
			if s == nil {
				return found{}, false
			}
			sum, scant = sum+math.Max(0, s.Median), scant || few(s)
			for _, mine := range parts {
				if p == mine {
					some += math.Max(0, s.Median)
				}
			}
		}
		if sum == 0 {
			return found{}, false
		}
		return found{value: 100 * some / sum, few: scant}, true
	}
}

// wrapped is what errors wrapped in place cost the decoders of the most types.
func wrapped(e *result.Experiment) (f found, ok bool) {
	for n := 1; n <= 1<<12; n *= 2 {
		name := func(layout string) string { return fmt.Sprintf("ErrorPath/layout=%s/types=%d", layout, n) }
		if g, known := inPercent(ratio(name("inline"), name("bare"), "ns/op"))(e); known {
			f, ok = g, true
		}
	}
	return f, ok
}
