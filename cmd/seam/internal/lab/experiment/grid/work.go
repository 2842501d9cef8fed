package grid

// sink keeps results alive, so that no compiler drops the work. Tests read it.
var sink int64

// foldGo sums 0..count. The Go compiler keeps the loop.
//
//go:noinline
func foldGo(count int64) int64 {
	var sum int64
	for i := int64(0); i <= count; i++ {
		sum += i
	}
	return sum
}

// nofoldGo does count+1 steps of which each needs the result of the one before.
// seam_grid_nofold in work.c is the same chain of instructions: multiply, add,
// shift, xor.
//
//go:noinline
func nofoldGo(count int64) int64 {
	x := uint64(1)
	for i := int64(0); i <= count; i++ {
		x = x*6364136223846793005 + uint64(i)
		x ^= x >> 29
	}
	return int64(x)
}

// goRun returns the timed loop of the Go side. Each kind has a loop of its own
// with a direct call in it, as a program would have.
func goRun(k kind, count int64) func(n int) {
	if k == fold {
		return func(n int) {
			var sum int64
			for range n {
				sum += foldGo(count)
			}
			sink = sum
		}
	}
	return func(n int) {
		var sum int64
		for range n {
			sum += nofoldGo(count)
		}
		sink = sum
	}
}
