// Package h3latest measures the latest github.com/uber/h3-go, whose functions return errors.
// It is a module outside the workspace, which has one version of each module: that of
// ../h3. Run it in its folder with GOWORK=off:
//
//	seam trace -- go test -run '^$' -bench . && seam plan && seam weld --compare -- go test -bench .
package h3latest

import (
	"testing"

	"github.com/uber/h3-go/v4"
)

var cells = []h3.Cell{0x851f1d4bfffffff, 0x8a2a10728907fff, 0x8ebe0e35cbad0af, 0x872f5a363ffffff}

func BenchmarkResolution(b *testing.B) {
	n := 0
	for i := 0; b.Loop(); i++ {
		n += cells[i&3].Resolution()
	}
	if n == 0 {
		b.Fatal()
	}
}

func BenchmarkCellToParent(b *testing.B) {
	for i := 0; b.Loop(); i++ {
		if _, err := cells[i&3].Parent(4); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLatLngToCell(b *testing.B) {
	for b.Loop() {
		if _, err := h3.LatLngToCell(h3.LatLng{Lat: 52.52, Lng: 13.405}, 9); err != nil {
			b.Fatal(err)
		}
	}
}
