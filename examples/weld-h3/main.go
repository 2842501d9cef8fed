// Command weld-h3 counts where rides begin, in hexagons of Uber's H3 on three scales, and
// asks C for each of them. It knows nothing of Seam. Three commands make it faster without
// changing a line of it:
//
//	seam trace -- go test -run '^$' -bench .     which C calls there are, and what they cost
//	seam plan                                    which of them can be fast: seam.plan, to read and commit
//	seam weld -- go run .                        the same program, built with the plan
//
// What was gained:
//
//	seam weld --compare -- go test -bench .
package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"slices"

	"github.com/uber/h3-go/v4"
)

const (
	rides  = 20000
	finest = 9 // hexagons of 0.1 km²
)

// coarser are the scales that are counted besides.
var coarser = []int{7, 5}

func main() { report(os.Stdout) }

func report(w io.Writer) {
	cells := index(starts())
	counts := rollUp(cells)
	for _, scale := range append([]int{finest}, coarser...) {
		busiest := slices.SortedFunc(maps.Keys(counts[scale]), func(a, b h3.Cell) int {
			return cmp.Or(cmp.Compare(counts[scale][b], counts[scale][a]), cmp.Compare(a, b))
		})
		at := busiest[0].LatLng()
		fmt.Fprintf(w, "resolution %d: %5d hexagons, most rides begin at %.3f, %.3f: %d\n", scale, len(busiest), at.Lat, at.Lng, counts[scale][busiest[0]])
	}
	fmt.Fprintf(w, "%d rides begin next to the one before\n", neighbours(cells))
}

// starts are where rides begin, around the middle of Berlin, the same ones every time.
func starts() []h3.LatLng {
	random := rand.New(rand.NewPCG(1, 2))
	list := make([]h3.LatLng, rides)
	for i := range list {
		list[i] = h3.LatLng{Lat: 52.52 + 0.04*random.NormFloat64(), Lng: 13.405 + 0.07*random.NormFloat64()}
	}
	return list
}

// index finds the hexagon of each place.
func index(places []h3.LatLng) []h3.Cell {
	cells := make([]h3.Cell, len(places))
	for i, p := range places {
		cells[i] = h3.LatLngToCell(p, finest)
	}
	return cells
}

// rollUp counts cells by scale.
func rollUp(cells []h3.Cell) map[int]map[h3.Cell]int {
	counts := map[int]map[h3.Cell]int{finest: {}}
	for _, scale := range coarser {
		counts[scale] = map[h3.Cell]int{}
	}
	for _, c := range cells {
		counts[c.Resolution()][c]++
		for _, scale := range coarser {
			counts[scale][c.Parent(scale)]++
		}
	}
	return counts
}

// neighbours is how many places lie in a hexagon that touches that of the place before.
func neighbours(cells []h3.Cell) (n int) {
	for i, c := range cells[1:] {
		if c.IsValid() && !c.IsPentagon() && c.IsNeighbor(cells[i]) {
			n++
		}
	}
	return n
}
