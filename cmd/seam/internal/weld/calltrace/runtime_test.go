//go:build linux && (amd64 || arm64)

package calltrace

import (
	"runtime"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/weld/recording"
	"github.com/seamgo/seam/cmd/seam/internal/weld/recording/recordingtest"
	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/record"
	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/trace"
)

// The tracer's C is compiled with the flags of packages it doesn't know, and has the
// constants of recordlayout.go.
func TestCompilesUnderAnyFlags(t *testing.T) {
	text := `#include "seam_trace.h"
#include "seam_trace_impl.h"
extern struct seam_trace_function f[] SEAM_TRACE_HIDDEN;
struct seam_trace_function f[1] = {{"a", "b", 0}};
SEAM_TRACE_PACKAGE("p", "b", f, 1, p)
static void in(void *v) { (void)v; }
SEAM_TRACE_VOID(outer, in, &f[0])
` + recordingtest.Same(map[string]int{
		"SEAM_RAW_VERSION": version, "SEAM_BINS": bins, "SEAM_NO_SWITCHES": flagNoSwitches, "SEAM_NO_WAITS": flagNoWaits, "SEAM_HEADER": recording.HeaderSize,
		"SEAM_FUNCTION": chunkFunction, "SEAM_SHARD": chunkShard, "SEAM_CALLER": chunkCaller, "SEAM_TEXT": recording.TextChunk, "SEAM_CROSSING": chunkCrossing,
		"SEAM_STRETCHES": chunkStretches, "SEAM_WAIT": chunkWait,
	})
	recordingtest.CompilesUnderAnyFlags(t, trace.Runtime.C(), text)
}

func TestWatchCompilesAsRuntimeCgo(t *testing.T) {
	recordingtest.CompilesInRuntimeCgo(t, record.ApartName, trace.Runtime.ApartC())
}

// program is what a C program includes that makes calls as traced wrappers do.
func program() map[string][]byte {
	files := trace.Runtime.C()
	files[record.ApartName] = trace.Runtime.ApartC()
	return files
}

// The C side by itself: what it records of calls that a C program makes.
func TestRecords(t *testing.T) {
	exe := recordingtest.Program(t, program(), "../runtime/trace/testdata/run.c")
	type figures struct {
		ended, callbacks, blocked, abandoned, unfinished uint64
		threads                                          uint32
	}
	for _, c := range []struct {
		what     string
		killed   bool
		one, two figures
	}{
		{what: "threads", one: figures{ended: 100, threads: 100}, two: figures{ended: 5000}},
		{what: "series", one: figures{ended: 200, threads: 1}, two: figures{ended: 10000, threads: 1}},
		{what: "jump", one: figures{ended: 3, callbacks: 3, abandoned: 3, threads: 1}, two: figures{ended: 1, threads: 1}},
		{what: "deep", one: figures{ended: 300, callbacks: 300, threads: 1}},
		{what: "fork", one: figures{ended: 1, threads: 1}, two: figures{ended: 2, threads: 1}},
		{what: "kill", killed: true, one: figures{unfinished: 1, threads: 1}, two: figures{ended: 1, threads: 1}},
		{what: "nap", one: figures{ended: 5, blocked: 5, threads: 1}},
		{what: "errno", one: figures{ended: 1, threads: 1}, two: figures{ended: 1, threads: 1}},
	} {
		t.Run(c.what, func(t *testing.T) {
			r, pid := recordingtest.Run(t, exe, c.what, "SEAM_TRACE", c.killed, ReadRecord)
			if r.PID != pid || r.Exe != exe || len(r.Functions) != 2 || r.LostCalls != 0 {
				t.Errorf("process %d, exe %s, %d functions, %d lost", r.PID, r.Exe, len(r.Functions), r.LostCalls)
			}
			for i, want := range []figures{c.one, c.two} {
				f := &r.Functions[i]
				got := figures{total(f.Bins), f.Callbacks, f.Blocked, f.Abandoned, f.Unfinished, f.MaxThreads}
				if want.threads == 0 && want.ended > 0 { // as many as the system made of it
					got.threads = 0
				}
				if c.what != "nap" || r.NoSwitches {
					got.blocked = 0 // the system decides: a page may have to be read in
				}
				if got != want {
					t.Errorf("%s: %+v, want %+v", f.Name, got, want)
				}
			}
		})
	}
}

// What passes between C's call of Go and its return is told apart from C's own time.
func TestCallbacksAreTimed(t *testing.T) {
	exe := recordingtest.Program(t, program(), "../runtime/trace/testdata/run.c")
	r, _ := recordingtest.Run(t, exe, "visits", "SEAM_TRACE", false, ReadRecord)
	f := r.Functions[0]
	const ms = 1_000_000
	if f.Callbacks != 5 || f.CallbackNS < 5*2*ms || f.TotalNS < f.CallbackNS+5*1*ms {
		t.Errorf("%d callbacks took %d of %d ns; want 5 of 2 ms each, and 1 ms of C beside each", f.Callbacks, f.CallbackNS, f.TotalNS)
	}
	// C has one stretch before each callback, which waits, and one behind it.
	b := f.Between
	if b == nil || b.Callbacks != 5 || total(b.Bins) != 10 || b.MaxNS < 1*ms || b.MaxNS > f.MaxNS {
		t.Fatalf("C between callbacks: %+v; want 10 stretches and 5 callbacks", b)
	}
	if !r.NoSwitches && (b.Blocked < 5 || b.BlockedNS < 5*ms/2) {
		t.Errorf("%d stretches waited, for %d ns; want 5 of 1 ms", b.Blocked, b.BlockedNS)
	}
}

// Where calls wait is seen from outside, by the function of libc that was called.
func TestPlacesOfWaits(t *testing.T) {
	exe := recordingtest.Program(t, program(), "../runtime/trace/testdata/run.c")
	r, _ := recordingtest.Run(t, exe, "places", "SEAM_TRACE", false, ReadRecord)
	if r.NoWaits {
		t.Skip("this kernel doesn't say where threads wait")
	}
	r.Arch = runtime.GOARCH
	f := Merge([]*Record{r}).Functions[0]
	found := map[string]Wait{}
	for _, w := range f.Waited() {
		found[w.In] = w
	}
	for _, name := range []string{"read of a pipe", "recv", "usleep", "pthread_cond_wait", "poll"} {
		if found[name].Looks == 0 || found[name].NS == 0 {
			t.Errorf("no wait in %s was seen: %+v", name, f.Waits)
		}
	}
	for name, w := range found {
		if name == "poll" && w.Held == 0 || name != "poll" && w.Held != 0 {
			t.Errorf("in %d of %d looks at %s a lock was held; want some of poll, and none of others", w.Held, w.Searched, name)
		}
	}
	// Unwind tables tell who has called it, functions that no library exports too, and nothing is a guess.
	for _, w := range f.Waits {
		if want := map[string]string{"read": "wait_read (run)", "recv": "wait_recv (run)"}[w.In]; want != "" &&
			(len(w.Stack) == 0 || w.Stack[0] != want || strings.Contains(strings.Join(w.Stack, "\n"), "? ")) {
			t.Errorf("%s was called by %q, want %s first and no guess", w.In, w.Stack, want)
		}
	}
	if w := found["clock_gettime"]; w.Looks != 0 {
		t.Errorf("the tracer's own call is taken for what waits: %+v", w)
	}
	if f.StackBytes == 0 || f.StackBytes > 1<<20 || f.BlockedNS == 0 {
		t.Errorf("%d bytes of stack; waited for %d ns", f.StackBytes, f.BlockedNS)
	}
}
