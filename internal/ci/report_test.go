//go:build unix

package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
)

// reported is what is printed of a run that prints these lines.
func reported(t *testing.T, c *command, lines ...string) string {
	t.Helper()
	var out bytes.Buffer
	r := &reporter{out: &out, runs: []*command{c}, lanes: 1, start: time.Now()}
	c.running, c.said, c.json = map[string]time.Time{}, map[testName]string{}, true
	r.follow(c, strings.NewReader(strings.Join(lines, "\n")+"\n"))
	return out.String()
}

func says(test, text string) string {
	return fmt.Sprintf(`{"Action":"output","Package":"p","Test":%q,"Output":%q}`, test, text)
}

func ends(test, how string) string {
	return fmt.Sprintf(`{"Action":%q,"Package":"p","Test":%q}`, how, test)
}

// A failure is printed when the test has failed, with what the test said; what others say
// isn't.
func TestFailureIsPrintedAtOnce(t *testing.T) {
	lines := []string{
		`{"Action":"start","Package":"p"}`,
		says("TestGood", "=== RUN   TestGood\n"), says("TestBad", "=== RUN   TestBad\n"), says("TestBad/one", "    one: wrong\n"), says("TestGood", "    good: fine\n"),
		ends("TestGood", "pass"),
		says("TestBad/one", "    --- FAIL: TestBad/one (0.00s)\n"), says("TestBad", "--- FAIL: TestBad (0.10s)\n"), ends("TestBad/one", "fail"), ends("TestBad", "fail"),
	}
	got := reported(t, &command{}, lines...)
	if want := "    one: wrong\n    --- FAIL: TestBad/one (0.00s)\n--- FAIL: TestBad (0.10s)\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := reported(t, &command{args: []string{"-v"}}, lines...); !strings.Contains(got, "good: fine") {
		t.Errorf("with -v: %q", got)
	}
}

// The packages that have ended are those with tests, as those that there are.
func TestPackagesWithTestsAreCounted(t *testing.T) {
	c := &command{packages: 2}
	reported(t, c, ends("TestA", "skip"), ends("TestB", "pass"), ends("", "pass"), ends("", "skip"), ends("", "fail"))
	if c.ends != 2 {
		t.Errorf("%d of %d packages have ended", c.ends, c.packages)
	}
}

// What a test said whose process died is printed, and so is what doesn't compile or is no event.
func TestNothingIsLost(t *testing.T) {
	c := &command{stage: "s", err: fmt.Errorf("exit status 1")}
	var out bytes.Buffer
	r := &reporter{out: &out, runs: []*command{c}, lanes: 1, start: time.Now()}
	c.running, c.said, c.json = map[string]time.Time{}, map[testName]string{}, true
	r.follow(c, strings.NewReader(strings.Join([]string{
		`{"ImportPath":"q","Action":"build-output","Output":"q.go:1: no\n"}`,
		"go: a warning",
		`{"Action":"start","Package":"p"}`,
		says("TestHangs", "    at step 3\n"), says("", "panic: test timed out\n"), says("", "FAIL\tp\t3600s\n"), ends("", "fail"),
	}, "\n")+"\n"))
	r.end(c)
	for _, want := range []string{"q.go:1: no", "go: a warning", "at step 3", "panic: test timed out", "FAIL\tp\t3600s", "TestHangs has not ended"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it doesn't say %q:\n%s", want, out.String())
		}
	}
}

// While nothing else is printed, a line says what goes on and how much is left.
func TestGoingOn(t *testing.T) {
	now := time.Now()
	first := &command{stage: "native", cost: 100, packages: 3, ends: 1, began: now.Add(-90 * time.Second), running: map[string]time.Time{"github.com/seamgo/seam/leaf": now.Add(-50 * time.Second)}}
	second := &command{stage: "race", cost: 100}
	var out bytes.Buffer
	r := &reporter{out: &out, runs: []*command{first, second}, lanes: 2, start: now.Add(-100 * time.Second)}
	r.going()
	if got, want := out.String(), "   … native for 90 s, 1 of 3 packages, leaf for 50 s (2 of 2 runs left, about 12 min)\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	first.ended, second.ended = true, true
	if got := r.left(); got != "nothing is left" {
		t.Error(got)
	}
}
