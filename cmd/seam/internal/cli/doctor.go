package cli

import (
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/doctor"
	"github.com/seamgo/seam/cmd/seam/internal/output"
	"github.com/seamgo/seam/cmd/seam/internal/quantity"
	"github.com/seamgo/seam/cmd/seam/internal/stack/overlay"
	"github.com/seamgo/seam/cmd/seam/internal/terminal"
	"github.com/seamgo/seam/cmd/seam/internal/weld/job"
	"github.com/seamgo/seam/coro"
	"github.com/seamgo/seam/leaf"
	"github.com/seamgo/seam/offload"
	"github.com/seamgo/seam/thrift/codec"
)

// doctorVerb is the verb that shows what the build here and this machine can do.
type doctorVerb struct {
	JSON    *string       `name:"json" placeholder:"FILE" help:"Write the report as JSON; - is standard output."`
	Program *string       `placeholder:"BINARY" help:"Run this program, which was built by seam prof -- go build, and list what C libraries do to its handlers of signals."`
	For     time.Duration `name:"for" default:"10s" placeholder:"D" help:"How long the program may run, with --program; then it gets SIGTERM."`
	Args    []string      `arg:"" optional:"" passthrough:"" name:"argument" help:"The program's arguments, after --."`
}

func (doctorVerb) examples() string {
	return `Examples:
  seam doctor
  seam doctor --json -
  seam prof -- go build -o server . && seam doctor --program ./server -- -listen :0

It looks at how the go command builds in this folder: go env, the C compiler,
GOFLAGS. It builds, links and runs a small program with C there, and tries what
the #cgo lines of the folder's packages name. Each problem is listed with what to do about it. Exit code 1: this build
can't call C, or only by the slow path. What the machine can't measure is listed
too, but doesn't count.

With --program it runs that program instead and lists handlers of signals that C
libraries installed without SA_ONSTACK or in the place of Go's, with the function
and the file. Exit code 1: there are some.
`
}

func (v *doctorVerb) Run(s *session) error {
	if err := checkOutputs(outputFlag{"--json", v.JSON}); err != nil {
		return err
	}
	if v.Program != nil {
		if v.JSON != nil {
			return errors.New("--json is for the build; with --program leave it out")
		}
		return v.program(s)
	}
	if len(v.Args) > 0 {
		return fmt.Errorf("what is %q? Only --program takes arguments", v.Args[0])
	}
	r := doctor.Look(s.ctx, ".", toolVersion())
	if s.ctx.Err() != nil {
		return withCode(exitInterrupted, errors.New("interrupted"))
	}
	ways(r)
	table := s.stdout
	if v.JSON != nil {
		to := output.Writer{Stdout: s.stdout, Stderr: s.stderr}
		if err := to.Write(s.ctx, *v.JSON, r.WriteJSON); err != nil {
			return withCode(exitFailed, err)
		}
		if output.IsStdout(*v.JSON) {
			table = nil
		}
	}
	if table != nil {
		if err := r.WriteText(table, terminal.Of(table).Options); err != nil {
			return withCode(exitFailed, err)
		}
	}
	if n := r.Count(doctor.AreaBuild); n > 0 {
		return withCode(exitFinding, fmt.Errorf("%s to fix in this build", quantity.Plural(n, "thing")))
	}
	return nil
}

// ways says how each part of Seam works in the build that r looked at.
func ways(r *doctor.Report) {
	// What seam itself does counts where it is a build like this one: then it may have met
	// what no setting shows, as a variable or a run-time that isn't laid out as expected.
	running := func(reason string) string {
		if leaf.Status().Path == leaf.PathNone || r.Build.GOOS != runtime.GOOS || r.Build.GOARCH != runtime.GOARCH || r.Build.Go != runtime.Version() {
			return ""
		}
		return reason
	}
	for _, w := range []struct{ name, reason, fast, slow, none string }{
		{"crossing", leaf.Status().Reason, "leaf calls C by its own assembly: the fast path",
			"leaf calls C through cgo: the slow path", "leaf can't call C"},
		{"coro", coro.Status().Reason, "C runs as coroutines on stacks of their own: the fast path; package netio works",
			"C runs on threads and reaches Go by cgo callbacks: the slow path; package netio has no effect", "coro can't run C"},
	} {
		why, fix := r.Build.Crossing(running(w.reason))
		says := w.none // for the reason that stands with cgo and CC
		switch {
		case why == "":
			says = w.fast
		case r.Build.CallsC():
			says = because(w.slow, why)
		}
		r.Use(doctor.Way{Name: w.name, Says: says, Slow: why != "", Why: why, Fix: fix})
	}
	r.Use(offloadWay(r, running(offload.Status().Reason)))
	r.Use(doctor.Way{Name: "thrift", Says: thriftState(codec.Kernel())})
	r.Use(doctor.Way{Name: "guard", Says: guardState(leaf.Status())})
	r.Use(weldWay(r))
	r.Use(stackWay(r))
}

// offloadWay says what the threads of package offload are.
func offloadWay(r *doctor.Report, running string) doctor.Way {
	w := doctor.Way{Name: "offload", Slow: true}
	switch {
	case !r.Build.CallsC():
		w.Says = "offload can't call C"
	case r.Build.GOOS != "linux":
		w.Says = "goroutines locked to threads call through cgo: the slow path, because it is native only on Linux"
	case running != "":
		w.Says = because("goroutines locked to threads call through cgo: the slow path", running)
	default:
		w.Says, w.Slow = "threads take calls from a queue in C memory", false
	}
	return w
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

func guardState(s leaf.State) string {
	if s.Guard == "" {
		return "off (SEAM_GUARD=1 turns it on: every leaf call is timed)"
	}
	return "on, " + s.Guard + ": leaf calls are slower than without it"
}

// weldWay says whether programs can be welded with the go command at hand.
func weldWay(r *doctor.Report) doctor.Way {
	w := doctor.Way{Name: "weld", Slow: true}
	env := r.Build.Env
	switch {
	case env == nil:
		w.Says = "unknown: the go command doesn't answer"
	case r.Build.Cgo && r.Build.C.Problem != "":
		w.Says = "programs can't be built: " + r.Build.C.Problem
	case job.Unweldable(env) != "":
		w.Says = "programs are built as they are: " + job.Unweldable(env)
	default:
		w.Slow = false
		w.Says = fmt.Sprintf("works (leaf, coro, park, offload:N, threads:), with %s for %s/%s", env.GOVERSION, env.GOOS, env.GOARCH)
	}
	return w
}

// stackWay says whether stacks can be traced with the go command at hand.
func stackWay(r *doctor.Report) doctor.Way {
	w := doctor.Way{Name: "stack", Slow: true}
	env := r.Build.Env
	if env == nil {
		w.Says = "unknown: the go command doesn't answer"
		return w
	}
	err := overlay.Supported(env)
	if err == nil {
		_, _, err = overlay.Source(env.GOROOT, env.GOVERSION)
	}
	if err != nil {
		w.Says = fmt.Sprintf("can't be traced: %v", err)
		return w
	}
	w.Slow = false
	w.Says = fmt.Sprintf("can be traced, with %s for %s/%s", env.GOVERSION, env.GOOS, env.GOARCH)
	return w
}
