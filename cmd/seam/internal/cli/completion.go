package cli

import (
	"fmt"
	"os"
	"strings"

	"github.com/alecthomas/kong"
)

// completionVerb prints what a shell has to know to complete calls of seam.
type completionVerb struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"The shell: ${enum}."`
}

func (completionVerb) examples() string {
	return `Examples:
  seam completion bash >>~/.bashrc
  seam completion zsh >>~/.zshrc
  seam completion fish >~/.config/fish/completions/seam.fish

Verbs, flags, the values of flags where there are few, and the names of experiments
are completed; everything else is completed as files are.
`
}

// completionScripts make a shell ask the program itself. Bash and zsh (by bashcompinit)
// tell it the line up to the cursor as fish is made to: in COMP_LINE.
var completionScripts = map[string]string{
	"bash": "complete -o default -C %q seam\n",
	"zsh":  "autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\ncomplete -o default -C %q seam\n",
	"fish": `function __complete_seam
    set -lx COMP_LINE (commandline -cp)
    test -z (commandline -ct)
    and set COMP_LINE "$COMP_LINE "
    %q
end
complete -c seam -a "(__complete_seam)"
`,
}

func (v *completionVerb) Run(s *session) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("this program's own file can't be found: %w", err)
	}
	_, err = fmt.Fprintf(s.stdout, completionScripts[v.Shell], self)
	return withCode(exitFailed, err)
}

// complete answers a shell with how the last word of a line may go on, a line each. No
// answer is one too: the shell then completes files.
func (s *session) complete(app *kong.Node, line string) error {
	words := strings.Fields(line)
	last := ""
	if len(words) > 0 && !strings.HasSuffix(line, " ") {
		words, last = words[:len(words)-1], words[len(words)-1]
	}
	if len(words) == 0 || strings.Contains(line, " -- ") {
		return nil // the name of the program itself; or another program's command line
	}
	node, before := app, words[len(words)-1]
	for _, word := range words[1:] {
		if below := child(node, word); below != nil {
			node = below
		}
	}
	for _, answer := range s.answers(node, before) {
		if strings.HasPrefix(answer, last) && !(last == "" && strings.HasPrefix(answer, "-")) {
			if _, err := fmt.Fprintln(s.stdout, answer); err != nil {
				return withCode(exitFailed, err)
			}
		}
	}
	return nil
}

// answers are all words that may follow in the command line of a verb.
func (s *session) answers(node *kong.Node, before string) (list []string) {
	flags := []*kong.Flag{}
	for n := node; n != nil; n = n.Parent {
		flags = append(flags, n.Flags...)
	}
	positional := node.Positional
	if node.DefaultCmd != nil {
		flags = append(flags, node.DefaultCmd.Flags...)
		positional = node.DefaultCmd.Positional
	}
	for _, f := range flags {
		switch {
		case f.Hidden:
		case before == "--"+f.Name && !f.IsBool():
			return f.EnumSlice() // none for what may be any word
		default:
			list = append(list, "--"+f.Name)
		}
	}
	for _, c := range node.Children {
		if !c.Hidden {
			list = append(list, c.Name)
		}
	}
	for _, p := range positional {
		if p.Name == "experiment" {
			for _, e := range s.experiments {
				list = append(list, e.Name)
			}
		}
		list = append(list, p.EnumSlice()...)
	}
	return list
}
