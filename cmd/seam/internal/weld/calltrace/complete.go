package calltrace

import (
	"fmt"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

// gaps are what is missing in a record, so that there may be calls that it doesn't
// show.
func (r *Record) gaps() []string {
	var list []string
	if r.Cut != "" {
		list = append(list, r.Cut)
	}
	full := r.Full
	if full == "" {
		full = "there were more functions and threads than it has room for"
	}
	if r.LostCalls > 0 {
		list = append(list, fmt.Sprintf("%s could not be recorded: %s", quantity.Plural(r.LostCalls, "call"), full))
	}
	return list
}

// Gaps are what is missing of the run, each with the process that it is missing of.
func (f *File) Gaps() []string {
	var list []string
	for _, p := range f.Processes {
		for _, gap := range p.Incomplete {
			list = append(list, fmt.Sprintf("process %d: %s", p.PID, gap))
		}
	}
	return append(list, f.LeftOut...)
}
