//go:build cgo

// Package h3 measures github.com/uber/h3-go: calls of a few nanoseconds of C
// each, and some with arguments that cgo puts on the heap.
package h3

import (
	"math"
	"testing"

	"github.com/uber/h3-go/v4"
)

// A place is a point and the cell of a resolution that holds it.
type place struct {
	at         h3.LatLng
	resolution int
	cell       h3.Cell
}

// places are found by h3-go v4.1.0 without welding. Their number is a power of
// two, so that a loop finds the next one in no time.
var places = [16]place{
	{h3.LatLng{Lat: 52.52, Lng: 13.405}, 5, 0x851f1d4bfffffff},
	{h3.LatLng{Lat: 40.7128, Lng: -74.006}, 10, 0x8a2a10728907fff},
	{h3.LatLng{Lat: -33.8688, Lng: 151.2093}, 14, 0x8ebe0e35cbad0af},
	{h3.LatLng{Lat: 35.6762, Lng: 139.6503}, 7, 0x872f5a363ffffff},
	{h3.LatLng{Lat: 64.1466, Lng: -21.9426}, 11, 0x8b075dd4b890fff},
	{h3.LatLng{Lat: -54.8019, Lng: -68.303}, 15, 0x8fdf45175542186},
	{h3.LatLng{Lat: 1.3521, Lng: 103.8198}, 9, 0x89652636d87ffff},
	{h3.LatLng{Lat: -1.2921, Lng: 36.8219}, 12, 0x8c7a6e42ca207ff},
	{h3.LatLng{Lat: 52.52, Lng: 13.405}, 7, 0x871f1d489ffffff},
	{h3.LatLng{Lat: 40.7128, Lng: -74.006}, 11, 0x8b2a10728906fff},
	{h3.LatLng{Lat: -33.8688, Lng: 151.2093}, 15, 0x8fbe0e35cbad0a8},
	{h3.LatLng{Lat: 35.6762, Lng: 139.6503}, 9, 0x892f5a363bbffff},
	{h3.LatLng{Lat: 64.1466, Lng: -21.9426}, 12, 0x8c075dd4b890dff},
	{h3.LatLng{Lat: -54.8019, Lng: -68.303}, 5, 0x85df4517fffffff},
	{h3.LatLng{Lat: 1.3521, Lng: 103.8198}, 10, 0x8a652636d877fff},
	{h3.LatLng{Lat: -1.2921, Lng: 36.8219}, 14, 0x8e7a6e42ca20647},
}

const last = len(places) - 1

func BenchmarkWeld(b *testing.B) {
	for _, op := range []struct {
		name string
		run  func(from, to int) uint64 // adds up the results of so many calls
		lap  uint64                    // that of one lap over all places, not welded
	}{
		{"Resolution", resolution, 166},
		{"CellToParent", cellToParent, 0x845f99bffffffff0},
		{"LatLngToCell", latLngToCell, 0x8abf99b1dd0c5f18},
		{"CellToLatLng", cellToLatLng, 0x2de844d1},
		{"GridDisk", gridDisk, 0x4c386351a22c3e98},
	} {
		b.Run("mod=h3/op="+op.name, func(b *testing.B) {
			b.ReportAllocs()
			sum := op.run(0, b.N)
			b.StopTimer()
			laps := (b.N + last) / len(places)
			sum += op.run(b.N, laps*len(places))
			if want := uint64(laps) * op.lap; sum != want {
				b.Fatalf("%d laps add up to %#x, want %#x", laps, sum, want)
			}
		})
	}
}

// The loops are written out: a call through a func value would cost as much as
// what is measured.

func resolution(from, to int) (sum uint64) {
	for i := from; i < to; i++ {
		sum += uint64(places[i&last].cell.Resolution())
	}
	return sum
}

func cellToParent(from, to int) (sum uint64) {
	for i := from; i < to; i++ {
		sum += uint64(places[i&last].cell.Parent(4))
	}
	return sum
}

func latLngToCell(from, to int) (sum uint64) {
	for i := from; i < to; i++ {
		p := &places[i&last]
		sum += uint64(h3.LatLngToCell(p.at, p.resolution))
	}
	return sum
}

func cellToLatLng(from, to int) (sum uint64) {
	for i := from; i < to; i++ {
		at := h3.CellToLatLng(places[i&last].cell)
		sum += micro(at.Lat) + micro(at.Lng)
	}
	return sum
}

func gridDisk(from, to int) (sum uint64) {
	for i := from; i < to; i++ {
		for _, c := range places[i&last].cell.GridDisk(2) {
			sum += uint64(c)
		}
	}
	return sum
}

// micro is an angle in millionths of a degree, which no rounding of the last
// digit changes.
func micro(degrees float64) uint64 { return uint64(int64(math.Round(degrees * 1e6))) }
