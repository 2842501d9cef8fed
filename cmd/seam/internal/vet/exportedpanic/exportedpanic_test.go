package exportedpanic_test

import (
	"os"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet/exportedpanic"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
	"github.com/seamgo/seam/cmd/seam/internal/vet/vettest"
	"github.com/seamgo/seam/internal/testenv"
)

func Test(t *testing.T) {
	t.Parallel()
	vettest.Run(t, exportedpanic.Rule, "testdata/bad", "testdata/good")
}

// A panic that is calls away is shown where it stands.
func TestWhere(t *testing.T) {
	t.Parallel()
	testenv.Tool(t, "gcc")
	text, err := os.ReadFile("testdata/bad/bad.go")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	found := 0
	for _, f := range vettest.Report(t, []*rule.Rule{exportedpanic.Rule}, "testdata/bad").Findings {
		if !strings.Contains(f.Message, "a panic of ") {
			continue
		}
		found++
		if len(f.Also) != 1 || !strings.Contains(lines[f.Also[0].Line-1], "panic(") {
			t.Errorf("%s:%d: %s: also %+v", f.File, f.Line, f.Message, f.Also)
		}
	}
	if found != 2 {
		t.Errorf("%d panics of functions that are called, want 2", found)
	}
}
