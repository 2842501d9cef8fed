package payload

import (
	"fmt"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/reference"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// reached is the rate from which on 10,000 requests a second count as reached.
const reached = 9_700

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
