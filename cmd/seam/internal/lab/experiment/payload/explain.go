package payload

import (
	"fmt"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/reference"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/stats"
)

// small is the size of the published server's messages.
const small = 128

func explain(e *result.Experiment) {
	reference.PureGo.Attach(e, loadName(small, libStd, viaGo, saturation))
	reference.CgoCopy.Attach(e, loadName(small, libRapid, viaCopy, saturation))
	reference.CgoShared.Attach(e, loadName(small, libRapid, viaRegistered, saturation))
	f := analysis{lab.Analysis{Experiment: e}}
	f.Say(f.byLeaf(), f.crossing(), f.againstGo(), f.layers(), f.loss(), f.steady(), f.where(), f.padding())
	f.Note(f.tooLong(), f.differs(), f.negative(), f.said(), f.leftOut())
	f.charts()
}

type analysis struct{ lab.Analysis }

func (f analysis) of(bytes int, lib, via string) *result.Series {
	return f.Find(name(bytes, lib, via), unitTime)
}

// ratio compares a with b in the blocks that both are in.
func ratio(a, b *result.Series) (stats.Comparison, bool) {
	if a == nil || b == nil {
		return stats.Comparison{}, false
	}
	means := func(s *result.Series) map[result.Block]float64 { // also of blocks that were cut short
		sum, n := map[result.Block]float64{}, map[result.Block]float64{}
		for _, m := range s.Samples {
			at := result.Block{Round: m.Round, Number: m.Block}
			sum[at] += m.Value
			n[at]++
		}
		for at := range sum {
			sum[at] /= n[at]
		}
		return sum
	}
	c := stats.Compare(result.Paired(means(a), means(b)), lab.Margin, 1)
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

// againstGo compares each C++ library, at its best, with the Go libraries.
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
	return lab.Sentence("In process, against the fastest Go library (goccy/go-json) doing the same work: ", told, "; ", ".")
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
	return lab.Sentence(fmt.Sprintf("What each layer adds to RapidJSON's calls a second with %d bytes, in process: ", small), told, "; ", ".")
}

// saved is how much of a part cgo with copies has more than leaf.
func (f analysis) saved(bytes int, lib, part string) (float64, bool) {
	a, ok := f.Median(partName(bytes, lib, viaCopy, part), unitTime)
	b, ok2 := f.Median(partName(bytes, lib, viaLeaf, part), unitTime)
	return a - b, ok && ok2
}

// where says what the way with copies spends its extra time on.
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
	return lab.Sentence("Simdjson reads up to 64 bytes beyond a message. A view whose slice has that capacity is parsed in place; any other is copied first, which costs, by leaf: ", told, "; ", ".")
}
