package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/stack/limits"
	"github.com/seamgo/seam/internal/testenv"
)

func TestStackLimits(t *testing.T) {
	testenv.Builds(t)
	c := seam(t, "stack", "limits", "--only", "--no-overflow", "--json", "-")
	c.must(t, exitOK, "", "")
	var r limits.Report
	if err := json.Unmarshal([]byte(c.out), &r); err != nil || len(r.Toolchains) != 1 || r.Toolchains[0].Values["variable"].N != 128<<10 {
		t.Errorf("%v: %s", err, c.out)
	}
	// Where the compiler knows no such machine, the figures are not those of another.
	t.Setenv("GOARCH", "nonesuch")
	c = seam(t, "stack", "limits", "--only")
	c.must(t, exitFailed, "not measured: go tool compile: ", `unknown architecture "nonesuch"`)
	if strings.Contains(c.out, "128 KB") {
		t.Errorf("figures without a compiler: %s", c.out)
	}
}

func TestStackLimitsRefuses(t *testing.T) {
	testenv.OtherProgram(t)
	for want, args := range map[string][]string{
		`--toolchain: "latest" is no version of Go`: {"--toolchain", "latest"},
		"folder nowhere does not exist":             {"--json", "nowhere/x.json"},
		"unexpected argument ./...":                 {"./..."},
	} {
		seam(t, append([]string{"stack", "limits"}, args...)...).must(t, exitUsage, "", want)
	}
}
