package cli

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"runtime"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/machine"
	"github.com/seamgo/seam/cmd/seam/internal/stack/overlay"
	"github.com/seamgo/seam/cmd/seam/internal/weld/job"
	"github.com/seamgo/seam/coro"
	"github.com/seamgo/seam/leaf"
	"github.com/seamgo/seam/offload"
	"github.com/seamgo/seam/thrift/codec"
)

// doctorVerb is the verb that shows what this machine and build can do.
type doctorVerb struct{}

func (doctorVerb) examples() string { return "Examples:\n  seam doctor\n" }

func (doctorVerb) Run(s *session) error {
	w := bufio.NewWriter(s.stdout)
	row := func(what, says string) {
		fmt.Fprintf(w, "%-10s%s\n", what, strings.ReplaceAll(says, "\n", "\n"+strings.Repeat(" ", 10)))
	}

	state := leaf.Status()
	row("crossing", crossing(state))
	row("coro", coroState(coro.Status()))
	row("offload", offloadState(offload.Status()))
	row("thrift", thriftState(codec.Kernel()))
	row("cgo", cgoState())
	row("guard", guardState(state))
	row("weld", weldState(s.ctx))
	row("stack", stackState(s.ctx))
	row("go", fmt.Sprintf("%s %s/%s, seam %s", runtime.Version(), runtime.GOOS, runtime.GOARCH, toolVersion()))
	row("machine", machine.Read().Line())

	limits := machine.Limits()
	if len(limits) == 0 {
		row("limits", "none found: everything can be measured")
	}
	for i, l := range limits {
		if i == 0 {
			fmt.Fprintln(w, "\nWhat this machine can't measure, or not well:")
		}
		fmt.Fprintf(w, "  %s\n    why:  %s\n    fix:  %s\n", l.What, l.Why, l.Mend)
	}
	return withCode(exitFailed, w.Flush())
}

// crossing says how package leaf calls C here.
func crossing(s leaf.State) string {
	return because(cmp.Or(map[string]string{
		leaf.PathAssembly: "leaf calls C by its own assembly: the fast path",
		leaf.PathCgo:      "leaf calls C through cgo: the slow path",
		leaf.PathNone:     "leaf can't call C",
	}[s.Path], s.Path), s.Reason)
}

// coroState says how package coro runs C here.
func coroState(s coro.State) string {
	return because(map[string]string{
		coro.PathAssembly: "C runs as coroutines on stacks of their own: the fast path; package netio works",
		coro.PathCgo:      "C runs on threads and reaches Go by cgo callbacks: the slow path; package netio has no effect",
		coro.PathNone:     "coro can't run C",
	}[s.Path], s.Reason)
}

// offloadState says what the threads of package offload are here.
func offloadState(s offload.State) string {
	return because(map[string]string{
		offload.PathNative: "threads take calls from a queue in C memory",
		offload.PathCgo:    "goroutines locked to threads call through cgo: the slow path",
		offload.PathNone:   "offload can't call C",
	}[s.Path], s.Reason)
}

// thriftState says how package thrift swaps the bytes of lists of numbers.
func thriftState(kernel string) string {
	if kernel == "portable" {
		return "lists of numbers are swapped by portable code: the slow path (no AVX2, or SEAM_SWAP or GODEBUG turns it off)"
	}
	return "lists of numbers are swapped by " + kernel
}

func because(says, reason string) string {
	if reason != "" {
		says += ", because " + reason
	}
	return says
}

// cgoState says whether this program can call C.
func cgoState() string {
	switch buildSetting("CGO_ENABLED") {
	case "1":
		return "on"
	case "0":
		return "off: built with CGO_ENABLED=0 (build with CGO_ENABLED=1 and a C compiler to measure C calls)"
	}
	return "this build doesn't say"
}

func guardState(s leaf.State) string {
	if s.Guard == "" {
		return "off (SEAM_GUARD=1 turns it on: every leaf call is timed)"
	}
	return "on, " + s.Guard + ": leaf calls are slower than without it"
}

// weldState says whether programs can be welded with the go command at hand.
func weldState(ctx context.Context) string {
	env, err := job.ReadEnv(ctx, "go", "")
	if err != nil {
		return fmt.Sprintf("unknown: %v", err)
	}
	if why := job.Unweldable(env); why != "" {
		return "programs are built as they are: " + why
	}
	return fmt.Sprintf("works (leaf, coro, offload:N, threads:), with %s for %s/%s", env.GOVERSION, env.GOOS, env.GOARCH)
}

// stackState says whether stacks can be traced with the go command at hand.
func stackState(ctx context.Context) string {
	env, err := gotool.ReadEnv(ctx, "go", "")
	if err == nil {
		err = overlay.Supported(env)
	}
	if err == nil {
		_, _, err = overlay.Source(env.GOROOT, env.GOVERSION)
	}
	if err != nil {
		return fmt.Sprintf("can't be traced: %v", err)
	}
	return fmt.Sprintf("can be traced, with %s for %s/%s", env.GOVERSION, env.GOOS, env.GOARCH)
}
