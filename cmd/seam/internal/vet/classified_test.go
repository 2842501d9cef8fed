package vet_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet"
)

// linesPerFalseAlarm is how many lines of Go with C in it there must be to each wrong finding.
const linesPerFalseAlarm = 5000

// classified are the findings in one module of others, judged by hand.
type classified struct {
	module, version          string
	lines                    int
	right, arguable, mistake int
}

var finding = regexp.MustCompile(`^[\w./-]+\.go:\d+\t([a-z-]+)\t(right|arguable|wrong)\t\S.+$`)

// TestClassified reads the findings in other people's modules, each judged by hand, and counts the
// false alarms.
func TestClassified(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/classified/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no table is there (%v)", err)
	}
	all := classified{}
	for _, name := range files {
		c, err := readClassified(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s %s: %d lines, %d right, %d arguable, %d wrong", c.module, c.version, c.lines, c.right, c.arguable, c.mistake)
		all.lines += c.lines
		all.right += c.right
		all.arguable += c.arguable
		all.mistake += c.mistake
	}
	t.Logf("all %d: %d lines, %d right, %d arguable, %d wrong", len(files), all.lines, all.right, all.arguable, all.mistake)
	if all.mistake*linesPerFalseAlarm > all.lines {
		t.Errorf("%d false alarms in %d lines, want one in %d at most", all.mistake, all.lines, linesPerFalseAlarm)
	}
}

func readClassified(name string) (c classified, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return c, err
	}
	number := 0
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		number++
		key, value, _ := strings.Cut(line, " ")
		switch key {
		case "#":
			continue
		case "module":
			c.module = value
			continue
		case "version":
			c.version = value
			continue
		case "lines":
			c.lines, err = strconv.Atoi(value)
			if err != nil {
				return c, fmt.Errorf("%s:%d: %w", name, number, err)
			}
			continue
		}
		m := finding.FindStringSubmatch(line)
		if m == nil || vet.Named(m[1]) == nil {
			return c, fmt.Errorf("%s:%d: want FILE:LINE, rule, verdict and why, with tabs between: %q", name, number, line)
		}
		switch m[2] {
		case "right":
			c.right++
		case "arguable":
			c.arguable++
		case "wrong":
			c.mistake++
		}
	}
	if c.module == "" || c.version == "" || c.lines == 0 {
		return c, fmt.Errorf("%s says no module, version or lines", name)
	}
	return c, nil
}
