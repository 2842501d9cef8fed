package reference

// One call of an empty function.
var (
	GoCall  = Figure{CgoCost, "an empty function, inlined it seems: no call takes so little", 0.29, "ns/op"}
	CgoCall = Figure{CgoCost, "an empty function", 55.9, "ns/op"}
)

// A GridRow is the sum of 0..Count in Go and through cgo.
type GridRow struct {
	Count int64
	Go    float64 // ns of a call
	Ratio float64 // cgo over Go
}

// Grid is the published table, in the order of its counts.
var Grid = []GridRow{
	{10, 5, 12},
	{50, 22, 2.4},
	{100, 34, 1.6},
	{500, 132, 0.41},
	{1000, 257, 0.216},
	{5000, 1240, 0.045},
	{10000, 2600, 0.022},
}

// GridCalls are the numbers of calls that were timed as one run.
var GridCalls = []int{500_000, 1_000_000, 5_000_000, 10_000_000}

// GridCgo is the time of a C call of the grid, whatever its count.
var GridCgo = Figure{CgoCost, "the middle of 54–61 ns, given for all counts", (54.0 + 61.0) / 2, "ns/op"}

// GoTime is the row's time in Go.
func (r GridRow) GoTime() Figure { return Figure{CgoCost, "", r.Go, "ns/op"} }

// The grid's break-even lies between these counts.
const BreakEvenLo, BreakEvenHi = 100, 500
