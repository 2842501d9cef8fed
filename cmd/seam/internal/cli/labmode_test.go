package cli

import (
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

// What only a full run has is left out of others, unless it is asked for by name.
func TestInMode(t *testing.T) {
	long := lab.Experiment{Name: "long", Cases: func(m lab.Mode) []lab.Case { return make([]lab.Case, lab.ByMode(m, 0, 0, 1)) }}
	list := append([]lab.Experiment{long}, synthetic[0])
	for _, mode := range []lab.Mode{lab.Quick, lab.Normal} {
		if got, err := inMode(mode, list, nil); err != nil || len(got) != 1 || got[0].Name == "long" {
			t.Errorf("%v: %d experiments, %v", mode, len(got), err)
		}
		if _, err := inMode(mode, list, []string{"long"}); err == nil || !strings.Contains(err.Error(), "--full") {
			t.Errorf("%v, by name: %v", mode, err)
		}
	}
	if got, err := inMode(lab.Full, list, []string{"long"}); err != nil || len(got) != 2 {
		t.Errorf("full: %d experiments, %v", len(got), err)
	}
}
