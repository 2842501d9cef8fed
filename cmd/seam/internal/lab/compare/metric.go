package compare

import (
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/stats"
)

// A direction is what more of something means.
type direction int

const (
	lessIsBetter direction = iota
	moreIsBetter
	neither // it is a place or a property: a break-even, a share, switches
)

// A metric is what a unit measures, and so how it is judged. Units are base
// units: seconds, not nanoseconds.
type metric struct {
	better direction
	nature stats.Nature
	exact  bool   // it has no noise: one value is as good as many
	why    string // not compared, and why
}

// Why there is no statistic for something.
const (
	isMaximum = "a maximum of few: not compared"
	isShare   = "a share: not compared"
	isHosts   = "moves with the host: not compared"
)

// hosts are the cases that one run can't tell of: when a second thread gets a core, how
// long one that sleeps takes to wake, and how much memory processes share is decided
// outside of the program, and stays for minutes. All processes of a run agree, and the next
// run has four times as much.
var hosts = []string{
	"Spawn/kind=process", "Spawn/kind=thread", "Callback/via=cgo-channel", "Callback/via=coro-channel",
	"/procs=all", "/threads=",
}

func isOfHost(name string) bool {
	return slices.ContainsFunc(hosts, func(part string) bool { return strings.Contains(name, part) })
}

// metrics are the units that don't say it by their form.
var metrics = map[string]metric{
	"allocs/op":         {exact: true},
	"B/op":              {exact: true}, // of Go's heap, where it is the same each time
	"code-bytes":        {exact: true},
	"B/struct":          {exact: true},
	"escapes":           {exact: true},
	"idioms":            {better: neither, exact: true},
	"expected-lines/op": {exact: true},
	"split-fields-%":    {exact: true},
	"split-structs-%":   {exact: true},
	"max-pause-sec":     {why: isMaximum},
	"count":             {better: neither, nature: stats.Size},
	"switches/s":        {better: neither, nature: stats.Size},
	"threads":           {nature: stats.Count},
	"contentions/s":     {nature: stats.Count},
	"faults/op":         {nature: stats.Count},
	"lines/op":          {nature: stats.Size},
	"L1i-misses/op":     {nature: stats.Size},
}

// metricOf tells how a benchmark is judged. What a file says of its unit
// (better=higher, assume=exact) is stronger than what the unit's form says.
func metricOf(k key, files ...*File) metric {
	m := formOf(k)
	for _, f := range files {
		if higher, told := f.higher[k.unit]; told {
			m.better = lessIsBetter
			if higher {
				m.better = moreIsBetter
			}
			break
		}
	}
	for _, f := range files {
		if exact, told := f.exact[k.unit]; told {
			m.exact = exact
			break
		}
	}
	return m
}

func formOf(k key) metric {
	if m, known := metrics[k.unit]; known {
		return m
	}
	base, per, _ := strings.Cut(k.unit, "/")
	switch {
	case strings.Contains(k.name, "what=longest-"):
		return metric{why: isMaximum}
	case isOfHost(k.name):
		return metric{why: isHosts}
	case strings.HasSuffix(base, "%"):
		return metric{better: neither, why: isShare}
	case isTail(base):
		return metric{nature: stats.Tail}
	case isTime(k.unit):
		return metric{}
	case per == "s" || per == "sec":
		return metric{better: moreIsBetter, nature: stats.Rate}
	case base == "B" || strings.HasSuffix(base, "-B"):
		return metric{nature: stats.Size}
	}
	return metric{better: neither, nature: stats.Size}
}

// isTail tells p90 to p99.9 from p50, which is a median.
func isTail(base string) bool {
	return strings.HasPrefix(base, "p9")
}

// isTime reports whether a unit is a time: "sec/op", "cpu-sec/req", "p99-sec". A
// time per second is a share.
func isTime(unit string) bool {
	base, per, _ := strings.Cut(unit, "/")
	return (base == "sec" || strings.HasSuffix(base, "-sec")) && per != "s" && per != "sec"
}

func perSecond(unit string) bool {
	return strings.HasSuffix(unit, "/s") || strings.HasSuffix(unit, "/sec")
}
