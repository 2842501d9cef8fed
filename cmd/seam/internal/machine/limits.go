package machine

import (
	"fmt"
	"os"
	"runtime"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// A Limit is something that this machine can't measure, or can't measure well.
type Limit struct {
	What string // "hardware counters"
	Why  string // what was seen
	Fix  string // what the user can do; "" means nothing
}

// Limits finds out what this machine can't measure now. To do so it opens a hardware
// counter and sets the affinity of one thread to what it already is.
func Limits() []Limit {
	limits := probe()
	limits = append(limits, fromFacts(Read(), runtime.NumCPU())...)
	return append(limits, quota(parseQuota(read(os.DirFS("/"), "sys/fs/cgroup/cpu.max")), cores())...)
}

// fromFacts returns the limits that follow from the facts alone.
func fromFacts(f Facts, cpus int) []Limit {
	var limits []Limit
	if f.Cores == 1 {
		l := Limit{
			What: "two things running at the same time",
			Why:  "this process may use one core",
			Fix:  "use a machine or a container with two cores",
		}
		if cpus > 1 {
			l.Fix = "widen the affinity (taskset, cpuset)"
		}
		limits = append(limits, l)
	}
	if f.GOMAXPROCS > 0 && f.GOMAXPROCS < f.Cores {
		limits = append(limits, Limit{
			What: "all usable cores",
			Why:  fmt.Sprintf("GOMAXPROCS is %d on %d cores", f.GOMAXPROCS, f.Cores),
			Fix:  "unset GOMAXPROCS",
		})
	}
	switch {
	case f.Scaling == "":
		limits = append(limits, Limit{
			What: "the clock frequency",
			Why:  "the system reports no frequency governor",
			Fix:  "trust ratios more than single times",
		})
	case f.Scaling != "performance":
		limits = append(limits, Limit{
			What: "times at a fixed clock frequency",
			Why:  "the frequency governor is " + f.Scaling,
			Fix:  "as root: cpupower frequency-set -g performance",
		})
	}
	if f.Load >= 0 && f.Cores > 0 && f.Load > float64(f.Cores)/2 {
		limits = append(limits, Limit{
			What: "times of a quiet machine",
			Why:  fmt.Sprintf("the load of the last minute is %.2f on %s", f.Load, quantity.Plural(f.Cores, "core")),
			Fix:  "stop other programs, wait a minute and run again",
		})
	}
	if f.Virtual != "" {
		limits = append(limits, Limit{
			What: "system calls and interrupts as on bare hardware",
			Why:  "this is a virtual machine (" + f.Virtual + ")",
			Fix:  "for absolute figures, run on bare metal",
		})
	}
	return limits
}

// quota is the limit of a container that is stopped when it has used up its share.
func quota(cpus float64, cores int) []Limit {
	if cpus == 0 || cpus >= float64(cores) {
		return nil
	}
	return []Limit{{
		What: "steady times over many threads",
		Why:  fmt.Sprintf("the control group stops this process beyond %.2g of %s", cpus, quantity.Plural(cores, "core")),
		Fix:  "lift the limit (docker --cpus, Kubernetes limits.cpu)",
	}}
}
