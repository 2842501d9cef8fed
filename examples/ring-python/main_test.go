//go:build linux

//seam:test native

package main

import (
	"errors"
	"os/exec"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

func TestRun(t *testing.T) {
	testenv.Builds(t)
	testenv.Tool(t, "python3")
	testenv.Tool(t, "cc")
	var out strings.Builder
	err := run(t.Context(), &out)
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 3 {
		testenv.Missing(t, "Python's headers are missing")
	}
	if err != nil {
		t.Fatal(err)
	}
	const want = "block  0: mean 1.000, largest 2.000\nblock 25: mean 26.000, largest 27.000\nblock 50: mean 51.000, largest 52.000\nblock 75: mean 76.000, largest 77.000\n"
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}
