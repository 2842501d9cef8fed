package cli

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// flagsFirst puts the flags of a verb that takes a list of arguments before that list:
// kong ends the list at the first flag, and "seam layout . --any-align A=b" would have an
// argument too many. What follows -- stays, and so do verbs that take another program's
// command line. A flag's value that begins with - is joined to it, for kong takes
// --cflags '-I include' for two flags.
func flagsFirst(app *kong.Application, args []string) []string {
	node, n := app.Node, 0
	flags := node.Flags
	for n < len(args) {
		below := child(node, args[n])
		if below == nil {
			break
		}
		node = below
		flags = append(slices.Clone(flags), node.Flags...)
		n++
	}
	if len(node.Positional) != 1 || node.Positional[0].Passthrough || !node.Positional[0].IsCumulative() {
		return args
	}
	is := func(f *kong.Flag, word string) bool {
		name, _, _ := strings.Cut(word, "=")
		return name == "--"+f.Name || f.Short != 0 && word == "-"+string(f.Short)
	}
	known := func(word string) bool {
		return slices.ContainsFunc(flags, func(f *kong.Flag) bool { return is(f, word) })
	}
	takesValue := func(word string) bool {
		return !strings.Contains(word, "=") && slices.ContainsFunc(flags, func(f *kong.Flag) bool { return !f.IsBool() && is(f, word) })
	}
	var first, rest []string
	for i := n; i < len(args); i++ {
		switch word := args[i]; {
		case word == "--":
			rest = append(rest, args[i:]...)
			i = len(args)
		case len(word) > 1 && strings.HasPrefix(word, "-"):
			first = append(first, word)
			if takesValue(word) && i+1 < len(args) {
				if i++; strings.HasPrefix(word, "--") && strings.HasPrefix(args[i], "-") && !known(args[i]) {
					first[len(first)-1] += "=" + args[i]
				} else {
					first = append(first, args[i])
				}
			}
		default:
			rest = append(rest, word)
		}
	}
	return slices.Concat(args[:n], first, rest)
}
