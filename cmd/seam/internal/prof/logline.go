package prof

import (
	"encoding/json"
	"regexp"
	"strings"
)

// A logLine is a line of a log: what it says is behind what systemd, Kubernetes and others put in
// front of each line, or within JSON, where a report may be one string.
type logLine struct {
	raw   string // as it was, with its end
	parts []logPart
}

// A logPart is a line of the program's.
type logPart struct {
	before string // the collector's
	text   string // of a report of a crash, with its tab where that is in front; else ""
	after  string
	deep   int    // in how many strings of JSON it stands
	key    string // what the collector has written, but for times: who wrote the line
}

// A tab as collectors write it, which escape what is no printing character.
var tab = regexp.MustCompile(`\t|#011|\\t|<09>|\\x09|\^I`)

// reportLine finds where a line of a report begins.
var reportLine = regexp.MustCompile(`seam: (SIG[A-Z]+ in C, |process \d|address 0x|the address |the stack |stack pointer 0x|the C stack|build IDs:|registers:|signals: )`)

// behind is what stands behind a line: colours, DOS's end, the end of a quoted value.
var behind = regexp.MustCompile(`(\\n|"|\s|\x1b\[[0-9;]*m)*$`)

// listed is a place of the stack, or a file with its build ID.
var listed = regexp.MustCompile(`^(\S+?(\+0x[0-9a-f]+)? \(.+ 0x[0-9a-f]+\)|.+: ([0-9a-f]{8,}|none|[\w/+=-]{20,}))$`)

// bare is the same where something has made spaces, or nothing, of the tab in front.
var bare = regexp.MustCompile(`(?:^|\s)(\S+?(?:\+0x[0-9a-f]+)? \((?:program|linux-vdso\S*|/.+?) 0x[0-9a-f]+\)|(?:program|/\S+): (?:[0-9a-f]{16,}|none|[\w/+=-]{20,}))$`)

// moment is a time in what collectors write.
var moment = regexp.MustCompile(`\d{4}-\d\d-\d\d|\d\d:\d\d:\d\d([.,]\d+)?(Z|[+-]\d\d:?\d\d)?|[A-Z][a-z]{2} [ \d]\d |\d{9,}|\d+\.\d{3,}`)

// parseLog splits a log.
func parseLog(text string) []logLine {
	var lines []logLine
	for _, raw := range strings.SplitAfter(text, "\n") {
		line := strings.TrimSuffix(raw, "\n")
		parts := parseJSON(line)
		if parts == nil {
			parts = []logPart{parseLine(line)}
		}
		parts[len(parts)-1].after += raw[len(line):]
		lines = append(lines, logLine{raw, parts})
	}
	return lines
}

// parseLine finds the program's part of a line. What is no part of a report has none.
func parseLine(line string) logPart {
	end := behind.FindStringIndex(line)[0]
	line, after := line[:end], line[end:]
	part := func(end int, text string) logPart {
		return logPart{before: line[:end], text: text, after: after, key: moment.ReplaceAllString(line[:end], "")}
	}
	if at := reportLine.FindStringIndex(line); at != nil {
		return part(at[0], line[at[0]:])
	}
	// Of a list: what follows the last tab, for collectors have some of their own.
	if tabs := tab.FindAllStringIndex(line, -1); tabs != nil {
		last := tabs[len(tabs)-1]
		if text := line[last[1]:]; listed.MatchString(text) {
			return part(last[0], "\t"+text)
		}
	}
	if at := bare.FindStringSubmatchIndex(line); at != nil {
		front := len(strings.TrimRight(line[:at[2]], " "))
		if front > 0 && front < at[2] {
			front++ // one space is the collector's
		}
		return part(front, "\t"+line[at[2]:])
	}
	return logPart{before: line, after: after}
}

// parseJSON looks for a report's lines among the strings of a line of JSON, of whatever fields, or a
// report as one string among others (logfmt, slog's text); nil where none has any.
func parseJSON(line string) []logPart {
	start := strings.IndexByte(line, '{')
	if start < 0 || !json.Valid([]byte(line[start:])) {
		if !strings.Contains(line, `\nseam: `) {
			return nil
		}
		start = 0
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
			var parts []logPart
			found := false
			key := moment.ReplaceAllString(line[:open+1]+line[end:], "")
			for _, l := range parseLog(s) {
				for _, p := range l.parts {
					found = found || p.text != ""
					parts = append(parts, logPart{escape(p.before), p.text, escape(p.after), p.deep + 1, key + p.key})
				}
			}
			if found {
				parts[0].before = line[:open+1] + parts[0].before
				parts[len(parts)-1].after += line[end:]
				return parts
			}
		}
		at = end + 1
	}
	return nil
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
func (p logPart) with(text string) string {
	if p.deep > 0 {
		for range p.deep {
			text = escape(text)
		}
		return p.before + text + p.after
	}
	after, ended := strings.CutSuffix(p.after, "\n")
	text = p.before + strings.ReplaceAll(text, "\n", after+"\n"+p.before) + after
	if ended {
		text += "\n"
	}
	return text
}

// streams tells the reports of a log apart that stand in one another's midst, as those of many
// containers do: by what their collector has written in front. Where that differs from line to
// line all is one stream, "".
func streams(lines []logLine) (of func(logPart) string) {
	const few = 4 // a report has more lines, and what happens to be alike in front has fewer
	count, heads := map[string]int{}, map[string]bool{}
	for _, l := range lines {
		for _, p := range l.parts {
			if p.text != "" {
				count[p.key]++
			}
			if isHead(p.text) {
				heads[p.key] = true
			}
		}
	}
	for key := range heads {
		if count[key] < few {
			return func(logPart) string { return "" }
		}
	}
	last := ""
	return func(p logPart) string {
		if count[p.key] >= few {
			last = p.key
		}
		return last
	}
}
