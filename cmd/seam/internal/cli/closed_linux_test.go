package cli

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// A closed standard output is an error, and the null device is none.
func TestClosedOutput(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		redirect string
		fails    bool
	}{{">&-", true}, {">/dev/null", false}, {"0<>/dev/null 1>&0", false}} {
		for _, words := range []string{"lab --list", "version"} {
			cmd := exec.Command("sh", "-c", `exec "$0" `+words+" "+c.redirect, self)
			cmd.Env = append(os.Environ(), mainEnv+"=1")
			said, _ := cmd.CombinedOutput()
			if code := cmd.ProcessState.ExitCode(); (code > 0) != c.fails || c.fails != strings.Contains(string(said), "standard output is closed") {
				t.Errorf("seam %s %s: code %d: %s", words, c.redirect, code, said)
			}
		}
	}
}
