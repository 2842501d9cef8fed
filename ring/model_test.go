package ring

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

// No wake-up is lost, in any order in which the ends can take their steps; and without any
// one of the measures against it, one is.
func TestModel(t *testing.T) {
	testenv.Builds(t)
	spin, cc := testenv.Tool(t, "spin"), testenv.Tool(t, "gcc")
	model, err := filepath.Abs("testdata/wake.pml")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		without string
		lost    bool
	}{
		{"NOTHING", false},
		{"WRITER_STORES", true},
		{"READER_STORES", true},
		{"WRITER_ARMS_BY_STORE", true},
		{"READER_ARMS_BY_STORE", true},
		{"NO_RECHECK", true},
		{"ARMS_TOO_EARLY", true},
		{"WRITER_KEEPS", true},
		{"READER_KEEPS", true},
	} {
		t.Run("without "+c.without, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			run := func(name string, args ...string) string {
				cmd := exec.CommandContext(t.Context(), name, args...)
				cmd.Dir = dir
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatalf("%s: %v\n%s", name, err, out)
				}
				return string(out)
			}
			run(spin, "-D"+c.without, "-a", model)
			run(cc, "-O0", "-w", "-DSAFETY", "-o", "pan", "pan.c")
			out := run("./pan", "-m100000")
			switch lost := strings.Contains(out, "pan:1: invalid end state"); {
			case regexp.MustCompile(`assertion violated|search depth too small`).MatchString(out) || !regexp.MustCompile(`errors: [01]\b`).MatchString(out):
				t.Errorf("the model itself is wrong:\n%s", out)
			case lost != c.lost:
				t.Errorf("a wake-up is lost: %v, want %v\n%s", lost, c.lost, out)
			}
		})
	}
}
