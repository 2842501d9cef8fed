package payload

import (
	"fmt"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

func (f analysis) charts() {
	for _, bytes := range sizes(lab.Full) {
		chart := result.Chart{Kind: result.Bars, Title: fmt.Sprintf("A message of %d bytes, in process", bytes), Caption: "Decoded, changed and encoded: CPU time.", Unit: "ns"}
		for _, lib := range libs(lab.Full) {
			for _, via := range viasOf(lib) {
				if s := f.of(bytes, lib, via); s != nil {
					chart.Bars = append(chart.Bars, s.Bar())
				}
			}
		}
		f.Draw(chart)
	}
	for _, bytes := range sizes(lab.Full) {
		for _, lib := range taken(lab.Full) {
			if c := f.stacked(bytes, lib); len(c.Stacks) > 1 {
				f.Draw(c)
			}
		}
	}
	for _, bytes := range sizes(lab.Full) {
		chart := result.Chart{Kind: result.Bars, Title: fmt.Sprintf("Requests a second at saturation, %d bytes", bytes), Caption: "Server and load share this machine's CPUs."}
		for _, k := range served(lab.Full, bytes) {
			if s := f.Find(loadName(bytes, k.lib, k.via, saturation), unitRate); s != nil {
				bar := s.Bar()
				bar.Label = label(k.lib, k.via)
				chart.Bars = append(chart.Bars, bar)
			}
		}
		f.Draw(chart)
	}
	f.Draw(f.inProcess(), f.takenApart(), f.behind())
}

// stacked is where the time of a library's calls goes.
func (f analysis) stacked(bytes int, lib string) result.Chart {
	c := result.Chart{
		Kind: result.Stacked, Title: fmt.Sprintf("Where the time goes: %s, %d bytes", labels[lib], bytes), Unit: "ns",
		Caption: "Each piece is timed alone; the rest is what the whole call takes beyond them.",
	}
	for _, via := range vias {
		st := result.Stack{Label: via}
		for _, part := range parts {
			if v, ok := f.Median(partName(bytes, lib, via, part), unitTime); ok {
				st.Parts = append(st.Parts, result.Part{Label: part, Value: v})
			}
		}
		if len(st.Parts) > 0 {
			c.Stacks = append(c.Stacks, st)
		}
	}
	return c
}

// cell writes a figure, or that there is none.
func (f analysis) cell(name, unit string, write func(float64) string) string {
	if v, ok := f.Median(name, unit); ok {
		return write(v)
	}
	return "–"
}

// inProcess is a table of all cases without a server.
func (f analysis) inProcess() result.Chart {
	g := &result.Table{Head: []string{"bytes", "case", "time", "vs cgo-copy", "95 %", "allocations", "allocated"}}
	for _, bytes := range sizes(lab.Full) {
		for _, lib := range libs(lab.Full) {
			for _, via := range viasOf(lib) {
				s := f.of(bytes, lib, via)
				if s == nil {
					continue
				}
				row := []string{fmt.Sprint(bytes), label(lib, via), quantity.Time(s.Median), "–", "–",
					f.cell(s.Name, unitAllocs, quantity.Number), f.cell(s.Name, unitBytes, quantity.Bytes)}
				base := libRapid
				if cxx(lib) {
					base = lib
				}
				if c := f.Against(s.Name, name(bytes, base, viaCopy), unitTime); c != nil {
					row[3], row[4] = quantity.Ratio(c.Ratio), quantity.Interval(c.Lo, c.Hi, "×")
				}
				g.Rows = append(g.Rows, row)
			}
		}
	}
	return result.Chart{Kind: result.Grid, Title: "In process", Table: g,
		Caption: "Time of a call over that of cgo with copies and the same library; of Go libraries, over that with RapidJSON. Allocations are those on Go's heap."}
}

// takenApart is a table of the parts.
func (f analysis) takenApart() result.Chart {
	g := &result.Table{Head: append([]string{"bytes", "case"}, parts...)}
	for _, bytes := range sizes(lab.Full) {
		for _, lib := range taken(lab.Full) {
			for _, via := range vias {
				row := []string{fmt.Sprint(bytes), label(lib, via)}
				for _, part := range parts {
					row = append(row, f.cell(partName(bytes, lib, via, part), unitTime, quantity.Time))
				}
				if row[2] != "–" {
					g.Rows = append(g.Rows, row)
				}
			}
		}
	}
	return result.Chart{Kind: result.Grid, Title: "Where the time goes", Table: g, Caption: "Each piece is timed alone; the rest is what the whole call takes beyond them."}
}

// reached is the rate from which on 10,000 requests a second count as reached.
const reached = 9_700

// behind is a table of all that was seen behind HTTP.
func (f analysis) behind() result.Chart {
	g := &result.Table{Head: []string{"bytes", "case", "req/s", "p50, p99", "loss", "vs go-json", "10k: p50, p99"}}
	for _, bytes := range sizes(lab.Full) {
		for _, k := range served(lab.Full, bytes) {
			busy, even := loadName(bytes, k.lib, k.via, saturation), loadName(bytes, k.lib, k.via, fixedRate)
			percent := func(v float64) string { return fmt.Sprintf("%.1f %%", v) }
			row := []string{
				fmt.Sprint(bytes), label(k.lib, k.via), f.cell(busy, unitRate, quantity.Number),
				f.cell(busy, unitMedian, quantity.Time) + ", " + f.cell(busy, unitTail, quantity.Time),
				f.cell(busy, unitLoss, percent), f.cell(busy, unitLossBest, percent),
				f.cell(even, unitMedian, quantity.Time) + ", " + f.cell(even, unitTail, quantity.Time),
			}
			if rate, ok := f.Median(even, unitRate); ok && rate < reached {
				row[6] = "only " + quantity.Number(rate) + "/s"
			}
			if row[2] != "–" {
				g.Rows = append(g.Rows, row)
			}
		}
	}
	return result.Chart{
		Kind: result.Grid, Title: "Behind HTTP", Table: g,
		Caption: "Loss is that of requests a second at saturation, slice against slice within turns, against servers in pure Go: with encoding/json, and with goccy/go-json. It is not the quotient of the rates shown, which are medians over all slices, between which the machine's speed changes. 10k: latency where 10,000 requests a second are asked for.",
	}
}
