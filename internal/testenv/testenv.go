// Package testenv is how a test says what it needs and where it has to run.
//
// Most packages are tested more than once: with the race detector, with other
// versions of Go, on other architectures. What a test proves is not always proven
// again by that. It says so itself, by one of the functions here, and internal/ci,
// which knows how the tests are built at the moment, says in the environment what
// has been proven before. So no list of tests can go stale when one is renamed.
package testenv

import (
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// Again lists, separated by commas, in what way the tests are run again after they
// have run natively: [Flags], [Race], [Toolchain], [Arch]. A test that is run by
// hand finds it empty and runs, whatever the flags.
const Again = "SEAM_TEST_AGAIN"

// What [Again] may list.
const (
	Flags     = "flags"     // the tests were built with other flags
	Race      = "race"      // with the race detector
	Toolchain = "toolchain" // by another version of Go
	Arch      = "arch"      // for another architecture, and run by an emulator
)

// Strict makes a missing program an error: in CI nothing is skipped for the lack of
// it.
const Strict = "SEAM_TEST_STRICT"

// Native is set where only what this machine does by itself is tested, as in make test:
// make test-all has the rest.
const Native = "SEAM_TEST_NATIVE"

func again(ways ...string) bool {
	for way := range strings.SplitSeq(os.Getenv(Again), ",") {
		if slices.Contains(ways, way) {
			return true
		}
	}
	return false
}

// Repeated reports whether the tests have run natively before. A test that looks for what
// chance brings may then take fewer rounds.
func Repeated() bool { return os.Getenv(Again) != "" }

// Builds is for a test of programs that it builds itself: the flags its own binary
// was built with don't reach them, so one run is enough. With -short there is none.
func Builds(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds programs, which -short leaves out")
	}
	GoProgram(t)
}

// GoProgram is for a quick test of programs that the go command builds: another version
// of Go builds others, but flags that its own binary was built with don't reach them.
func GoProgram(t testing.TB) {
	t.Helper()
	if again(Flags) {
		t.Skip("the work is done by other programs, and has been tested natively")
	}
}

// OtherProgram is for a quick test whose work is done by other programs, like a C
// compiler: how its own binary was built makes no difference, nor by which Go.
func OtherProgram(t testing.TB) {
	t.Helper()
	if again(Flags, Toolchain) {
		t.Skip("the work is done by other programs, and has been tested natively")
	}
}

// OneGoroutine is for a test that works a great deal on one goroutine, and so has
// nothing for the race detector.
func OneGoroutine(t testing.TB) {
	t.Helper()
	if again(Race) {
		t.Skip("has one goroutine, and nothing for the race detector")
	}
}

// OtherVersions returns the versions of Go, as go1.25.5, that a test goes through by
// itself besides the one at hand: those of SEAM_TOOLCHAINS, which make test-all sets.
func OtherVersions() []string {
	return slices.DeleteFunc(strings.Fields(os.Getenv("SEAM_TOOLCHAINS")), func(v string) bool { return v == runtime.Version() })
}

// AllVersions is for a test that goes through all versions of Go, and so need not be
// called by each of them.
func AllVersions(t testing.TB) {
	t.Helper()
	if again(Toolchain, Arch) {
		t.Skip("goes through all versions of Go by itself, and has done so natively")
	}
}

// Foreign is for a test of programs for another architecture, which the tools build and
// an emulator runs.
func Foreign(t testing.TB, tools ...string) {
	t.Helper()
	if os.Getenv(Native) != "" {
		t.Skip("make test-all runs this: its programs are for another architecture")
	}
	for _, name := range tools {
		Tool(t, name)
	}
}

// Soak is for what takes too long for every day: make soak sets SEAM_SOAK.
func Soak(t testing.TB) {
	t.Helper()
	if os.Getenv("SEAM_SOAK") == "" {
		t.Skip("make soak runs this (SEAM_SOAK=1)")
	}
}

// Tool returns the path of a program. Where there is none the test is skipped, or
// fails where nothing may be missing.
func Tool(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err == nil {
		return path
	}
	Missing(t, err)
	return ""
}

// Missing skips the test for the lack of something, or fails it where nothing may
// be missing.
func Missing(t testing.TB, why any) {
	t.Helper()
	if os.Getenv(Strict) != "" {
		t.Fatal(why, " (and ", Strict, " is set)")
	}
	t.Skip(why)
}
