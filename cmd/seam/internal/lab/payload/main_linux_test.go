package payload

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestMain(m *testing.M) { os.Exit(inOwnCache(m)) }

// inOwnCache runs the tests with an empty cache of programs, and with the go command's own
// as it is.
func inOwnCache(m *testing.M) int {
	if cache, err := exec.Command("go", "env", "GOCACHE").Output(); err == nil {
		os.Setenv("GOCACHE", strings.TrimSpace(string(cache)))
	}
	dir, err := os.MkdirTemp("", "seam-payload-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	os.Setenv("XDG_CACHE_HOME", dir)
	return m.Run()
}
