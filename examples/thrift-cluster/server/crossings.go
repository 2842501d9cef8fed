package server

import (
	"runtime"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/seamgo/seam/coro"
	"github.com/seamgo/seam/examples/thrift-cluster/engine"
	"github.com/seamgo/seam/leaf"
	"github.com/seamgo/seam/weld"
)

// crossings are the figures of what this process does in C: a prometheus.Collector. All of
// a scrape are read at once.
type crossings struct {
	engine func() engine.Stats
}

func figure(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(name, help, labels, nil)
}

var (
	leafCalls    = figure("seam_leaf_calls_total", "Calls of the C++ engine as leaves.")
	cgoCalls     = figure("seam_cgo_calls_total", "Calls of C through cgo.")
	leafAssembly = figure("seam_leaf_assembly", "1: leaf calls switch stacks by themselves; 0: they go through cgo.")

	welded   = figure("seam_welded_functions", "Functions that seam weld has made leaves, by how they are called now; none if the program is not welded.", "state")
	timed    = figure("seam_welded_timed_calls_total", "Calls of welded functions that the guard has timed.")
	over     = figure("seam_welded_over_budget_calls_total", "Of these, calls that took longer than their budget.")
	coroPath = figure("seam_coro_assembly", "1: coroutines have stacks of their own; 0: they go through cgo.")

	coroutines = figure("seam_coroutines", "Coroutines that have a stack.")
	waiting    = figure("seam_coroutines_waiting", "Coroutines that wait for a descriptor.")
	abandoned  = figure("seam_coroutines_abandoned_total", "Coroutines that would not end: their stacks are lost.")

	stackBytes  = figure("seam_coroutine_stack_bytes", "Memory of the stacks of coroutines, in use or not.")
	engineBytes = figure("seam_c_memory_bytes", "Memory of the C++ engine.")
	heapBytes   = figure("seam_c_heap_bytes", "Memory that C and C++ have from malloc, the engine's included; 0 where the C library does not tell.")

	allCrossings = []*prometheus.Desc{leafCalls, cgoCalls, leafAssembly, welded, timed, over, coroPath, coroutines, waiting, abandoned, stackBytes, engineBytes, heapBytes}
)

// Describe is for Prometheus.
func (crossings) Describe(to chan<- *prometheus.Desc) {
	for _, d := range allCrossings {
		to <- d
	}
}

// Collect is for Prometheus.
func (c crossings) Collect(to chan<- prometheus.Metric) {
	counter := func(d *prometheus.Desc, value float64) {
		to <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, value)
	}
	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	e := c.engine()
	counter(leafCalls, float64(e.Calls))
	counter(cgoCalls, float64(runtime.NumCgoCall()))
	gauge(leafAssembly, number(e.Path == leaf.PathAssembly))
	gauge(engineBytes, float64(e.Bytes))
	gauge(heapBytes, float64(engine.HeapBytes()))

	states := map[weld.State]int{weld.Probation: 0, weld.Leaf: 0, weld.Coro: 0, weld.Demoted: 0, weld.Cgo: 0}
	var timedCalls, overBudget uint64
	for _, f := range weld.ReadStats().Functions {
		states[f.State]++
		timedCalls += f.Timed
		overBudget += f.Over
	}
	for state, n := range states {
		gauge(welded, float64(n), string(state))
	}
	counter(timed, float64(timedCalls))
	counter(over, float64(overBudget))

	s := coro.ReadStats()
	inUse, bytes := 0, 0
	for _, k := range s.Stacks {
		inUse += k.InUse
		bytes += k.Made * k.Size
	}
	gauge(coroPath, number(coro.Status().Path == coro.PathAssembly))
	gauge(coroutines, float64(inUse))
	gauge(stackBytes, float64(bytes))
	gauge(waiting, float64(s.Waiting))
	counter(abandoned, float64(s.Abandoned))
}
