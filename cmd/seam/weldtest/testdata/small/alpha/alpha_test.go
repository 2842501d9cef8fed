package alpha

import "testing"

func TestAdd(t *testing.T) {
	if Add(2, 3) != 5 || Other(4) != 12 {
		t.Error("wrong sum")
	}
}

// One allocation where cgo makes the address escape, none where it is welded.
func TestAllocations(t *testing.T) {
	n := testing.AllocsPerRun(100, func() {
		if Sum(1, 2, 3, 4) != 10 {
			t.Error("wrong sum")
		}
	})
	t.Logf("allocations: %v", n)
}

func BenchmarkSum(b *testing.B) {
	for b.Loop() {
		Sum(1, 2, 3, 4)
	}
}
