package cli

import (
	"fmt"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

// inMode are the experiments that have something to measure in a mode: some take so long
// that only a full run has them. One that was asked for by name is not passed over.
func inMode(mode lab.Mode, chosen []lab.Experiment, named []string) ([]lab.Experiment, error) {
	var list []lab.Experiment
	for _, e := range chosen {
		switch {
		case len(e.Cases(mode)) > 0:
			list = append(list, e)
		case slices.Contains(named, e.Name):
			return nil, fmt.Errorf("%s takes long, and is measured with --full only", e.Name)
		}
	}
	return list, nil
}
