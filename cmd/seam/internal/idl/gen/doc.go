package gen

import (
	"go/format"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
)

// doc writes a comment: lead, which begins with the name, where the source
// has no comment of its own, else that. An annotation deprecated becomes Go's
// paragraph.
func (f *file) doc(text string, annotations model.Annotations, lead ...string) {
	lines := lead
	if text != "" {
		if made := strings.TrimSuffix(string(formatDoc(text)), "\n"); made != "" {
			lines = strings.Split(made, "\n")
			for i, line := range lines {
				lines[i] = strings.TrimPrefix(strings.TrimPrefix(line, "//"), " ")
			}
		}
	}
	if why, ok := annotations["deprecated"]; ok {
		if len(lines) > 0 {
			lines = append(lines[:len(lines):len(lines)], "")
		}
		if why == "" || why == "1" {
			why = "said so in the Thrift file."
		}
		lines = append(lines, "Deprecated: "+oneLine(why))
	}
	f.docLines(lines)
}

// docLines writes lines of a comment. They don't go through P, to which a
// brace at their end would mean something.
func (f *file) docLines(lines []string) {
	for _, line := range lines {
		f.text = append(f.text, strings.Repeat("\t", f.depth)...)
		f.text = append(f.text, "//"...)
		if line != "" && line[0] != '\t' {
			f.text = append(f.text, ' ')
		}
		f.text = append(f.text, line...)
		f.text = append(f.text, '\n')
	}
}

// docLines are the lines of a comment, in a form that can't end it or mean
// something to Go's tools.
func docLines(text string) []string {
	text = strings.Trim(cleanText(text), "\n")
	if strings.TrimSpace(text) == "" {
		return nil
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		line = strings.TrimRight(line, " \t")
		// An old build constraint.
		if strings.HasPrefix(strings.TrimSpace(line), "+build") {
			line = "(" + strings.TrimSpace(line) + ")"
		}
		lines[i] = line
	}
	return lines
}

// cleanText takes away what a Go source can't hold, even in comments.
func cleanText(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.ReplaceAll(s, "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == '\r':
			return '\n'
		case r < ' ' || r == 0x7F || r == 0xFEFF || r == 0x2028 || r == 0x2029:
			return -1
		}
		return r
	}, s)
}

// formatDoc is a comment of the source as a Go comment, in gofmt's form.
func formatDoc(text string) []byte {
	lines := docLines(text)
	if len(lines) == 0 {
		return nil
	}
	var f file
	f.docLines(lines)
	const clause = "package p\n"
	made, err := format.Source(append(f.text, clause...))
	if err != nil {
		panic("seam gen wrote a comment that can't be read: " + err.Error())
	}
	return made[:len(made)-len(clause)]
}
