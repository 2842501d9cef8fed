package plan

import (
	"fmt"
	"strings"
	"time"
)

// trimWord begins the line that gives free memory back.
const trimWord = "trim:"

// The limits of trim:. More often would be work, and later than that nobody waits for.
const (
	leastTrim = 100 * time.Millisecond
	mostTrim  = time.Hour
)

// trim reads the line "trim: 1s".
func (p *parser) trim(words []word, comment string) {
	value := word{Text: strings.TrimPrefix(words[0].Text, trimWord), Column: words[0].Column + len(trimWord)}
	words = words[1:]
	if value.Text == "" && len(words) > 0 {
		value, words = words[0], words[1:]
	}
	d, err := time.ParseDuration(value.Text)
	switch {
	case err != nil || d < leastTrim || d > mostTrim:
		p.Fail(value.Column, "%.40q is not how long a program is idle before it gives memory back (from %s to %s, as in trim: 1s)", value.Text, "100ms", "1h")
	case len(words) > 0:
		p.Fail(words[0].Column, "trim: takes a time and nothing else")
	case p.plan.Trim != 0:
		p.Fail(0, "trim: already has a line, line %d", p.plan.TrimLine)
	default:
		p.plan.Trim, p.plan.TrimLine, p.plan.TrimComment = d, p.Line, comment
	}
}

// setting is a line of the whole program, as threads: 64.
func setting(word string, value any, comment string) string {
	line := fmt.Sprintf("\n%s %v", word, value)
	if comment != "" {
		line += " # " + oneLine(comment)
	}
	return line
}
