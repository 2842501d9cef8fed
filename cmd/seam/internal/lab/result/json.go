package result

import (
	"fmt"
	"io"

	"github.com/seamgo/seam/cmd/seam/internal/jsonfile"
)

// The largest run of the lab, --full with all experiments, is below half of these
// numbers.
var runs = jsonfile.Kind{Schema: Schema, Name: "a run of seam lab", Make: "seam lab --json FILE", Bytes: 128 << 20, Objects: 1_200_000, Entries: 1000}

// Encode writes the run as indented JSON of [Schema]. The same run gives the
// same bytes. A run that [Decode] would refuse, say because of a NaN, is an
// error, and nothing is written.
func (r *Run) Encode(w io.Writer) error {
	out := *r
	if out.Experiments == nil {
		out.Experiments = []Experiment{} // a list for readers in other languages, not null
	}
	if err := out.Check(); err != nil {
		return fmt.Errorf("write lab run: %w", err)
	}
	return runs.Encode(w, &out)
}

// Decode reads a run that [Run.Encode] wrote. It refuses other schema versions,
// input that was cut short, and values that don't fit together, so that what it
// returns can be drawn and compared without further checks. Fields that it does
// not know are from a later version of the same schema, and ignored.
func Decode(r io.Reader) (*Run, error) { return decode(r, runs) }

func decode(r io.Reader, k jsonfile.Kind) (*Run, error) {
	run := new(Run)
	if err := k.Decode(r, run); err != nil {
		return nil, fmt.Errorf("read lab run: %w", err)
	}
	return run, nil
}
