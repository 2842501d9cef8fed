package payload

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/reference"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

// small is the size of the published server's messages.
const small = 128

func explain(e *result.Experiment) {
	reference.PureGo.Attach(e, loadName(small, libStd, viaGo, saturation))
	reference.CgoCopy.Attach(e, loadName(small, libRapid, viaCopy, saturation))
	reference.CgoShared.Attach(e, loadName(small, libRapid, viaRegistered, saturation))
	f := analysis{lab.Analysis{Experiment: e}}
	f.Headline(name(small, libRapid, viaLeaf), unitTime, "to parse and answer 128 bytes in C++ by leaf")
	f.Advise(lab.Advice{Name: name(small, libRapid, viaLeaf), Base: name(small, libRapid, viaCopy), Unit: unitTime,
		Faster: "Pass strings as views, let C fill Go's memory and call it by leaf: against cgo with copies ",
		Slower: "Stay with cgo and copies: views by leaf against that ", Same: "Stay with cgo and copies: views by leaf take, against that, ",
	})
	f.Say(f.byLeaf())
	for _, bytes := range sizes(lab.Full) {
		f.Say(f.againstGo(bytes))
	}
	f.Say(f.layers(), f.crossing(), f.loss(), f.steady(), f.padding())
	f.Note(f.tooLong(), f.negative(), f.said(), f.leftOut())
	f.charts()
}

type analysis struct{ lab.Analysis }

func (f analysis) of(bytes int, lib, via string) *result.Series {
	return f.Find(name(bytes, lib, via), unitTime)
}

// byLeaf is what leaf saves of a call with copies.
func (f analysis) byLeaf() lab.Sentence {
	by, copies := name(small, libRapid, viaLeaf), name(small, libRapid, viaCopy)
	return lab.Tell("RapidJSON with %s bytes takes %s by leaf, with views and results in place, and %s by cgo with copies; leaf against cgo: %s.",
		lab.Set(small), f.Figure(by, unitTime), f.Figure(copies, unitTime), f.Compare(by, copies, unitTime))
}

// againstGo compares the C++ libraries with the fastest of Go's.
func (f analysis) againstGo(bytes int) lab.Sentence {
	var all []lab.Named
	for _, lib := range libs(lab.Full) {
		if cxx(lib) {
			all = append(all, lab.Named{Name: name(bytes, lib, viaLeaf), Words: labels[lib] + " by leaf"}, lab.Named{Name: name(bytes, lib, viaRegistered), Words: "registered"})
		}
	}
	base := name(bytes, libGo, viaGo)
	return lab.Tell("In process with %s bytes, %s takes %s; against that: %s.", lab.Set(bytes), lab.Set(labels[libGo]), f.Figure(base, unitTime), f.Each(unitTime, base, all...))
}

// layers is what each layer is worth.
func (f analysis) layers() lab.Sentence {
	var all []lab.Named
	for i, via := range vias[1:] {
		from := vias[i]
		if via == viaLeaf {
			from = viaFill // it is fill without cgo
		}
		all = append(all, lab.Named{Name: name(small, libRapid, via), Words: via + " (against " + from + ")", Base: name(small, libRapid, from)})
	}
	return lab.Tell("What each layer does to a call of RapidJSON with %s bytes: %s.", lab.Set(small), f.Each(unitTime, "", all...))
}

// crossing is what it costs by itself.
func (f analysis) crossing() lab.Sentence {
	crossing := func(via string) lab.Named {
		return lab.Named{Name: partName(small, libRapid, via, partCrossing), Words: via}
	}
	return lab.Tell("Of that, the crossings cost: %s.", f.Each(unitTime, "", crossing(viaLeaf), crossing(viaCopy)))
}

// padding is what simdjson's slack is worth.
func (f analysis) padding() lab.Sentence {
	var words []string
	var parts []lab.Part
	for _, bytes := range sizes(lab.Full) {
		words, parts = append(words, fmt.Sprintf("%d bytes", bytes)), append(parts, f.Excess(tightName(bytes, libSimd), unitTime))
	}
	return lab.Tell("Simdjson reads beyond a message. A view whose slice has room for that is parsed in place; any other is copied first, which adds, by leaf: %s.", lab.Lines(words, parts))
}

// guardBudget is how long a leaf function may take before leaf's guard reports it.
const guardBudget = 20_000.0

// tooLong names what leaf was measured with and is not made for.
func (f analysis) tooLong() lab.Sentence {
	var all []lab.Named
	for _, bytes := range sizes(lab.Full) {
		for _, lib := range libs(lab.Full) {
			if s := f.of(bytes, lib, viaLeaf); cxx(lib) && s != nil && s.Median > guardBudget {
				all = append(all, lab.Named{Name: s.Name, Words: fmt.Sprintf("%s with %d bytes", labels[lib], bytes)})
			}
		}
	}
	return lab.Tell("A leaf function should return within microseconds, since the collector and all other goroutines may have to wait for it. These take longer than its guard allows, and are better called via registered or fill, whose crossing hardly counts in such a call: %s.", f.Each(unitTime, "", all...))
}

// negative says what a part below zero means, where there is one.
func (f analysis) negative() lab.Sentence {
	for i := range f.Series {
		if s := &f.Series[i]; strings.HasSuffix(s.Name, "/part="+partRest) && s.NotMeasured == "" && s.Median < 0 {
			return lab.Tell("A rest below zero: pieces timed alone in a loop may take longer than in a call, where they overlap. Charts leave it out, their tables don't.")
		}
	}
	return lab.Sentence{}
}

func (f analysis) said() lab.Sentence {
	return lab.Tell("Simdjson has no writer: some lines of ours write its answers. RapidJSON and goccy/go-json do not check that text is valid, the others do.")
}

// leftOut says what the quick mode leaves out, which is known by its sizes.
func (f analysis) leftOut() lab.Sentence {
	measured := slices.ContainsFunc(f.Series, func(s result.Series) bool { return strings.HasPrefix(s.Name, name(small, libGo, viaGo)) })
	all := sizes(lab.Full)
	large := slices.ContainsFunc(f.Series, func(s result.Series) bool {
		return strings.HasPrefix(s.Name, fmt.Sprintf("Payload/bytes=%d/", all[len(all)-1]))
	})
	if !measured || large {
		return lab.Sentence{}
	}
	return lab.Tell("--quick leaves out larger messages, nlohmann's library, another of Go's where the standard library would have to be compiled for it, and simdjson's parts.")
}
