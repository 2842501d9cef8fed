package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"
)

// manVerb prints the manual page: the texts of all helps, as roff.
type manVerb struct{}

func (manVerb) examples() string {
	return "Examples:\n  seam man | man -l -\n  seam man >/usr/local/share/man/man1/seam.1\n"
}

func (manVerb) Run(s *session, parser *kong.Kong) error {
	var p manPage
	p.line(".TH SEAM 1 \"\" %q \"User Commands\"", "seam "+toolVersion())
	p.line(".SH NAME")
	p.line(`seam \- %s`, roff(lower(strings.TrimSuffix(about, "."))))
	p.line(".SH SYNOPSIS\n.B seam\n.I command\n[arguments]")
	p.line(".SH COMMANDS")
	for _, group := range groups {
		for _, node := range parser.Model.Children {
			if node.Group != nil && node.Group.Key == group.Key && !node.Hidden {
				p.verb(node)
			}
		}
	}
	p.line(".SH EXAMPLES")
	p.verbatim(strings.TrimPrefix(appHelp, "Examples:\n"))
	p.line(".SH EXIT STATUS")
	p.verbatim(strings.TrimPrefix(exitHelp, "Exit codes:\n"))
	_, err := io.WriteString(s.stdout, p.String())
	return withCode(exitFailed, err)
}

// manPage is roff that is being written.
type manPage struct{ strings.Builder }

func (p *manPage) line(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

// verb is what -h says of a verb, and of those below it.
func (p *manPage) verb(node *kong.Node) {
	shown := node
	if node.DefaultCmd != nil {
		shown = node.DefaultCmd
	}
	p.line(".SS seam %s", roff(verbPath(node)))
	p.line("%s", roff(node.Help))
	for _, arg := range shown.Positional {
		p.item(arg.Summary(), arg.Help)
	}
	for _, flag := range shown.Flags {
		if !flag.Hidden && flag.Name != "help" {
			p.item(flag.String(), flag.Help)
		}
	}
	if node.DefaultCmd != nil || len(node.Children) == 0 {
		p.verbatim(examplesText(shown))
	}
	for _, below := range node.Children {
		if !below.Hidden {
			p.verb(below)
		}
	}
}

// item is a flag or an argument with what it does.
func (p *manPage) item(name, help string) { p.line(".TP\n.B %s\n%s", roff(name), roff(help)) }

// verbatim is text whose lines stay as they are.
func (p *manPage) verbatim(text string) {
	if text = strings.TrimSpace(text); text != "" {
		p.line(".PP\n.nf\n%s\n.fi", roff(text))
	}
}

// roff is text in which no character is a command: those are a backslash, a dash, which would
// become a hyphen that can't be copied, and a dot or quotation mark that begins a line.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
