package reference

// A JSON server in Go and C++: messages of 128 bytes, 10,000 requests a second asked for.
var (
	PureGo = served("pure Go", 98_500)
	// CgoCopy does not say which C++ library it calls.
	CgoCopy = served("the same work in C++ through cgo, the library is not named", 52_300)
	// CgoShared is the same with all three ways to spare copies.
	CgoShared = served("with views, results in Go's memory and registered buffers", 86_400)
)

func served(what string, rate float64) Figure {
	return Figure{MixedCalls, "10,000 requests a second asked for, machine not named: " + what, rate, "req/s"}
}

// What that server loses against pure Go, and gains by each way to spare copies.
var (
	CopyLoss         = Figure{MixedCalls, "", 46.9, "%"}
	SharedLoss       = Figure{MixedCalls, "", 12.3, "%"}
	ViewGain         = Figure{MixedCalls, "", 18.2, "%"}
	FillGain         = Figure{MixedCalls, "", 22.7, "%"}
	RegisteredGain   = Figure{MixedCalls, "", 31.5, "%"}
	CopyShare        = Figure{MixedCalls, "of what is lost", 63, "%"}
	StackSwitchShare = Figure{MixedCalls, "of what is lost: stack switch and scheduler", 22, "%"}
)

// Structs of arguments and cache lines; what the structs hold is not said.
var (
	StraddlingLines = Figure{MixedCalls, "lines polluted", 58, "%"}
	StraddlingCall  = Figure{MixedCalls, "a call with structs that straddle lines", 142, "ns/op"}
	AlignedLines    = Figure{MixedCalls, "lines polluted", 2, "%"}
	AlignedCall     = Figure{MixedCalls, "a call with structs aligned to 64", 98, "ns/op"}
)

// C calls that block; how many there were is not said.
var (
	BlockedLatency    = Figure{MixedCalls, "0.02 ms without the C calls; how many there were is not said", 18.7e6, "p99-ns"}
	BlockedGoroutines = Figure{MixedCalls, "goroutines blocked", 63, "%"}
	BlockedUse        = Figure{MixedCalls, "98 % without the C calls", 31, "%"}
)

// A server with 10,000 connections before and after epoll_wait was joined to Go's
// poller.
var (
	LatencyBefore    = connected("before", 12_400, "p50-ns")
	LatencyAfter     = connected("after", 3700, "p50-ns")
	SwitchesBefore   = connected("before", 8500, "switches/s")
	SwitchesAfter    = connected("after", 210, "switches/s")
	ContentionBefore = connected("before", 3200, "contentions/s")
	ContentionAfter  = connected("after", 0, "contentions/s")
)

func connected(when string, value float64, unit string) Figure {
	return Figure{MixedCalls, "10,000 connections, " + when + " epoll_wait was joined to Go's poller; the load is not said", value, unit}
}
