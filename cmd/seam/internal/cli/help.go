package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/seamgo/seam/cmd/seam/internal/terminal"
)

// helpVerb is the verb that shows another's help. It is here for the list of verbs: its
// arguments are turned into the flag of that verb before they are parsed.
type helpVerb struct {
	Verb []string `arg:"" optional:"" help:"The verb; all of them if none is named."`
}

func (helpVerb) examples() string { return "Examples:\n  seam help\n  seam help lab compare\n" }

// Run is not reached: see askedForHelp.
func (helpVerb) Run(*session) error { return nil }

// askedForHelp turns "help lab compare" into "lab compare --help", and --version into the
// verb. A word that is no verb is left for the parser, which knows what was meant.
func askedForHelp(app *kong.Node, args []string) []string {
	switch {
	case len(args) == 0:
		return []string{"--help"}
	case args[0] == "--version":
		return append([]string{"version"}, args[1:]...)
	case args[0] != "help" || len(args) > 1 && strings.HasPrefix(args[1], "-"):
		return args
	}
	node := app
	for _, word := range args[1:] {
		if node = child(node, word); node == nil {
			return args[1:]
		}
	}
	return append(args[1:len(args):len(args)], "--help")
}

// child is the verb of that name below a node.
func child(node *kong.Node, name string) *kong.Node {
	i := slices.IndexFunc(node.Children, func(c *kong.Node) bool { return c.Name == name || slices.Contains(c.Aliases, name) })
	if i < 0 {
		return nil
	}
	return node.Children[i]
}

// helpCommand is the call that explains the verb at hand.
func helpCommand(c *kong.Context) string {
	if c != nil {
		if node := c.Selected(); node != nil {
			return "seam " + verbPath(node) + " -h"
		}
	}
	return "seam -h"
}

// verbPath is the words that choose a verb: "lab compare". A default verb's
// own name is left out.
func verbPath(node *kong.Node) string {
	path := ""
	for ; node != nil && node.Parent != nil; node = node.Parent {
		if node.Parent.DefaultCmd == node {
			continue
		}
		if path != "" {
			path = " " + path
		}
		path = node.Name + path
	}
	return path
}

// inWords is an error of the parser as people say it: what is missing, what it is, and how
// it looks.
func inWords(wrong *kong.ParseError) error {
	help := helpCommand(wrong.Context)
	node := wrong.Context.Selected()
	said := wrong.Error()
	needs := ""
	if node != nil {
		for _, p := range node.Positional {
			if p.Required && strings.HasPrefix(said, `expected "<`+p.Name) {
				needs = lower(p.Help)
			}
		}
	}
	if flags, ok := strings.CutPrefix(said, "missing flags: "); ok {
		needs = flags
	}
	if verbs, ok := strings.CutPrefix(said, "expected one of "); ok {
		needs = "one of " + strings.ReplaceAll(verbs, `"`, "")
	}
	if needs == "" || node == nil {
		return fmt.Errorf("%w (%s shows how)", wrong, help)
	}
	message := fmt.Sprintf("seam %s needs %s (%s shows more)", verbPath(node), needs, help)
	if line := firstExample(node); line != "" {
		message += "\n\tfor example: " + line
	}
	return errors.New(message)
}

// lower is a sentence in the middle of another.
func lower(sentence string) string {
	sentence = strings.TrimSuffix(sentence, ".")
	if len(sentence) > 1 && sentence[1] >= 'a' && sentence[1] <= 'z' || strings.HasPrefix(sentence, "A ") {
		return strings.ToLower(sentence[:1]) + sentence[1:]
	}
	return sentence
}

// examplesText is what a verb adds to its help.
func examplesText(node *kong.Node) string {
	if h, ok := node.Target.Addr().Interface().(interface{ examples() string }); ok {
		return h.examples()
	}
	return ""
}

// firstExample is the first call of the verb that its help shows.
func firstExample(node *kong.Node) string {
	for line := range strings.Lines(examplesText(node)) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "seam "+verbPath(node)) {
			return line
		}
	}
	return ""
}

// printHelp adds the examples to kong's help, and the exit codes to that of the program.
func (s *session) printHelp(options kong.HelpOptions, c *kong.Context) error {
	screen := terminal.Of(c.Stdout)
	options.WrapUpperBound = min(options.WrapUpperBound, screen.Width)
	more := appHelp + exitHelp
	show := printVerbs
	if node := c.Selected(); node != nil {
		more, show = examplesText(node), kong.DefaultHelpPrinter
		if node.Parent.DefaultCmd == node {
			node = node.Parent
		}
		if node.DefaultCmd != nil {
			show = func(o kong.HelpOptions, c *kong.Context) error { return printDefaultHelp(o, c, node) }
		}
		if node.Name == "lab" {
			more = s.listOfExperiments() + "\n" + more
		}
	}
	if err := show(options, c); err != nil {
		return err
	}
	_, err := io.WriteString(c.Stdout, "\n"+narrow(more, screen.Width))
	return err
}

// printVerbs shows the program's own help. All of its verbs are in groups, whose heads kong
// puts behind one that says no more.
func printVerbs(options kong.HelpOptions, c *kong.Context) error {
	return edited(options, c, c, func(help string) string {
		return strings.NewReplacer("\nCommands:\n\n", "\n", `Run "seam <command> --help" for more information on a command.`, "More of a command: seam help COMMAND").Replace(help)
	})
}

// edited shows what kong says of a context, changed.
func edited(options kong.HelpOptions, c, of *kong.Context, edit func(help string) string) error {
	out := c.Stdout
	var text strings.Builder
	of.Stdout = &text
	err := kong.DefaultHelpPrinter(options, of)
	c.Stdout = out
	if err != nil {
		return err
	}
	_, err = io.WriteString(out, edit(text.String()))
	return err
}

func (s *session) listOfExperiments() string {
	var list strings.Builder
	list.WriteString("Experiments:\n")
	for _, e := range s.experiments {
		fmt.Fprintf(&list, "  %-10s  %s\n", e.Name, e.Title)
	}
	return list.String()
}

// printDefaultHelp shows a verb that has verbs below it as what it does by
// default, with the arguments and flags of that. kong shows the list of verbs
// alone.
func printDefaultHelp(options kong.HelpOptions, c *kong.Context, node *kong.Node) error {
	inner, err := kong.Trace(c.Kong, append(strings.Fields(verbPath(node)), node.DefaultCmd.Name))
	if err != nil {
		return err
	}
	verb := "seam " + verbPath(node)
	wide := 0
	for _, sub := range node.Children {
		if !sub.Hidden {
			wide = max(wide, len(verbPath(sub)))
		}
	}
	list := "\nCommands:\n"
	for _, sub := range node.Children {
		if !sub.Hidden {
			list += fmt.Sprintf("  %-*s    %s\n", wide, verbPath(sub), sub.Help)
		}
	}
	return edited(options, c, inner, func(help string) string {
		return strings.ReplaceAll(help, verb+" "+node.DefaultCmd.Name, verb) + narrow(list, options.WrapUpperBound)
	})
}
