// Package callback measures the way from C into Go and back.
package callback

import "github.com/seamgo/seam/cmd/seam/internal/lab"

// Experiment is `seam lab callback`.
var Experiment = lab.Experiment{
	Name:  "callback",
	Title: "What does a call from C into Go cost?",
	About: "A loop in C calls Go for each item, a number that Go adds one to. One operation is one item: from C into Go and back. " +
		"cgo is a function that Go exports to C (//export). coro is seam_upcall of package coro, where C is a coroutine and switches to Go: " +
		"Locked is its default mode, Floating the one for C that may change threads. " +
		"Bare switch: C asks C on another stack, with nothing kept but the place where it goes on, the least that an upcall can cost. " +
		"Channel: the Go function asks another goroutine and waits for its answer. " +
		"Foreign thread: the loop runs on a thread that Go did not start. " +
		"Batch: C collects 64 items and asks for all of them at once. " +
		"The call that starts the loop is made once for thousands of items; the sum of the results is checked.",
	Cases:   cases,
	Explain: explain,
}

// How C gets to Go.
const (
	viaCgo             = "cgo"
	viaCoro            = "coro"
	viaFloating        = "coro-floating"
	viaBare            = "bare-switch"
	viaCgoBatch        = "cgo-batch"
	viaCoroBatch       = "coro-batch"
	viaCgoThread       = "cgo-thread"
	viaCgoChannel      = "cgo-channel"
	viaCoroChannel     = "coro-channel"
	viaFloatingChannel = "coro-floating-channel"
)

// A way is one case.
type way struct {
	via, label string
	setup      func() (*lab.Op, error)
}

var ways = []way{
	{viaCgo, "exported by cgo", setupExport},
	{viaCoro, "upcall", func() (*lab.Op, error) { return setupUpcall(locked) }},
	{viaFloating, "upcall, Floating", func() (*lab.Op, error) { return setupUpcall(floating) }},
	{viaBare, "bare switch to C and back", setupBare},
	{viaCgoBatch, "exported by cgo, batches of 64", setupExportBatch},
	{viaCoroBatch, "upcall, batches of 64", setupUpcallBatch},
	{viaCgoThread, "exported by cgo, foreign thread", setupThread},
	{viaCgoChannel, "exported by cgo, waits for a channel", setupExportChannel},
	{viaCoroChannel, "upcall, waits for a channel", func() (*lab.Op, error) { return setupUpcallChannel(locked) }},
	{viaFloatingChannel, "upcall, Floating, waits for a channel", func() (*lab.Op, error) { return setupUpcallChannel(floating) }},
}

// The modes of a coroutine.
const (
	locked   = "Locked"
	floating = "Floating"
)

func name(via string) string { return "Callback/via=" + via }

func cases(lab.Mode) []lab.Case {
	var list []lab.Case
	for _, w := range ways {
		list = append(list, lab.Case{Name: name(w.via), Label: w.label, Group: "callback", Base: w.via == viaCgo, Setup: w.setup})
	}
	return list
}
