package payload

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/reference"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

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
	return lab.Sentence("A leaf function should return within microseconds, since the collector and all other goroutines may have to wait for it. These take longer than its guard allows (20 µs), and are better called via registered or fill, whose crossing hardly counts in such a call: ", told, ", ", ".")
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
