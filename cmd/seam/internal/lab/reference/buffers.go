package reference

// A BufferRow is the time of a read, a copy and a write through two buffers of Size bytes.
type BufferRow struct {
	Size        int
	Pool, Stack Figure
}

// Buffers is the published table.
var Buffers = []BufferRow{
	buffers(4<<10, 3804, 3833),
	buffers(8<<10, 3980, 4110),
	buffers(16<<10, 4138, 4408),
	buffers(32<<10, 4407, 4957),
}

func buffers(size int, pool, stack float64) BufferRow {
	return BufferRow{size, Figure{StackBuffers, "", pool, "ns/op"}, Figure{StackBuffers, "", stack, "ns/op"}}
}

// Ratio is the pool's time over the stack's.
func (r BufferRow) Ratio() float64 { return r.Pool.Value / r.Stack.Value }

// Clearing is the share of clearing the arrays in a profile of that benchmark.
var Clearing = Figure{StackBuffers, "120 ms of 1.25 s", 10, "%"}
