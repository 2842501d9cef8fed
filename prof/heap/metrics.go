package heap

import (
	"bufio"
	"fmt"
	"io"
)

// figures are the metrics by their names in Prometheus's text format.
var figures = []struct {
	name, kind, help string
	of               func(*Metrics) int64
}{
	{"live_bytes", "gauge", "Bytes that C has allocated and not freed, mappings left out, estimated.", func(m *Metrics) int64 { return m.Live }},
	{"live_blocks", "gauge", "Blocks that C has allocated and not freed, estimated.", func(m *Metrics) int64 { return m.LiveObjects }},
	{"allocated_bytes_total", "counter", "Bytes that C has allocated, estimated.", func(m *Metrics) int64 { return m.Allocated }},
	{"allocated_blocks_total", "counter", "Blocks that C has allocated, estimated.", func(m *Metrics) int64 { return m.Objects }},
	{"mapped_bytes", "gauge", "Bytes of anonymous mappings that C has made.", func(m *Metrics) int64 { return m.Mapped }},
	{"peak_bytes", "gauge", "The most that was live and mapped together, estimated.", func(m *Metrics) int64 { return m.Peak }},
	{"malloc_arena_bytes", "gauge", "Bytes that glibc's malloc has from the system; 0 for other allocators.", func(m *Metrics) int64 { return m.Arenas }},
	{"malloc_free_bytes", "gauge", "Bytes of those that nobody uses, caches of threads left out.", func(m *Metrics) int64 { return m.Free }},
	{"resident_bytes", "gauge", "Resident memory of the process, Go's and files' too.", func(m *Metrics) int64 { return m.RSS }},
	{"stacks", "gauge", "Stacks that have allocated.", func(m *Metrics) int64 { return int64(m.Stacks) }},
	{"samples_total", "counter", "Samples that were taken.", func(m *Metrics) int64 { return m.Samples }},
	{"lost_samples_total", "counter", "Samples for which there was no room.", func(m *Metrics) int64 { return m.Lost }},
}

// WriteMetrics writes the figures of [Read] as Prometheus reads them (the text format, 0.0.4), each with
// seam_c_heap_ before its name. Where C's memory isn't profiled it writes nothing and returns what
// [Status] does.
//
//	http.HandleFunc("/metrics/cheap", func(w http.ResponseWriter, r *http.Request) { heap.WriteMetrics(w) })
func WriteMetrics(w io.Writer) error {
	if err := Status(); err != nil {
		return err
	}
	m := Read()
	b := bufio.NewWriter(w)
	for _, f := range figures {
		fmt.Fprintf(b, "# HELP seam_c_heap_%[1]s %[2]s\n# TYPE seam_c_heap_%[1]s %[3]s\nseam_c_heap_%[1]s %[4]d\n", f.name, f.help, f.kind, f.of(&m))
	}
	return b.Flush()
}
