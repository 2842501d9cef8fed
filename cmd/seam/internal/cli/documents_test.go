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

// Every flag that a document for users gives seam exists, for the verb that it stands
// behind.
func TestDocumentsNameFlagsThatExist(t *testing.T) {
	parser, err := kong.New(new(verbs), kong.Vars{"default": ""})
	if err != nil {
		t.Fatal(err)
	}
	root := testenv.Repository(t)
	names, err := filepath.Glob(filepath.Join(root, "docs/*.md"))
	if err != nil || len(names) < 10 {
		t.Fatal(names, err)
	}
	readmes, err := filepath.Glob(filepath.Join(root, "README*.md"))
	if err != nil || len(readmes) == 0 {
		t.Fatal(readmes, err)
	}
	commands := 0
	for _, name := range append(names, readmes...) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		code := fenced.FindAllString(string(text), -1)
		for _, span := range codeSpan.FindAllString(fenced.ReplaceAllString(string(text), ""), -1) {
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
					t.Errorf("%s: seam %s: there is no --%s", filepath.Base(name), strings.TrimSpace(own), f[1])
				}
			}
			commands++
		}
	}
	if commands < 100 {
		t.Errorf("only %d commands were found", commands)
	}
}
