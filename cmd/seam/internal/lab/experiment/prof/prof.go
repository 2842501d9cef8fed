// Package prof measures what profilers cost that show C: a sample, and a program under them.
package prof

import (
	"context"
	"fmt"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

// Experiment is `seam lab prof`.
var Experiment = lab.Experiment{
	Name:  "prof",
	Title: "What does a profile that shows C cost?",
	About: "A Go program calls C, which calls itself until 5, 20 or 60 frames of C are on the stack. " +
		"Sample: there the thread sends itself SIGPROF while a CPU profile is taken, so all of a sample is timed but the kernel's timer: the signal, the handler, the walk, the record. " +
		"Bare: a handler that does nothing. Plain pprof: the program without package prof, which has no frames of C. Package prof: at most 32 frames of C, which is the runtime's limit. " +
		"gperftools: the sampling profiler of C++ programs, whose walk ends where Go called; its handler gets SA_ONSTACK, without which it would run on goroutines' stacks. " +
		"Work, with --full only: half of the time in Go, half in C at 20 frames, by one process that is profiled for a sample of the lab's and not for the next: at 100 and 1000 Hz of CPU time, by package prof, plain pprof, gperftools, and the kernel's perf events with stacks by frame pointers, which nobody reads. " +
		"Kernels that time by ticks of 4 ms give no more than 250 signals a second; how many there were is in the table.",
	Cases:   cases,
	Explain: explain,
}

// Profilers, and the bare signal.
const (
	viaBare       = "bare"
	viaPprof      = "pprof"
	viaSeam       = "seam"
	viaGperftools = "gperftools"
	viaPerf       = "perf"
)

var labels = map[string]string{
	viaBare: "bare signal", viaPprof: "plain pprof", viaSeam: "package prof", viaGperftools: "gperftools", viaPerf: "perf events",
}

var (
	depths   = []int{5, 20, 60} // frames of C
	rates    = []int{100, 1000} // samples a second of CPU time
	samplers = []string{viaPprof, viaSeam, viaBare, viaGperftools}
	loads    = []string{viaSeam, viaPprof, viaGperftools, viaPerf}
)

const (
	unitTime = "ns/op"
	unitRate = "samples/s"
)

func sampleName(frames int, via string) string {
	return fmt.Sprintf("Prof/what=sample/frames=%d/via=%s", frames, via)
}

// workName is that of work under a profile; 0 Hz is no profile.
func workName(via string, hz int) string { return fmt.Sprintf("Prof/what=work/via=%s/hz=%d", via, hz) }

func rateName(via string, hz int) string { return fmt.Sprintf("Prof/what=rate/via=%s/hz=%d", via, hz) }

// Work isn't in shorter runs: a profile that ends takes Go a tenth of a second, and a sample
// must be long against the time between two signals.
func cases(mode lab.Mode) []lab.Case {
	var list []lab.Case
	for _, frames := range depths {
		for _, via := range samplers {
			list = append(list, lab.Case{
				Name: sampleName(frames, via), Label: fmt.Sprintf("sample, %d frames of C, %s", frames, labels[via]),
				Group: fmt.Sprintf("sample, %d frames of C", frames), Base: via == viaPprof, Yardstick: via == viaBare,
				Start: func(ctx context.Context, b *lab.Bench) (*lab.Op, error) { return startSample(ctx, b, via, frames) },
			})
		}
	}
	if mode != lab.Full {
		return list
	}
	for _, via := range loads {
		for _, hz := range append([]int{0}, rates...) {
			label := fmt.Sprintf("work, %s at %d Hz", labels[via], hz)
			if hz == 0 {
				label = "work, no profile (" + labels[via] + ")"
			}
			list = append(list, lab.Case{
				Name: workName(via, hz), Label: label, Group: "work, " + labels[via], Base: hz == 0,
				Start: func(ctx context.Context, b *lab.Bench) (*lab.Op, error) { return startWork(ctx, b, via, hz) },
			})
		}
	}
	for _, hz := range rates {
		list = append(list, lab.Case{
			Name: rateName(viaSeam, hz), Label: fmt.Sprintf("samples that came of %d a second", hz),
			Probe: func(ctx context.Context, b *lab.Bench) ([]lab.Metric, error) { return probeRate(ctx, b, viaSeam, hz) },
		})
	}
	return list
}

func explain(e *result.Experiment) {
	a := lab.Analysis{Experiment: e}
	a.Advise(lab.Advice{Name: sampleName(20, viaSeam), Base: sampleName(20, viaGperftools), Unit: unitTime,
		Faster: "Profile C with package prof: a sample against one of gperftools ",
		Slower: "Profile C with gperftools where each sample counts: package prof against it ", Same: "Profile C with package prof: a sample against one of gperftools ",
	})
	a.Headline(sampleName(20, viaSeam), unitTime, "for a sample with 20 frames of C")
	for _, frames := range depths {
		base := sampleName(frames, viaPprof)
		a.Say(lab.Tell("A sample at %s frames of C, against plain pprof, which has none of them (%s): %s. The signal alone takes %s of each.", lab.Set(frames), a.Figure(base, unitTime),
			a.Each(unitTime, base, named(sampleName(frames, viaSeam), viaSeam), named(sampleName(frames, viaGperftools), viaGperftools)), a.Figure(sampleName(frames, viaBare), unitTime)))
	}
	for _, hz := range rates {
		var list []lab.Named
		for _, via := range loads {
			if a.Find(workName(via, 0), unitTime) != nil {
				n := named(workName(via, hz), via)
				n.Base = workName(via, 0)
				list = append(list, n)
			}
		}
		a.Say(lab.Tell("Work under a profile at %s Hz, against the same process without: %s.", lab.Set(hz), a.Each(unitTime, "", list...)))
	}
	for _, frames := range depths {
		var names []string
		for _, via := range samplers {
			names = append(names, sampleName(frames, via))
		}
		a.Draw(a.Bars(result.Chart{Title: fmt.Sprintf("A sample at %d frames of C", frames), Unit: "ns", Caption: "The signal, the handler, the walk and the record."}, unitTime, names...))
	}
}

func named(name, via string) lab.Named { return lab.Named{Name: name, Words: labels[via]} }
