package payload

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/reference"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/stats"
)

// reached is the rate from which on 10,000 requests a second are had.
const reached = 9_700

// small is the size of the published server's messages.
const small = 128

func explain(e *result.Experiment) {
	reference.PureGo.Attach(e, loadName(small, libStd, viaGo, saturation))
	reference.CgoCopy.Attach(e, loadName(small, libRapid, viaCopy, saturation))
	reference.CgoShared.Attach(e, loadName(small, libRapid, viaRegistered, saturation))
	f := analysis{lab.Analysis{Experiment: e}}
	f.Say(f.byLeaf(), f.crossing(), f.againstGo(), f.layers(), f.loss(), f.steady(), f.where(), f.padding())
	f.Note(f.tooLong(), f.differs(), f.negative(), f.said(), f.leftOut())
	e.Charts = append(e.Charts, f.charts()...)
}

type analysis struct{ lab.Analysis }

func (f analysis) of(bytes int, lib, via string) *result.Series {
	return f.Find(name(bytes, lib, via), unitTime)
}

// ratio sets a against b in the blocks that both are in.
func ratio(a, b *result.Series) (stats.Comparison, bool) {
	if a == nil || b == nil {
		return stats.Comparison{}, false
	}
	type key struct{ round, block int }
	means := func(s *result.Series) map[key]float64 {
		sum, n := map[key]float64{}, map[key]float64{}
		for _, m := range s.Samples {
			k := key{m.Round, m.Block}
			sum[k] += m.Value
			n[k]++
		}
		for k := range sum {
			sum[k] /= n[k]
		}
		return sum
	}
	first, second := means(a), means(b)
	var keys []key
	for k := range first {
		if first[k] > 0 && second[k] > 0 {
			keys = append(keys, k)
		}
	}
	if len(keys) == 0 {
		return stats.Comparison{}, false
	}
	slices.SortFunc(keys, func(x, y key) int {
		if x.round != y.round {
			return x.round - y.round
		}
		return x.block - y.block
	})
	blocks := make([]stats.Block, len(keys))
	for i, k := range keys {
		blocks[i] = stats.Block{Cluster: k.round, Ratio: first[k] / second[k]}
	}
	c := stats.Compare(blocks, lab.Margin, 1)
	return c, c.Ratio > 0
}

func times(c stats.Comparison) string {
	return fmt.Sprintf("%s times (%s to %s)", quantity.Number(c.Ratio), quantity.Number(c.Lo), quantity.Number(c.Hi))
}

// byLeaf is what leaf saves of a call with copies.
func (f analysis) byLeaf() string {
	c, ok := ratio(f.of(small, libRapid, viaLeaf), f.of(small, libRapid, viaCopy))
	if !ok {
		return ""
	}
	text := fmt.Sprintf("RapidJSON with %d bytes: a call by leaf, with views and results in place, takes %s the time of cgo with copies.", small, times(c))
	if n, ok := f.Median(name(small, libRapid, viaLeaf), unitAllocs); ok {
		before, _ := f.Median(name(small, libRapid, viaCopy), unitAllocs)
		text += fmt.Sprintf(" Allocations of a call on Go's heap: %s (cgo with copies: %s).", quantity.Number(n), quantity.Number(before))
	}
	return text
}

// crossing is its share of a call.
func (f analysis) crossing() string {
	share := func(via string) (float64, float64, bool) {
		ns, ok := f.Median(partName(small, libRapid, via, partCrossing), unitTime)
		whole := 0.0
		for _, p := range parts {
			v, _ := f.Median(partName(small, libRapid, via, p), unitTime)
			whole += v
		}
		return ns, ns / whole, ok && whole > 0
	}
	ns, part, ok := share(viaLeaf)
	if !ok {
		return ""
	}
	text := fmt.Sprintf("The crossing by leaf costs %s, %.2f %% of the call with %d bytes.", quantity.Time(ns), 100*part, small)
	if ns, part, ok := share(viaCopy); ok {
		text += fmt.Sprintf(" Cgo with copies crosses four times (C.CBytes, the work, C.free twice): %s, %.0f %%.", quantity.Time(ns), 100*part)
	}
	return text
}

// againstGo sets each C++ library at its best against the Go libraries.
func (f analysis) againstGo() string {
	var told []string
	for _, bytes := range sizes(lab.Full) {
		for _, lib := range libs(lab.Full) {
			if !cxx(lib) {
				continue
			}
			var best *result.Series
			bestVia := ""
			for _, via := range vias {
				if s := f.of(bytes, lib, via); s != nil && (best == nil || s.Median < best.Median) {
					best, bestVia = s, via
				}
			}
			c, ok := ratio(best, f.of(bytes, libGo, viaGo))
			if !ok {
				continue
			}
			word := "not proven either way"
			switch {
			case c.Hi < 1:
				word = "faster"
			case c.Lo > 1:
				word = "slower"
			}
			text := fmt.Sprintf("%s via %s with %d bytes takes %s its time, %s", labels[lib], bestVia, bytes, times(c), word)
			if std, ok := ratio(best, f.of(bytes, libStd, viaGo)); ok {
				text += fmt.Sprintf(" (%s times that of encoding/json)", quantity.Number(std.Ratio))
			}
			told = append(told, text)
		}
	}
	if len(told) == 0 {
		return ""
	}
	return "In process, against the fastest Go library (goccy/go-json) doing the same work: " + strings.Join(told, "; ") + "."
}

// publishedGain is what the published server gained by a layer, in requests a second.
var publishedGain = map[string]reference.Figure{viaView: reference.ViewGain, viaFill: reference.FillGain, viaRegistered: reference.RegisteredGain}

// layers is what each layer is worth.
func (f analysis) layers() string {
	var told []string
	for i, via := range vias[1:] {
		from := vias[i]
		if via == viaLeaf {
			from = viaFill // it is fill without cgo
		}
		c, ok := ratio(f.of(small, libRapid, from), f.of(small, libRapid, via))
		if !ok {
			continue
		}
		text := fmt.Sprintf("%s over %s %+.1f %% (%+.1f to %+.1f)", via, from, 100*(c.Ratio-1), 100*(c.Lo-1), 100*(c.Hi-1))
		if g, ok := publishedGain[via]; ok {
			text += fmt.Sprintf(", published: %+.1f %%", g.Value)
		}
		told = append(told, text)
	}
	if len(told) == 0 {
		return ""
	}
	return fmt.Sprintf("What each layer adds to RapidJSON's calls a second with %d bytes, in process: %s.", small, strings.Join(told, "; "))
}

// loss is that of the rate over HTTP.
func (f analysis) loss() string {
	var told []string
	for _, k := range []kind{{libRapid, viaCopy}, {libRapid, viaRegistered}, {libRapid, viaLeaf}, {libSimd, viaLeaf}} {
		s := f.Find(loadName(small, k.lib, k.via, saturation), unitLoss)
		if s == nil {
			continue
		}
		text := fmt.Sprintf("%s %.1f %% (%.1f to %.1f)", label(k.lib, k.via), s.Median, s.Lo, s.Hi)
		if best, ok := f.Median(loadName(small, k.lib, k.via, saturation), unitLossBest); ok {
			text += fmt.Sprintf(", %.1f %% against goccy/go-json", best)
		}
		told = append(told, text)
	}
	if len(told) == 0 {
		return ""
	}
	text := fmt.Sprintf("Requests a second of %d bytes that a server loses at saturation, compared with the same in pure Go with encoding/json (below zero: a gain): %s. Published (%s): %.1f %% with copies, %.1f %% with all three layers.",
		small, strings.Join(told, "; "), reference.MixedCalls.Setting(), reference.CopyLoss.Value, reference.SharedLoss.Value)
	if s := f.Find(controlName(small), unitLoss); s != nil {
		text += fmt.Sprintf(" The server with encoding/json against itself: %.1f %% (%.1f to %.1f); no smaller loss or gain means anything here.", s.Median, s.Lo, s.Hi)
	}
	return text
}

// steady is the latency at the fixed rate.
func (f analysis) steady() string {
	var told, behind []string
	for _, k := range served(lab.Full, small) {
		at := loadName(small, k.lib, k.via, fixedRate)
		rate, ok := f.Median(at, unitRate)
		p50, ok2 := f.Median(at, unitMedian)
		p99, ok3 := f.Median(at, unitTail)
		if !ok || !ok2 || !ok3 {
			continue
		}
		told = append(told, fmt.Sprintf("%s %s and %s", label(k.lib, k.via), quantity.Time(p50), quantity.Time(p99)))
		if rate < reached {
			behind = append(behind, fmt.Sprintf("%s (%s)", label(k.lib, k.via), quantity.Number(rate)))
		}
	}
	if len(told) == 0 {
		return ""
	}
	text := fmt.Sprintf("Latency with %d bytes at 10,000 requests a second, median and 99th percentile, from when each should have been sent: %s.", small, strings.Join(told, "; "))
	if len(behind) > 0 {
		return text + " The rate was not reached by " + strings.Join(behind, ", ") + "."
	}
	return text + " All reached the rate."
}

// saved is how much of a part cgo with copies has more than leaf.
func (f analysis) saved(bytes int, lib, part string) (float64, bool) {
	a, ok := f.Median(partName(bytes, lib, viaCopy, part), unitTime)
	b, ok2 := f.Median(partName(bytes, lib, viaLeaf, part), unitTime)
	return a - b, ok && ok2
}

// where is what the copies' way loses its time with.
func (f analysis) where() string {
	copies, ok1 := f.saved(small, libRapid, partCopy)
	allocs, ok2 := f.saved(small, libRapid, partAlloc)
	crossing, ok3 := f.saved(small, libRapid, partCrossing)
	rest, ok4 := f.saved(small, libRapid, partRest)
	all := copies + allocs + crossing + rest
	if !ok1 || !ok2 || !ok3 || !ok4 || all <= 0 {
		return ""
	}
	return fmt.Sprintf("Of the extra %s that cgo with copies takes over leaf for %d bytes, copying is %.0f %%, allocation for the copies %.0f %% (both: %.0f %%; published: %.0f %% copying), "+
		"the crossings %.0f %% (published: %.0f %% stack switch and scheduler), and what no piece alone accounts for %.0f %%.",
		quantity.Time(all), small, 100*copies/all, 100*allocs/all, 100*(copies+allocs)/all, reference.CopyShare.Value,
		100*crossing/all, reference.StackSwitchShare.Value, 100*rest/all)
}

// padding is what simdjson's slack is worth.
func (f analysis) padding() string {
	var told []string
	for _, bytes := range sizes(lab.Full) {
		if s := f.Find(tightName(bytes, libSimd), unitTime); s != nil {
			text := fmt.Sprintf("%d bytes: %s (%s to %s)", bytes, quantity.Time(s.Median), quantity.Time(s.Lo), quantity.Time(s.Hi))
			if s.Lo <= 0 && s.Hi >= 0 {
				text += ", which is lost in noise"
			}
			told = append(told, text)
		}
	}
	if len(told) == 0 {
		return ""
	}
	return "Simdjson reads up to 64 bytes beyond a message. A view whose slice has that capacity is parsed in place; any other is copied first, which costs, by leaf: " + strings.Join(told, "; ") + "."
}

// differs says where today's figures are not the published ones, and why.
func (f analysis) differs() string {
	pure, ok := f.Median(loadName(small, libStd, viaGo, saturation), unitRate)
	copies, ok2 := f.Median(loadName(small, libRapid, viaCopy, saturation), unitRate)
	if !ok || !ok2 || pure <= 0 {
		return ""
	}
	text := fmt.Sprintf("The published server (%s) answers %s requests a second in pure Go and %s with C++ through cgo; here it is %s and %s.",
		reference.MixedCalls.Setting(), quantity.Number(reference.PureGo.Value), quantity.Number(reference.CgoCopy.Value), quantity.Number(pure), quantity.Number(copies))
	if cpu, ok := f.Median(loadName(small, libRapid, viaCopy, saturation), unitCPU); ok {
		if whole, ok := f.Median(name(small, libRapid, viaCopy), unitTime); ok && cpu > 0 {
			text += fmt.Sprintf(" A whole call with its copies is %.0f %% of the CPU time that this server takes for a request (%s of %s): the rest is HTTP and the kernel, "+
				"so no way to call C++ can lose half of the requests unless it holds up the scheduler. The published server may have done so, or its two sides did not do the same work; its code was not published.",
				100*whole/cpu, quantity.Time(whole), quantity.Time(cpu))
		}
	}
	return text
}

// guardBudget is how long a leaf function may take before leaf's guard reports it.
const guardBudget = 20_000.0

// tooLong names what leaf was measured with and is not made for.
func (f analysis) tooLong() string {
	var told []string
	for _, bytes := range sizes(lab.Full) {
		for _, lib := range libs(lab.Full) {
			if s := f.of(bytes, lib, viaLeaf); cxx(lib) && s != nil && s.Median > guardBudget {
				told = append(told, fmt.Sprintf("%s with %d bytes (%s)", labels[lib], bytes, quantity.Time(s.Median)))
			}
		}
	}
	if len(told) == 0 {
		return ""
	}
	return "A leaf function should return within microseconds, since the collector and all other goroutines may have to wait for it. These take longer than its guard allows (20 µs), and are better called via registered or fill, whose crossing hardly counts in such a call: " + strings.Join(told, ", ") + "."
}

// negative says what a part below zero means, where there is one.
func (f analysis) negative() string {
	for i := range f.Series {
		if s := &f.Series[i]; strings.HasSuffix(s.Name, "/part="+partRest) && s.NotMeasured == "" && s.Median < 0 {
			return "A rest below zero: pieces timed alone in a loop may take longer than in a call, where they overlap. Charts leave it out, their tables don't."
		}
	}
	return ""
}

func (f analysis) said() string {
	return "Simdjson has no writer: some fifty lines of ours write its answers. RapidJSON and goccy/go-json do not check that text is valid UTF-8, the others do. " +
		"From Go 1.27 on, encoding/json is built on encoding/json/v2, and v2 needs no GOEXPERIMENT; the rows of allocations say which Go built the programs."
}

// leftOut says what the quick mode leaves out, which is known by its sizes.
func (f analysis) leftOut() string {
	measured := slices.ContainsFunc(f.Series, func(s result.Series) bool { return strings.HasPrefix(s.Name, name(small, libGo, viaGo)) })
	all := sizes(lab.Full)
	large := slices.ContainsFunc(f.Series, func(s result.Series) bool {
		return strings.HasPrefix(s.Name, fmt.Sprintf("Payload/bytes=%d/", all[len(all)-1]))
	})
	if !measured || large {
		return ""
	}
	return "--quick leaves out messages of 1024 and 16384 bytes, nlohmann's library, encoding/json/v2 where the standard library would have to be compiled for it, and simdjson's parts."
}
