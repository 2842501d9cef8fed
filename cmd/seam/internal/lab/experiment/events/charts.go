package events

import (
	"fmt"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

func (f analysis) charts() {
	for _, c := range []struct {
		title, caption string
		of             func(string) string
		unit, draw     string
	}{
		{"CPU time of a request", fmt.Sprintf("The server's, in user code and in the kernel, with %d requests in flight.", inflight), name, unitCPU, "ns"},
		{"Latency of a single request", "One request at a time, over all connections in turn; it includes the client's part.", aloneName, unitMedian, "ns"},
	} {
		chart := result.Chart{Kind: result.Bars, Title: c.title, Caption: c.caption, Unit: c.draw}
		for _, via := range vias {
			if s := f.Find(c.of(via), c.unit); s != nil {
				bar := s.Bar()
				bar.Label = labels[via]
				chart.Bars = append(chart.Bars, bar)
			}
		}
		f.Draw(chart)
	}
	f.Draw(result.Chart{Kind: result.Grid, Title: "Servers", Table: f.grid(),
		Caption: fmt.Sprintf("p50 and p99: latency with %d requests in flight; alone: with one.", inflight)})
}

func (f analysis) grid() *result.Table {
	grid := &result.Table{Head: []string{"server", "req/s", "CPU/req", "p50", "p99", "alone", "switches/s", "contentions/s"}}
	for _, via := range vias {
		f.Row(grid, []string{labels[via]}, []lab.Cell{
			{Name: name(via), Unit: unitRate, Write: quantity.Number},
			{Name: name(via), Unit: unitCPU, Write: quantity.Time},
			{Name: name(via), Unit: unitMedian, Write: quantity.Time},
			{Name: name(via), Unit: unitTail, Write: quantity.Time},
			{Name: aloneName(via), Unit: unitMedian, Write: quantity.Time},
			{Name: name(via), Unit: unitSwitches, Write: quantity.Number},
			{Name: name(via), Unit: unitContention, Write: quantity.Number},
		})
	}
	return grid
}
