package main

import "fmt"

func ringCase(mode, peer, op, via string) string {
	return fmt.Sprintf("Ring/mode=%s/peer=%s/size=64/op=%s/via=%s", mode, peer, op, via)
}

const (
	p50 = "p50-ns"
	p99 = "p99-ns"
)

// ringGoals are those of the experiment ring, with records of 64 bytes.
func ringGoals() (list []goal) {
	most := func(what, name, unit string, limit, scale float64, behind string) {
		list = append(list, goal{what, limit, behind, func(m *measurement) (figure, bool) {
			f, ok := m.series(name, unit)
			return figure{f.value * scale, f.lo * scale, f.hi * scale}, ok
		}})
	}
	to := func(what string, limit float64, name, unit, other, otherUnit string) {
		list = append(list, goal{what, limit, "×", func(m *measurement) (figure, bool) {
			if f, ok := m.ratioOf(name, other, unit); ok && unit == otherUnit {
				return f, true
			}
			return m.quotient(name, unit, other, otherUnit)
		}})
	}
	here, each := ringCase("inproc", "go", "throughput", "seam"), ringCase("inproc", "go", "throughput", "seam/batch=1")
	most("a ring between goroutines, 20 M records a second: a record", here, unitTime, 50, 1, " ns")
	most("and published each, 8 M a second: a record", each, unitTime, 125, 1, " ns")
	// What took turns on the same two processors.
	beside := func(what string, limit float64, ours, other, unit string) {
		most(what, ours+"/beside="+other, unit, limit, 1, "×")
	}
	beside("a ring between threads of C, to boost's queue", 1, ringCase("inproc", "c", "throughput", "seam"), "boost", "ratio")
	beside("and made in place", 1, ringCase("inproc", "c", "throughput", "seam/inplace"), "boost", "ratio")
	beside("and both one by one", 1, ringCase("inproc", "c", "throughput", "seam/batch=1"), "boost/batch=1", "ratio")
	for _, peer := range []string{"go", "c"} {
		beside("a ring to a process ("+peer+"), to one between goroutines: 90 % of its records", 1/0.9, ringCase("xproc", peer, "throughput", "seam"), "inproc", "ratio")
		beside("and each side on a CPU", 1/0.9, ringCase("xproc", peer, "throughput", "seam"), "inproc/pinned", "ratio")
	}
	looking := func(mode, peer, where string) {
		spin := func(via string) string { return ringCase(mode, peer, "rtt-spin", via) }
		beside("there and back looking, "+where+", to a bare word", 1.5, spin("seam"), "line", "ratio")
		beside("its p99, to a bare word", 10, spin("seam"), "line", "p99-ratio")
		beside("the same through a ring of 4 KiB", 1.5, spin("seam/ring=4096"), "line", "ratio")
		beside("its p99", 10, spin("seam/ring=4096"), "line", "p99-ratio")
		beside("no goal: a word each way, no record", nothing, spin("lines"), "line", "ratio")
	}
	looking("inproc", "go", "between goroutines")
	for _, peer := range []string{"go", "c"} {
		looking("xproc", peer, "process ("+peer+")")
		park, unix := ringCase("xproc", peer, "rtt-park", "seam"), ringCase("xproc", peer, "rtt-park", "unix")
		to("there and back asleep, process ("+peer+"), to a Unix socket: p50", 0.8, park, p50, unix, p50)
		to("and p99", 1, park, p99, unix, p99)
		control := func(op string) {
			a, b := ringCase("xproc", peer, op, "unix/again"), ringCase("xproc", peer, op, "unix")
			to("no goal: a second Unix socket, to the first: p50", nothing, a, p50, b, p50)
			to("and p99", nothing, a, p99, b, p99)
		}
		control("rtt-park")
		for _, rate := range []int{100, 1000} {
			op := fmt.Sprintf("rtt/rate=%d", rate)
			seam, unix := ringCase("xproc", peer, op, "seam"), ringCase("xproc", peer, op, "unix")
			to(fmt.Sprintf("%d round trips a second, process (%s), to a Unix socket: p50", rate, peer), 1, seam, p50, unix, p50)
			to("and p99", 1, seam, p99, unix, p99)
			control(op)
		}
		most("processor time of an idle ring, process ("+peer+")", "Ring/mode=xproc/peer="+peer+"/what=idle/via=seam", "%", 0.1, 1, " %")
	}
	most("a ring to Python, 1.5 M records a second: a record", ringCase("xproc", "python", "throughput", "seam"), unitTime, 2000/3.0, 1, " ns")
	most("there and back to Python", ringCase("xproc", "python", "rtt-spin", "seam"), p50, 25, 1e-3, " µs")
	return list
}
