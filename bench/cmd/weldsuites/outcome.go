package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strings"
)

// A test is one of a package; without a name it is the package as a whole.
type test struct{ pkg, name string }

func (t test) String() string {
	if t.name == "" {
		return t.pkg + " (package)"
	}
	return t.pkg + "." + t.name
}

// top is the name of the test that this one is a part of.
func (t test) top() string {
	name, _, _ := strings.Cut(t.name, "/")
	return name
}

// Outcomes are what became of tests: "pass", "fail" or "skip". A test that the
// end of its process has cut short has none.
type outcomes map[test]string

// missing is what is said of a test that ran on the other side only.
const missing = "missing"

func (o outcomes) of(t test) string {
	if s, ok := o[t]; ok {
		return s
	}
	return missing
}

// count returns how many tests passed, failed and were skipped. Packages don't
// count.
func (o outcomes) count() (pass, fail, skip int) {
	for t, s := range o {
		switch {
		case t.name == "":
		case s == "pass":
			pass++
		case s == "fail":
			fail++
		case s == "skip":
			skip++
		}
	}
	return pass, fail, skip
}

// differences returns the tests whose outcomes are not the same, in order. A
// package is among them only where none of its tests is.
func differences(a, b outcomes) []test {
	var all []test
	told := map[string]bool{}
	for _, t := range slices.Backward(everyTest(a, b)) { // a package stands before its tests
		if a.of(t) != b.of(t) && !(t.name == "" && told[t.pkg]) {
			all = append(all, t)
			told[t.pkg] = true
		}
	}
	slices.Reverse(all)
	return all
}

// everyTest returns the tests of both, in order.
func everyTest(a, b outcomes) []test {
	all := map[test]bool{}
	for t := range a {
		all[t] = true
	}
	for t := range b {
		all[t] = true
	}
	return slices.SortedFunc(maps.Keys(all), func(x, y test) int {
		if c := strings.Compare(x.pkg, y.pkg); c != 0 {
			return c
		}
		return strings.Compare(x.name, y.name)
	})
}

// readOutcomes reads what go test -json prints. Lines that are something else
// are left out: a program under test may print at any time. printed is what the
// tests themselves printed, without passing tests' names.
func readOutcomes(r io.Reader) (found outcomes, printed string, err error) {
	found = outcomes{}
	var text strings.Builder
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if bytes.HasPrefix(line, []byte("{")) {
			var e struct{ Action, Package, Test, Output string }
			if json.Unmarshal(line, &e) == nil {
				switch e.Action {
				case "pass", "fail", "skip":
					found[test{e.Package, e.Test}] = e.Action
				case "output", "build-output":
					if !strings.HasPrefix(e.Output, "=== ") && !strings.Contains(e.Output, "--- PASS") {
						text.WriteString(e.Output)
					}
				}
			}
		} else {
			text.Write(line)
		}
		if err == io.EOF {
			return found, text.String(), nil
		}
		if err != nil {
			return nil, "", err
		}
	}
}
