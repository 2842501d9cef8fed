//go:build unix

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// A reporter prints what the runs do while they do it: a failure with its output at once,
// each package when its tests have ended, and after a silent while what is going on and
// how much is left.
type reporter struct {
	mu      sync.Mutex
	out     io.Writer
	runs    []*command
	lanes   int // runs side by side
	start   time.Time
	printed time.Time // when the last line was
}

// silence is after how long a run that prints nothing is said to go on.
const silence = 20 * time.Second

func (r *reporter) printf(format string, args ...any) {
	fmt.Fprintf(r.out, format, args...)
	r.printed = time.Now()
}

// begin says that a run starts.
func (r *reporter) begin(c *command) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c.began = time.Now()
	r.printf("-- %s: %s … (%s)\n", c.stage, c, r.left())
}

// end says how a run has ended.
func (r *reporter) end(c *command) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c.ended = true
	r.unfinished(c)
	if c.err != nil {
		r.printf("FAIL %s: %v: %s\n", c.stage, c.err, c)
	}
	r.printf("== %s: %s (%.0f s, %.0f s of processor time; %s)\n", c.stage, c, c.wall.Seconds(), c.cpu.Seconds(), r.left())
}

// left says how much is left to do. How long that takes is told by what has been done and
// by the seconds that the list has for each run.
func (r *reporter) left() string {
	var runs int
	var all, done float64
	for _, c := range r.runs {
		all += c.cost
		done += c.cost * c.done()
		if !c.ended {
			runs++
		}
	}
	switch {
	case runs == 0:
		return "nothing is left"
	case all == 0: // hours: stage soak
		return fmt.Sprintf("%d of %d runs left", runs, len(r.runs))
	}
	left := (all - done) / float64(r.lanes)
	if spent := time.Since(r.start).Seconds(); done > all/20 { // before that it says little
		left = spent * (all - done) / done
	}
	return fmt.Sprintf("%d of %d runs left, about %s", runs, len(r.runs), minutes(left))
}

func minutes(seconds float64) string {
	if seconds < 90 {
		return fmt.Sprintf("%.0f s", max(seconds, 1))
	}
	return fmt.Sprintf("%.0f min", seconds/60)
}

// watch tells what is going on whenever nothing else has been printed for a while.
func (r *reporter) watch(stop <-chan struct{}) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case <-tick.C:
			r.mu.Lock()
			if time.Since(r.printed) >= silence {
				r.going()
			}
			r.mu.Unlock()
		}
	}
}

// going prints a line of what is going on.
func (r *reporter) going() {
	var list []string
	for _, c := range r.runs {
		if c.began.IsZero() || c.ended {
			continue
		}
		text := fmt.Sprintf("%s for %.0f s", c.stage, time.Since(c.began).Seconds())
		if c.packages > 0 {
			text += fmt.Sprintf(", %d of %d packages", c.ends, c.packages)
		}
		if len(c.running) == 0 && c.packages > 0 {
			text += ", compiling"
		}
		for _, p := range slices.Sorted(maps.Keys(c.running)) {
			text += fmt.Sprintf(", %s for %.0f s", short(p), time.Since(c.running[p]).Seconds())
		}
		list = append(list, text)
	}
	r.printf("   … %s (%s)\n", strings.Join(list, "; "), r.left())
}

// short is a package's name without the module's.
func short(p string) string { return strings.TrimPrefix(p, "github.com/seamgo/seam/") }

// An event is a line of go test -json.
type event struct {
	Action, Package, ImportPath, Test, Output string
}

// A testName is a test of a package, or the package itself.
type testName struct{ pkg, test string }

// follow reads what a run prints, of go test -json or as it comes, until its end.
func (r *reporter) follow(c *command, from io.Reader) {
	lines := bufio.NewReader(from)
	for {
		line, err := lines.ReadString('\n')
		if line != "" {
			r.mu.Lock()
			r.line(c, line)
			r.mu.Unlock()
		}
		if err != nil {
			return
		}
	}
}

func (r *reporter) line(c *command, line string) {
	var e event
	if !c.json || !strings.HasPrefix(line, "{") || json.Unmarshal([]byte(line), &e) != nil || e.Action == "" {
		r.printf("%s", line)
		return
	}
	name := testName{e.Package, e.Test}
	switch e.Action {
	case "start":
		c.running[e.Package] = time.Now()
	case "build-output":
		r.printf("%s", e.Output)
	case "output":
		r.output(c, name, e.Output)
	case "pass", "skip", "fail":
		if e.Action == "fail" || c.verbose() {
			r.printf("%s", c.said[name])
		}
		delete(c.said, name)
		if e.Test == "" {
			delete(c.running, e.Package)
			if e.Action != "skip" { // which has no tests, and isn't among those that are counted
				c.ends++
			}
		}
	}
}

// output keeps what a test says until it is known how it ends. What stands between the
// tests, as the package's own line at its end, is printed at once.
func (r *reporter) output(c *command, name testName, text string) {
	switch {
	case name.test == "" && (strings.HasPrefix(text, "ok  \t") || strings.HasPrefix(text, "FAIL\t")):
		r.printf("%s", text)
	case name.test == "" && (text == "PASS\n" || text == "FAIL\n" || strings.Contains(text, "[no test files]")):
	case strings.HasPrefix(text, "=== "):
	default:
		c.said[name] += text
	}
}

// unfinished prints what tests have said that never ended, as their process didn't live to
// see it.
func (r *reporter) unfinished(c *command) {
	for name, text := range c.said {
		if c.err != nil {
			r.printf("%s %s has not ended:\n%s", short(name.pkg), name.test, text)
		}
	}
	clear(c.said)
}
