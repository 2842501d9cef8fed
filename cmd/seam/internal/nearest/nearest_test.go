package nearest_test

import (
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/nearest"
)

func TestNames(t *testing.T) {
	names := []string{"call", "grid", "switch", "spawn"}
	for word, want := range map[string]string{
		"cal": "call", "cgrid": "grid", "swich": "switch", "spwan": "spawn", "callgrid": "call grid", "x": "", "": "",
	} {
		got := strings.Join(nearest.Names(word, names), " ")
		if got != want {
			t.Errorf("Names(%q) = %q, want %q", word, got, want)
		}
	}
}
