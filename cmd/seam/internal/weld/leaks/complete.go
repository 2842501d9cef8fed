package leaks

import (
	"fmt"
	"path/filepath"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// gaps are what is missing in a record, so that blocks may be that it doesn't show.
func (r *Record) gaps() []string {
	var list []string
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	if r.Cut != "" {
		add("%s", r.Cut)
	}
	if r.Unsearched {
		add("the process could not be searched, and said why")
	}
	full := r.Full
	if full == "" {
		full = "the table of blocks was full"
	}
	if r.LostBlocks > 0 {
		add("%s could not be recorded: %s", quantity.Plural(r.LostBlocks, "block"), full)
	}
	if r.LostWrong > 0 {
		add("%s could not be recorded", quantity.Plural(r.LostWrong, "wrong free"))
	}
	return list
}

// Gaps are what is missing of the run, each with the process that it is missing of.
// Where there is one, nothing follows from what is not found.
func (f *File) Gaps() []string {
	var list []string
	for _, p := range f.Processes {
		for _, gap := range p.Incomplete {
			list = append(list, fmt.Sprintf("process %d (%s): %s", p.PID, filepath.Base(p.Exe), gap))
		}
	}
	return append(list, f.LeftOut...)
}
