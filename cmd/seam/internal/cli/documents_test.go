package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/seamgo/seam/internal/testenv"
)

var (
	fenced   = regexp.MustCompile("(?ms)^ *```.*?^ *```")
	codeSpan = regexp.MustCompile("`[^`\n]+`")
	// A command of seam's, up to the go command that it runs or the end of the command.
	seamCommand = regexp.MustCompile(`(?:^|[\s;("'=/])seam ((?:[a-z]+ )*[^\n;&|#]*)`)
	longFlag    = regexp.MustCompile(`(?:^|\s)--([a-z][\w-]*)`)
)

// documents are those for users, by their paths.
func documents(t *testing.T) map[string]string {
	t.Helper()
	root := testenv.Repository(t)
	texts := map[string]string{}
	for pattern, least := range map[string]int{"docs/*.md": 10, "README*.md": 1} {
		names, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(names) < least {
			t.Fatal(names, err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			texts[filepath.Base(name)] = string(text)
		}
	}
	return texts
}

// Every flag stands in a document for users that names its verb.
func TestFlagsAreDocumented(t *testing.T) {
	parser, err := kong.New(new(verbs), kong.Vars{"default": ""})
	if err != nil {
		t.Fatal(err)
	}
	texts := documents(t)
	flags := 0
	var walk func(node *kong.Node)
	walk = func(node *kong.Node) {
		for _, f := range node.Flags {
			if f.Hidden || f.Name == "help" {
				continue
			}
			flags++
			names := "--" + regexp.QuoteMeta(f.Name) + `\b`
			if f.Short != 0 {
				names += "|[ `(]-" + string(f.Short) + `\b`
			}
			flag, verb := regexp.MustCompile(names), "seam "+verbPath(node)
			found := false
			for _, text := range texts {
				found = found || strings.Contains(text, verb) && flag.MatchString(text)
			}
			if !found {
				t.Errorf("%s --%s stands in no document that names the verb", verb, f.Name)
			}
		}
		for _, c := range node.Children {
			if !c.Hidden || c == node.DefaultCmd {
				walk(c)
			}
		}
	}
	walk(parser.Model.Node)
	if flags < 150 {
		t.Errorf("only %d flags were found", flags)
	}
}

// Every flag that a document for users gives seam exists, for the verb that it stands
// behind.
func TestDocumentsNameFlagsThatExist(t *testing.T) {
	parser, err := kong.New(new(verbs), kong.Vars{"default": ""})
	if err != nil {
		t.Fatal(err)
	}
	commands := 0
	for name, text := range documents(t) {
		code := fenced.FindAllString(text, -1)
		for _, span := range codeSpan.FindAllString(fenced.ReplaceAllString(text, ""), -1) {
			code = append(code, strings.Trim(span, "`"))
		}
		for _, m := range seamCommand.FindAllStringSubmatch(strings.Join(code, "\n"), -1) {
			own, _, _ := strings.Cut(m[1], " -- ")
			node := parser.Model.Node
			flags := slices.Clone(node.Flags)
			for _, word := range strings.Fields(own) {
				i := slices.IndexFunc(node.Children, func(c *kong.Node) bool { return c.Name == word || slices.Contains(c.Aliases, word) })
				if i < 0 {
					break
				}
				node = node.Children[i]
				flags = append(flags, node.Flags...)
			}
			if node.DefaultCmd != nil {
				flags = append(flags, node.DefaultCmd.Flags...)
			}
			for _, f := range longFlag.FindAllStringSubmatch(own, -1) {
				if !slices.ContainsFunc(flags, func(k *kong.Flag) bool { return k.Name == f[1] }) && f[1] != "help" {
					t.Errorf("%s: seam %s: there is no --%s", name, strings.TrimSpace(own), f[1])
				}
			}
			commands++
		}
	}
	if commands < 100 {
		t.Errorf("only %d commands were found", commands)
	}
}
