package result

import (
	"slices"
	"strconv"

	"github.com/seamgo/seam/cmd/seam/internal/machine"
)

// In a file in the Go benchmark format, what differs between runs that one
// wants to compare stands in comments of the form "#seam key: value". As plain
// configuration lines it would make benchstat set up a table for each value,
// and never put the old run beside the new one.
const (
	FactPrefix    = "#seam "
	KeyCores      = "cores"           // usable by the run
	KeyProcs      = "gomaxprocs"      // of the run
	KeyVirtual    = "virtual-machine" // hypervisor, where one was seen
	KeyGovernor   = "governor"        // of the processor's frequency
	KeyKernel     = "kernel"          // with its version
	KeyAffinity   = "affinity"        // processors that the run may use: "0-1"
	KeyQuota      = "cpu-quota"       // processors' worth of time that the control group allows: "1.5"
	KeyMemory     = "memory-limit"    // bytes that the control group allows
	KeyGODEBUG    = "godebug"         // the environment's
	KeyGOGC       = "gogc"
	KeyGOMEMLIMIT = "gomemlimit"
	KeyGo         = "go"     // version of Go
	KeyCommit     = "commit" // git commit of the working directory
	KeySeam       = "seam"   // version of the tool
	KeyLeaf       = "leaf"   // path that package leaf took
	KeyMode       = "mode"   // quick, normal or full
	KeyBases      = "bases"  // names of the benchmarks that hold none of the code under test
	KeyRound      = "round"  // which fresh process the lines below are from
)

// Facts are what a run knows of machine and program, by the keys of the benchmark format. What
// is not known is empty.
func (r *Run) Facts() []machine.Fact {
	m := r.Machine
	known := func(n int) string {
		if n <= 0 {
			return ""
		}
		return strconv.Itoa(n)
	}
	return []machine.Fact{
		{Name: "goos", Value: m.GOOS}, {Name: "goarch", Value: m.GOARCH}, {Name: "cpu", Value: m.CPU},
		{Name: KeyCores, Value: known(m.Cores)},
		{Name: KeyProcs, Value: known(m.GOMAXPROCS)},
		{Name: KeyVirtual, Value: m.Virtual},
		{Name: KeyGovernor, Value: m.Scaling},
		{Name: KeyKernel, Value: m.Kernel},
		{Name: KeyAffinity, Value: m.Affinity},
		{Name: KeyQuota, Value: m.Quota},
		{Name: KeyMemory, Value: m.MemoryLimit},
		{Name: KeyGODEBUG, Value: m.GODEBUG},
		{Name: KeyGOGC, Value: m.GOGC},
		{Name: KeyGOMEMLIMIT, Value: m.GOMEMLIMIT},
		{Name: KeyGo, Value: m.Go},
		{Name: KeyCommit, Value: r.Commit},
		{Name: KeySeam, Value: r.Seam},
		{Name: KeyLeaf, Value: r.Leaf},
		{Name: KeyMode, Value: r.Mode},
	}
}

// Bases returns the names of the series that hold none of the code that the
// others are there to measure, each once and in the order of the run: the
// yardsticks of an experiment that has some, else what its cases are compared
// with, which is Go or an empty call.
func (r *Run) Bases() []string {
	var names []string
	add := func(name string) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for i := range r.Experiments {
		e := &r.Experiments[i]
		for _, name := range e.Yardsticks {
			add(name)
		}
		if len(e.Yardsticks) > 0 {
			continue
		}
		for _, c := range e.Comparisons {
			if !c.Further {
				add(c.Base)
			}
		}
		for _, c := range e.Controls { // a base against its copy
			add(c.Name)
		}
	}
	return names
}
