package prof

import (
	"encoding/json"
	"regexp"
	"strings"
)

// A logLine is a line of a log in which a report of a crash may stand: as it was written, behind
// what systemd, Kubernetes and others put in front of each line, or within a line of JSON.
type logLine struct {
	before string // the collector's
	text   string // the program's, with its tab where that is in front
	after  string
	quoted bool // text stands in a string of JSON
}

// A tab as collectors write it, which escape what is no printing character.
var tab = regexp.MustCompile(`\t|#011|\\t|<09>|\\x09|\^I`)

// reportLine finds where a line of a report begins.
var reportLine = regexp.MustCompile(`seam: (SIG[A-Z]+ in C, |process \d|address 0x|the address |the stack |stack pointer 0x|the C stack|build IDs:|registers:|signals: )`)

// parseLine finds the program's part of a line. What is no part of a report has none.
func parseLine(line string) logLine {
	if l, ok := parseJSON(line); ok {
		return l
	}
	line, end := strings.CutSuffix(line, "\r")
	after := ""
	if end {
		after = "\r"
	}
	if at := reportLine.FindStringIndex(line); at != nil {
		return logLine{before: line[:at[0]], text: line[at[0]:], after: after}
	}
	// Of a list: what follows the last tab, for collectors have some of their own.
	if tabs := tab.FindAllStringIndex(line, -1); tabs != nil {
		last := tabs[len(tabs)-1]
		if text := line[last[1]:]; listed.MatchString(text) {
			return logLine{before: line[:last[0]], text: "\t" + text, after: after}
		}
	}
	return logLine{before: line + after}
}

// listed is a place of the stack, or a file with its build ID.
var listed = regexp.MustCompile(`^(\S+?(\+0x[0-9a-f]+)? \(.+ 0x[0-9a-f]+\)|.+: ([0-9a-f]{8,}|none|[\w/+=-]{20,}))$`)

// parseJSON looks for a report's line among the strings of a line of JSON, of whatever fields.
func parseJSON(line string) (logLine, bool) {
	start := strings.IndexByte(line, '{')
	if start < 0 || !json.Valid([]byte(line[start:])) {
		return logLine{}, false
	}
	for at := start; at < len(line); {
		open := strings.IndexByte(line[at:], '"')
		if open < 0 {
			break
		}
		open += at
		end := open + 1
		for end < len(line) && line[end] != '"' {
			if line[end] == '\\' {
				end++
			}
			end++
		}
		if end >= len(line) {
			break
		}
		var s string
		if json.Unmarshal([]byte(line[open:end+1]), &s) == nil {
			inner := strings.TrimSuffix(s, "\n")
			if l := parseLine(inner); l.text != "" {
				tail := l.after + s[len(inner):]
				return logLine{before: line[:open+1] + escape(l.before), text: l.text, after: escape(tail) + line[end:], quoted: true}, true
			}
		}
		at = end + 1
	}
	return logLine{}, false
}

// escape is text as it stands within a string of JSON.
func escape(text string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // of a string it can't fail
	s := strings.TrimSuffix(b.String(), "\n")
	return s[1 : len(s)-1]
}

// with is the line with another text, of several lines if it must be.
func (l logLine) with(text string) string {
	if l.quoted {
		return l.before + escape(text) + l.after
	}
	return l.before + strings.ReplaceAll(text, "\n", l.after+"\n"+l.before) + l.after
}
