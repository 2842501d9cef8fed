// Package versions measures what crossings, goroutines and a few things beside them cost
// under each release of Go: what the years did for the boundary.
package versions

import (
	"context"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

// Experiment is `seam lab --full versions`.
var Experiment = lab.Experiment{
	Name:  "versions",
	Title: "What did the releases of Go do for the boundary?",
	About: "One program, whose source every release since Go 1.14 takes, is built by the last toolchain of each. The go command fetches them from the module proxy, some 100 MB each, and keeps them; the programs are kept too. " +
		"All run with one P, with their release's defaults, and take turns: a block has a sample of every release, so that what the machine does hits all alike. " +
		"call: a C function that adds two numbers. callback: C calls such a Go function. goroutine: starting one and joining it. switch: to another goroutine and back, by two channels. " +
		"growth: a goroutine whose stack grows to 64 KB. map: finding one of 1024 integers. codec: a small object by encoding/json, both ways. With --full only.",
	Cases:   cases,
	Explain: explain,
}

// A release is one of Go, by its last toolchain.
type release struct{ name, toolchain string }

// releases are all that are measured, oldest first. The newest is what the others are
// compared with.
var releases = []release{
	{"1.14", "go1.14.15"}, {"1.15", "go1.15.15"}, {"1.16", "go1.16.15"}, {"1.17", "go1.17.13"}, {"1.18", "go1.18.10"},
	{"1.19", "go1.19.13"}, {"1.20", "go1.20.14"}, {"1.21", "go1.21.13"}, {"1.22", "go1.22.12"}, {"1.23", "go1.23.12"},
	{"1.24", "go1.24.13"}, {"1.25", "go1.25.5"}, {"1.26", "go1.26.8"}, {"1.27", "go1.27.3"},
}

// oldest is what the chart counts from.
var oldest = releases[0]

// A thing is what is measured of each release.
type thing struct{ name, label, words string }

var things = []thing{
	{"call", "C call", "A C call"}, {"callback", "callback", "A callback"}, {"goroutine", "goroutine", "Starting a goroutine and joining it"},
	{"switch", "switch, there and back", "A switch to another goroutine and back"}, {"growth", "growth to 64 KB", "A goroutine whose stack grows"},
	{"map", "map lookup", "Finding an integer in a map"}, {"codec", "JSON, both ways", "Reading and writing a small JSON object"},
}

const unitTime = "ns/op"

func name(t thing, r release) string { return "Versions/what=" + t.name + "/go=" + r.name }

// cases are none but in a full run: the toolchains alone are gigabytes.
func cases(mode lab.Mode) []lab.Case {
	if mode != lab.Full {
		return nil
	}
	var list []lab.Case
	for _, t := range things {
		for _, r := range releases {
			list = append(list, lab.Case{
				Name: name(t, r), Label: t.label + ", Go " + r.name, Group: t.label, Base: r == oldest,
				Start: func(ctx context.Context, b *lab.Bench) (*lab.Op, error) { return start(ctx, b, t, r) },
			})
		}
	}
	return list
}
