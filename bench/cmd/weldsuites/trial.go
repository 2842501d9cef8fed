package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seamgo/seam/bench/internal/command"
	"github.com/seamgo/seam/bench/internal/seam"
)

// minCalls makes a plan of functions that a suite calls seldom: here it is about
// many functions, not about sure gains.
const minCalls = 20

// A runner runs suites one after the other.
type runner struct {
	options
	stderr command.Screen
	trials []*trial
}

// A side is a way to build and run the tests.
type side struct {
	outcomes outcomes
	printed  string
	time     time.Duration
}

// A trial is one suite, as it is and welded, under the same conditions.
type trial struct {
	suite       suite
	condition   string // "" or "GOGC=1"
	welded      int    // functions
	plain, weld side
	differ      []verdict
	flaky       []verdict
}

// A verdict is about a test that differed at first.
type verdict struct {
	test  test
	plain []string // the outcomes, the first one first
	weld  []string
}

// suite traces, plans and compares one suite.
func (r *runner) suite(ctx context.Context, s suite) error {
	defer r.stderr.Say("")
	r.stderr.Say("%s: copying the module", s.name)
	p, err := r.project(ctx, s)
	if err != nil {
		return err
	}
	r.stderr.Say("%s: its tests as they are", s.name)
	plain, err := r.run(ctx, p, p.Go(r.test(s, "")...))
	if err != nil {
		return err
	}
	r.stderr.Say("%s: tracing", s.name)
	trace, plan := filepath.Join(r.work, s.name+".trace"), filepath.Join(r.work, s.name+".plan")
	if err := os.Remove(trace); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	// The suite's benchmarks too: tests alone call most functions a few times only.
	more := []string{"-count", strconv.Itoa(s.traced), "-bench", s.bench, "-benchtime", "200x", s.packages}
	if r.traced != "" {
		more = append([]string{"-run", r.traced}, more...)
		more[slices.Index(more, "-bench")+1] = r.traced
	}
	if err := p.Trace(ctx, trace, r.test(s, "", more...)...); err != nil {
		// Tests that fail as they are fail traced too.
		if _, none := os.Stat(trace); none != nil || plain.outcomes.allPass() {
			return err
		}
	}
	rule := []string{"--min-calls", strconv.Itoa(minCalls)}
	if r.p999 != "" {
		rule = append(rule, "--p999", r.p999)
	}
	if err := p.Plan(ctx, trace, plan, rule...); err != nil {
		return err
	}
	if r.force || r.coro || r.park {
		change := leafLine
		switch {
		case r.coro:
			change = coroLine
		case r.park:
			change = parkLine
			p.Env = append(p.Env, "SEAM_PARK=all") // of tests that are not welded nobody reads it
		}
		refused := func() ([]byte, error) {
			line := p.Weld(plan, r.test(s, "", "-run", "^$", s.packages)...)
			said, err := p.Command(ctx, line).CombinedOutput()
			if err != nil {
				err = p.Failed(ctx, line, err, said)
			}
			return said, err
		}
		if err := force(plan, change, refused); err != nil {
			return err
		}
	}
	conditions := []string{r.env}
	if r.gogc && r.env == "" {
		conditions = append(conditions, "GOGC=1")
	}
	for _, c := range conditions {
		t := &trial{suite: s, condition: c, plain: plain}
		if c != "" {
			r.stderr.Say("%s: its tests as they are, %s", s.name, c)
			if t.plain, err = r.run(ctx, p, p.Go(r.test(s, c)...)); err != nil {
				return err
			}
		}
		r.stderr.Say("%s: its tests welded %s", s.name, c)
		if t.weld, err = r.run(ctx, p, p.Weld(plan, r.test(s, c)...)); err != nil {
			return err
		}
		if t.welded = weldedFunctions(t.weld.printed); t.welded == 0 && !s.maybeNone {
			return fmt.Errorf("nothing was welded: see %s\n%s", plan, seam.Tail(t.weld.printed, 10))
		}
		if err := r.judge(ctx, p, plan, t); err != nil {
			return err
		}
		r.trials = append(r.trials, t)
	}
	return nil
}

// test is the arguments of the go command that runs the suite's tests. The
// condition is put into the environment of the test binaries alone: a compiler
// with GOGC=1 takes for ever.
func (r *runner) test(s suite, condition string, more ...string) []string {
	// Today's vet finds fault with old tests that go test would then not run.
	args := []string{"test", "-json", "-vet=off", "-count=1", "-timeout", "10m"}
	if r.race {
		args = append(args, "-race")
	}
	if s.skip != "" {
		args = append(args, "-skip", s.skip)
	}
	by := r.exec
	if condition != "" {
		by = strings.TrimSpace("env " + condition + " " + by)
	}
	if by != "" {
		args = append(args, "-exec", by)
	}
	args = append(args, more...)
	if len(more) == 0 {
		args = append(args, s.packages)
	}
	return args
}

// run runs tests. That some fail is no error; that none ran is.
func (r *runner) run(ctx context.Context, p seam.Project, line []string) (side, error) {
	var out, errs bytes.Buffer
	c := p.Command(ctx, line)
	c.Stdout, c.Stderr = &out, &errs
	start := time.Now()
	failed := c.Run()
	s := side{time: time.Since(start)}
	var exit *exec.ExitError
	if failed != nil && (ctx.Err() != nil || !errors.As(failed, &exit)) {
		return s, p.Failed(ctx, line, failed, errs.Bytes())
	}
	var err error
	if s.outcomes, s.printed, err = readOutcomes(&out); err != nil {
		return s, err
	}
	s.printed += errs.String()
	if pass, fail, skip := s.outcomes.count(); pass+fail+skip == 0 {
		if failed == nil {
			failed = errors.New("no test ran")
		}
		return s, p.Failed(ctx, line, failed, []byte(s.printed))
	}
	return s, nil
}

func (o outcomes) allPass() bool {
	for _, s := range o {
		if s == "fail" {
			return false
		}
	}
	return true
}

// judge runs the tests that differ again, by themselves: a difference that does
// not come back is put down to a flaky test.
func (r *runner) judge(ctx context.Context, p seam.Project, plan string, t *trial) error {
	found := differences(t.plain.outcomes, t.weld.outcomes)
	if len(found) == 0 {
		return nil
	}
	verdicts := make([]verdict, len(found))
	note := func(plain, weld outcomes) {
		for i, x := range found {
			verdicts[i].test = x
			verdicts[i].plain = append(verdicts[i].plain, plain.of(x))
			verdicts[i].weld = append(verdicts[i].weld, weld.of(x))
		}
	}
	note(t.plain.outcomes, t.weld.outcomes)
	for n := range r.reruns {
		r.stderr.Say("%s: running %d tests again, %d of %d", t.suite.name, len(found), n+1, r.reruns)
		plain, weld := outcomes{}, outcomes{}
		for pkg, names := range byPackage(found) {
			args := r.test(t.suite, t.condition, "-run", names, pkg)
			for _, again := range []struct {
				line []string
				into outcomes
			}{{p.Go(args...), plain}, {p.Weld(plan, args...), weld}} {
				s, err := r.run(ctx, p, again.line)
				if err != nil {
					return err
				}
				maps.Copy(again.into, s.outcomes)
			}
		}
		note(plain, weld)
	}
	for _, v := range verdicts {
		if v.alike() {
			t.flaky = append(t.flaky, v)
		} else {
			t.differ = append(t.differ, v)
		}
	}
	return nil
}

// alike reports whether the difference is the test's own: it did not come back, or the test passes
// and fails by chance as it is, and both welded too.
func (v verdict) alike() bool {
	return slices.Equal(v.plain[1:], v.weld[1:]) || slices.Equal(distinct(v.plain), distinct(v.weld))
}

func distinct(list []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(list)))
}

// byPackage returns an expression for -run for each package: the whole package
// where it differs as such.
func byPackage(tests []test) map[string]string {
	tops := map[string][]string{}
	for _, t := range tests {
		if t.name != "" && !slices.Contains(tops[t.pkg], regexp.QuoteMeta(t.top())) {
			tops[t.pkg] = append(tops[t.pkg], regexp.QuoteMeta(t.top()))
		}
	}
	expressions := map[string]string{}
	for _, t := range tests {
		if names := tops[t.pkg]; len(names) > 0 {
			expressions[t.pkg] = "^(" + strings.Join(names, "|") + ")$"
		} else {
			expressions[t.pkg] = "."
		}
	}
	return expressions
}

// welded is what seam weld says when it is done.
var welded = regexp.MustCompile(`(?m)^seam: welded (\d+) of \d+ functions`)

// weldedFunctions returns how many functions seam weld says it has welded.
func weldedFunctions(printed string) int {
	n := 0
	if m := welded.FindStringSubmatch(printed); m != nil {
		n, _ = strconv.Atoi(m[1])
	}
	return n
}
