// Package payload measures what it costs a Go server to have its JSON decoded and encoded
// by C++, in each of the ways to hand over the bytes.
package payload

import (
	"context"
	"fmt"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/reference"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

// Experiment is `seam lab payload`.
var Experiment = lab.Experiment{
	Name:    "payload",
	Title:   "JSON by C++ behind a Go server: what do copies and crossings cost?",
	Sources: []*result.Source{reference.MixedCalls},
	About: "A message, an order of exactly 128, 1024 or 16384 bytes with escapes and text beyond ASCII, is decoded into a known structure, the quantities of its items are added up, and the order is encoded again. " +
		"Every library and way must give an answer that decodes to the same as encoding/json's, or it is not measured. " +
		"go: a Go library, which reuses the structure's memory. " +
		"cgo-copy: C.CBytes in, a malloc'ed result out, C.GoBytes, C.free. " +
		"view: C reads Go's bytes in place; the result is copied. fill: C writes the result into Go's memory, too. " +
		"registered: message and answer lie in buffers of a mem.Pool that C knows by number. leaf: view and fill, called by package leaf. " +
		"The C++ code is the same for all ways; it reuses its memory. RapidJSON is used through its SAX reader and writer, simdjson on demand with a hand-written writer, since it has none, nlohmann's library through its trees. " +
		"The programs, one for each library, are built from source when the experiment runs. " +
		"In-process times are CPU time of the whole process with one P, including the collector's, which has next to nothing to mark. " +
		"Over HTTP a net/http server in one process answers on loopback, and the load comes from another; where there are two CPUs each has one of its own, the server with one P. The load asks as fast as 4 connections get their answers (saturation), " +
		"and at 10,000 requests a second over 8 connections, where a request's latency counts from when it should have been sent. The servers take turns, in slices of milliseconds in random order; a loss is that of a slice between two slices of the server in pure Go. " +
		"Where the time goes is found by timing each piece alone: the work in a loop in C, calls of functions that do nothing, copies and allocations of the same sizes; what the whole takes beyond them is the rest, which may come out below zero.",
	Cases:   cases,
	Explain: explain,
}

// Libraries by the names that they have in names of cases.
const (
	libStd      = "encoding-json"
	libV2       = "jsonv2"
	libGo       = "go-json"
	libRapid    = "rapidjson"
	libSimd     = "simdjson"
	libNlohmann = "nlohmann"
)

// Ways to call them.
const (
	viaGo         = "go"
	viaCopy       = "cgo-copy"
	viaView       = "view"
	viaFill       = "fill"
	viaRegistered = "registered"
	viaLeaf       = "leaf"
)

// vias are the ways to call C++, from the most copies to the fewest.
var vias = []string{viaCopy, viaView, viaFill, viaRegistered, viaLeaf}

var labels = map[string]string{
	libStd: "encoding/json", libV2: "encoding/json/v2", libGo: "goccy/go-json",
	libRapid: "RapidJSON", libSimd: "simdjson", libNlohmann: "nlohmann",
}

// libs are the libraries of a mode. In quick mode the slow one is left out, and the one
// that the whole standard library would have to be compiled for.
func libs(mode lab.Mode) []string {
	if mode == lab.Quick {
		return []string{libStd, libGo, libRapid, libSimd}
	}
	return []string{libStd, libV2, libGo, libRapid, libSimd, libNlohmann}
}

func cxx(lib string) bool { return lib == libRapid || lib == libSimd || lib == libNlohmann }

// viasOf are the ways to call a library.
func viasOf(lib string) []string {
	if cxx(lib) {
		return vias
	}
	return []string{viaGo}
}

// sizes are those of the messages.
func sizes(mode lab.Mode) []int {
	return lab.InQuick(mode, []int{128}, []int{128, 1024, 16384})
}

// Units of the metrics.
const (
	unitTime     = "ns/op"
	unitAllocs   = "allocs/op"
	unitBytes    = "B/op"
	unitRate     = "req/s"
	unitMedian   = "p50-ns"
	unitTail     = "p99-ns"
	unitCPU      = "cpu-ns/req"
	unitLoss     = "loss-%"      // of the rate, against encoding/json
	unitLossBest = "loss-best-%" // against the fastest Go library
)

func name(bytes int, lib, via string) string {
	return fmt.Sprintf("Payload/bytes=%d/lib=%s/via=%s", bytes, lib, via)
}

// loadName is a case behind a server, under a load.
func loadName(bytes int, lib, via, load string) string {
	return name(bytes, lib, via) + "/load=" + load
}

// controlName is the case that losses are counted from, against itself.
func controlName(bytes int) string {
	return loadName(bytes, libStd, viaGo, saturation) + "/control=same"
}

// Loads.
const (
	saturation = "saturation"
	fixedRate  = "10k"
)

// partName is a piece of a case's time.
func partName(bytes int, lib, via, part string) string {
	return name(bytes, lib, via) + "/part=" + part
}

func label(lib, via string) string {
	if via == viaGo {
		return labels[lib]
	}
	return labels[lib] + ", " + via
}

func cases(mode lab.Mode) []lab.Case {
	var list []lab.Case
	for _, n := range sizes(mode) {
		for _, lib := range libs(mode) {
			for _, via := range viasOf(lib) {
				list = append(list, lab.Case{
					Name: name(n, lib, via), Label: label(lib, via), Group: fmt.Sprintf("messages of %d bytes", n),
					Base: lib == libRapid && via == viaCopy,
					Start: func(ctx context.Context, b *lab.Bench) (*lab.Op, error) {
						return start(ctx, b, n, lib, via)
					},
				})
			}
		}
	}
	list = append(list, lab.Case{Name: "Payload/what=allocations", Label: "allocations on Go's heap", Probe: probeAllocations})
	for _, n := range sizes(mode) {
		for _, lib := range taken(mode) {
			list = append(list, lab.Case{
				Name: fmt.Sprintf("Payload/what=parts/bytes=%d/lib=%s", n, lib), Label: fmt.Sprintf("where %s's time goes, %d bytes", labels[lib], n),
				Probe: func(ctx context.Context, b *lab.Bench) ([]lab.Metric, error) { return probeParts(ctx, b, n, lib) },
			})
		}
		list = append(list, lab.Case{
			Name: fmt.Sprintf("Payload/what=http/bytes=%d", n), Label: fmt.Sprintf("behind HTTP, %d bytes", n),
			Probe: func(ctx context.Context, b *lab.Bench) ([]lab.Metric, error) { return probeHTTP(ctx, b, n) },
		})
	}
	return list
}

// taken are the libraries whose calls are taken to pieces.
func taken(mode lab.Mode) []string {
	return lab.InQuick(mode, []string{libRapid}, []string{libRapid, libSimd})
}

// A kind is a library and a way to call it.
type kind struct{ lib, via string }

// served are what a server is tried with.
func served(mode lab.Mode, bytes int) []kind {
	list := []kind{{libStd, viaGo}, {libGo, viaGo}}
	for _, via := range vias {
		if bytes == sizes(lab.Quick)[0] || via == viaCopy || via == viaLeaf {
			list = append(list, kind{libRapid, via})
		}
	}
	list = append(list, kind{libSimd, viaLeaf})
	if mode != lab.Quick {
		list = append(list, kind{libSimd, viaCopy}, kind{libV2, viaGo})
	}
	return list
}

// tooLong says why a case is no work for package leaf: its functions return within
// microseconds.
func tooLong(bytes int, lib, via string) error {
	if via == viaLeaf && lib == libNlohmann && bytes > 1024 {
		return lab.Skip("a leaf function returns within microseconds; nlohmann's library takes hundreds of them for %d bytes", bytes)
	}
	return nil
}

// tightName is a call by leaf of a message without slack behind it.
func tightName(bytes int, lib string) string { return name(bytes, lib, viaLeaf) + "/slack=none" }
