package cli

import (
	"regexp"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/text"
)

var (
	// itemStart is a line of a list: a name, and what it means behind two spaces.
	itemStart = regexp.MustCompile(`^ {2}\S+(?: \S+)*? {2,}`)
	heading   = regexp.MustCompile(`^[A-Z][\w ]{0,20}:$`)
)

// narrow breaks the lines of a help at their spaces where the terminal is narrower than
// they are. Commands stay in one line: they are there to be copied.
func narrow(help string, width int) string {
	var out strings.Builder
	var block []string // lines that belong together: a paragraph, or an entry of a list
	flush := func() {
		fill(&out, block, width)
		block = nil
	}
	commands := false
	for line := range strings.Lines(help) {
		line = strings.TrimRight(line, "\n")
		indented := strings.HasPrefix(line, " ")
		switch {
		case heading.MatchString(line):
			flush()
			out.WriteString(line + "\n")
			commands = line == "Examples:"
			continue
		case line == "" || commands:
			flush()
			out.WriteString(line + "\n")
			commands = commands && line != ""
			continue
		case itemStart.MatchString(line), len(block) > 0 && !indented && strings.HasPrefix(block[0], " "):
			flush()
		}
		block = append(block, line)
	}
	flush()
	return out.String()
}

// fill writes a block, anew if one of its lines is too wide.
func fill(out *strings.Builder, block []string, width int) {
	wide := false
	for _, line := range block {
		wide = wide || len([]rune(line)) > width
	}
	if !wide {
		for _, line := range block {
			out.WriteString(line + "\n")
		}
		return
	}
	lead := itemStart.FindString(block[0])
	if lead == "" || len(lead) > width/2 {
		lead = block[0][:len(block[0])-len(strings.TrimLeft(block[0], " "))]
	}
	block[0] = block[0][len(lead):]
	for i, line := range block {
		block[i] = strings.TrimSpace(line)
	}
	for _, line := range text.Break(strings.Join(block, " "), max(20, width-len(lead))) {
		out.WriteString(lead + line + "\n")
		lead = strings.Repeat(" ", len(lead))
	}
}
