package main

import (
	"strings"
	"testing"
)

const wanted = `resolution 9:  4613 hexagons, most rides begin at 52.533, 13.411: 23
resolution 7:   211 hexagons, most rides begin at 52.526, 13.409: 686
resolution 5:    11 hexagons, most rides begin at 52.535, 13.284: 8092
47 rides begin next to the one before
`

func TestReport(t *testing.T) {
	var out strings.Builder
	report(&out)
	if out.String() != wanted {
		t.Errorf("%s\nwant\n%s", out.String(), wanted)
	}
}

func BenchmarkIndex(b *testing.B) {
	places := starts()
	for b.Loop() {
		if cells := index(places); len(cells) != rides {
			b.Fatalf("%d cells", len(cells))
		}
	}
}

func BenchmarkRollUp(b *testing.B) {
	cells := index(starts())
	for b.Loop() {
		if counts := rollUp(cells); len(counts[5]) != 11 {
			b.Fatalf("%d cells on the coarsest scale, want 11", len(counts[5]))
		}
	}
}

func BenchmarkNeighbours(b *testing.B) {
	cells := index(starts())
	for b.Loop() {
		if n := neighbours(cells); n != 47 {
			b.Fatalf("%d neighbours, want 47", n)
		}
	}
}
