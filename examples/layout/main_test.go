//go:build cgo

package main

import (
	"fmt"
	"testing"
)

func Example() {
	main()
	// Output:
	// 1000 SEAM0 0 7 100 10
	// 1001 SEAM1 1 8 101 10
	// 1002 SEAM2 0 9 102 10
	// 1003 SEAM3 1 10 103 10
	// worth 24440.00
}

// What C has written is read by Go, and what Go writes by C.
func TestBothSidesMeanTheSameBytes(t *testing.T) {
	list := make([]Quote, 100)
	if n := Fill(list); n != len(list) {
		t.Fatalf("%d quotes are filled", n)
	}
	want := 0.0
	for i := range list {
		q := &list[i]
		if q.Sequence != 1000+uint64(i) || q.Name() != fmt.Sprintf("SEAM%d", i) || q.Venue != uint16(7+i) || q.Flags != uint8(i%2) {
			t.Fatalf("quote %d is %+v", i, *q)
		}
		for l := range q.Levels {
			q.Levels[l].Price = float64(i * l)
			want += q.Levels[l].Price * float64(q.Levels[l].Size)
		}
	}
	if got := Worth(list); got != want {
		t.Errorf("C adds up to %v, Go to %v", got, want)
	}
}

func TestNoQuotes(t *testing.T) {
	if Fill(nil) != 0 || Worth(nil) != 0 {
		t.Error("no quotes are worth something")
	}
}
