package machine

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// A Fact is a property with its name, for people.
type Fact struct{ Name, Value string }

// Words is the fact in a sentence, without the name where the value says what
// it is.
func (f Fact) Words() string {
	switch f.Name {
	case "CPU", "caches", "kernel", "Go":
		return f.Value
	case "cores":
		if f.Value == "1" {
			return "1 core"
		}
		return f.Value + " cores"
	}
	return f.Name + " " + f.Value
}

// List is the facts, hardware first, without those that are not known.
func (f Facts) List() []Fact { return append(f.hardware(), f.system()...) }

// Line describes the machine in two lines for people: the hardware, then the
// system and its state.
func (f Facts) Line() string { return words(f.hardware()) + "\n" + words(f.system()) }

func words(facts []Fact) string {
	var all []string
	for _, f := range facts {
		all = append(all, f.Words())
	}
	return strings.Join(all, ", ")
}

func (f Facts) hardware() []Fact {
	var caches []string
	for _, c := range []struct {
		name string
		size int
	}{{"L1d", f.CacheL1D}, {"L1i", f.CacheL1I}, {"L2", f.CacheL2}, {"L3", f.CacheL3}} {
		if c.size > 0 {
			caches = append(caches, c.name+" "+quantity.Tick(float64(c.size), "B"))
		}
	}
	memory := ""
	if f.Memory > 0 {
		memory = quantity.Tick(float64(f.Memory), "B")
	}
	return known([]Fact{
		{"CPU", cmp.Or(f.CPU, "unknown processor")},
		{"cores", positive(f.Cores)},
		{"caches", strings.Join(caches, ", ")},
		{"memory", memory},
		{"virtual machine", cmp.Or(f.Virtual, "none seen")},
	})
}

func (f Facts) system() []Fact {
	load := "not known"
	if f.Load >= 0 && !math.IsInf(f.Load, 1) {
		load = fmt.Sprintf("%.2f", f.Load)
	}
	return known([]Fact{
		{"kernel", f.Kernel},
		{"Go", strings.TrimSpace(f.Go + " " + strings.Trim(f.GOOS+"/"+f.GOARCH, "/"))},
		{"GOMAXPROCS", positive(f.GOMAXPROCS)},
		{"GODEBUG", set(f.GODEBUG)},
		{"GOGC", set(f.GOGC)},
		{"GOMEMLIMIT", set(f.GOMEMLIMIT)},
		{"processors allowed by the control group", set(f.Quota)},
		{"bytes of memory allowed by the control group", set(f.MemoryLimit)},
		{"frequency scaling", cmp.Or(f.Scaling, "unknown")},
		{"load at start", load},
	})
}

func known(all []Fact) []Fact {
	return slices.DeleteFunc(all, func(f Fact) bool { return f.Value == "" })
}

func positive(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprint(n)
}

// set is a setting that says something: what is not set needs no words.
func set(value string) string {
	if value == unset || value == "none" {
		return ""
	}
	return value
}
