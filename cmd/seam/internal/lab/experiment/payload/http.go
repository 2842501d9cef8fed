package payload

import (
	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

// loss is that of the rate over HTTP. It is taken within turns, slice against slice:
// between the rates that the table has, which are medians over all slices, lies what the
// machine's speed did meanwhile.
func (f analysis) loss() lab.Sentence {
	var words []string
	var parts []lab.Part
	for _, k := range []kind{{libRapid, viaCopy}, {libRapid, viaRegistered}, {libRapid, viaLeaf}, {libSimd, viaLeaf}} {
		words, parts = append(words, label(k.lib, k.via)), append(parts, f.Excess(loadName(small, k.lib, k.via, saturation), unitLoss))
	}
	return lab.Tell("Requests a second that a server loses at saturation with messages of %s bytes, slice against slice of the same in pure Go with %s (below zero: a gain): %s. That server against itself: %s.",
		lab.Set(small), lab.Set(labels[libStd]), lab.Lines(words, parts), f.Range(controlName(small), unitLoss))
}

// steady is the latency at the fixed rate.
func (f analysis) steady() lab.Sentence {
	var all []lab.Named
	for _, k := range served(lab.Full, small) {
		all = append(all, lab.Named{Name: loadName(small, k.lib, k.via, fixedRate), Words: label(k.lib, k.via)})
	}
	return lab.Tell("Median latency with %s bytes at the fixed rate, from when each request should have been sent: %s.", lab.Set(small), f.Each(unitMedian, "", all...))
}
