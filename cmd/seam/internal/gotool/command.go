package gotool

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Command is a go command line of the user's: "go test -race ./...".
type Command struct {
	Tool string // the go command: "go", or a path to one
	Verb string // one of Verbs
	Dir  string // the argument of -C, if any

	args []string // what follows the verb and -C, as the user wrote it
}

// Verbs are the go commands that build.
var Verbs = []string{"build", "install", "run", "test"}

// IsGo reports whether a file's name is that of a go command: go, go1.27.3, gotip.
func IsGo(tool string) bool {
	base := strings.TrimSuffix(filepath.Base(tool), ".exe")
	return base == "go" || strings.HasPrefix(base, "go1.") || base == "gotip"
}

// Parse parses a go command line. args begins with the go command itself.
func Parse(args []string) (*Command, error) {
	const example = " (want for example: -- go test ./...)"
	if len(args) == 0 {
		return nil, errors.New("no go command was given" + example)
	}
	if strings.HasPrefix(args[0], "-") {
		return nil, fmt.Errorf("unknown flag %s in front of the go command%s", args[0], example)
	}
	c := &Command{Tool: args[0]}
	if !IsGo(c.Tool) {
		return nil, fmt.Errorf("%q is not the go command%s", args[0], example)
	}
	if len(args) == 1 || !slices.Contains(Verbs, args[1]) {
		what := "no verb"
		if len(args) > 1 {
			what = fmt.Sprintf("verb %q", args[1])
		}
		return nil, fmt.Errorf("%s after %s: only go %s can be used here", what, strings.TrimSuffix(filepath.Base(c.Tool), ".exe"), strings.Join(Verbs, ", "))
	}
	c.Verb = args[1]
	c.args = slices.Clone(args[2:])
	// go itself wants -C to come first.
	if len(c.args) > 0 {
		switch name, value, hasValue := splitFlag(c.args[0]); {
		case name == "C" && hasValue:
			c.Dir, c.args = value, c.args[1:]
		case name == "C" && len(c.args) > 1:
			c.Dir, c.args = c.args[1], c.args[2:]
		}
	}
	if own, ok := c.Flag("toolexec"); ok {
		if _, err := SplitQuoted(own); err != nil {
			return nil, fmt.Errorf("-toolexec: %w", err)
		}
	}
	return c, nil
}

// Flag returns the last value of a flag of the go command that takes one.
func (c *Command) Flag(name string) (value string, ok bool) {
	for _, v := range c.Values(name) {
		value, ok = v, true
	}
	return value, ok
}

// Values returns all values of such a flag, in order.
func (c *Command) Values(name string) []string {
	var list []string
	for a := range c.own {
		if a.flag == name && a.hasValue {
			list = append(list, a.value)
		}
	}
	return list
}

// Has reports whether a flag without a value, like -race, is set.
func (c *Command) Has(name string) bool {
	has := false
	for a := range c.own {
		if a.flag == name {
			has = !a.hasValue || a.value != "false" && a.value != "0"
		}
	}
	return has
}

// An argument is c.args[from:to]: a flag with its value, if it has one, or a word.
type argument struct {
	from, to    int
	flag, value string // flag is "" for a word
	hasValue    bool
}

// own yields the arguments of the go command itself, without those of the program it runs.
func (c *Command) own(yield func(argument) bool) {
	for i := 0; i < len(c.args); {
		text := c.args[i]
		if text == "--" || c.Verb == "test" && (text == "-args" || text == "--args") {
			return
		}
		a := argument{from: i, to: i + 1}
		a.flag, a.value, a.hasValue = splitFlag(text)
		if takesValue(text) && a.to < len(c.args) {
			a.value, a.hasValue, a.to = c.args[a.to], true, a.to+1
		}
		if !yield(a) {
			return
		}
		i = a.to
		isFile := func(k int) bool { return k < len(c.args) && strings.HasSuffix(c.args[k], ".go") }
		if c.Verb == "run" && !strings.HasPrefix(text, "-") && !(isFile(a.from) && isFile(i)) {
			return // what follows the package, or the list of files, is the program's
		}
	}
}

// RunsProgram reports whether the command runs what it builds.
func (c *Command) RunsProgram() bool { return c.Verb == "run" || c.Verb == "test" && !c.Has("c") }

// With returns the command line with more flags for the go command.
func (c *Command) With(flags ...string) []string { return c.compose(c.args, flags) }

// Adding returns the command with more flags.
func (c *Command) Adding(flags ...string) *Command {
	other := *c
	other.args = append(slices.Clone(flags), c.args...)
	return &other
}

// Without returns the command without a flag that takes a value.
func (c *Command) Without(name string) *Command {
	other := *c
	other.args = nil
	kept := 0
	for a := range c.own {
		if a.flag == name && a.hasValue {
			other.args = append(other.args, c.args[kept:a.from]...)
			kept = a.to
		}
	}
	other.args = append(other.args, c.args[kept:]...)
	return &other
}

// FlagOrEnv returns the value of a flag from the command line or else, as the go command
// does, from GOFLAGS.
func (c *Command) FlagOrEnv(name, goflags string) (string, error) {
	if value, ok := c.Flag(name); ok {
		return value, nil
	}
	words, err := SplitQuoted(goflags)
	if err != nil {
		return "", fmt.Errorf("GOFLAGS: %w", err)
	}
	value := ""
	for _, w := range words {
		if n, v, _ := splitFlag(w); n == name {
			value = v
		}
	}
	return value, nil
}

func (c *Command) compose(args, flags []string) []string {
	list := []string{c.Tool, c.Verb}
	if c.Dir != "" {
		list = append(list, "-C", c.Dir)
	}
	list = append(list, flags...)
	return append(list, args...)
}

// ListFlags returns the flags that decide which packages and files are built, for go list.
func (c *Command) ListFlags() []string {
	var list []string
	for _, name := range []string{"tags", "mod", "modfile", "overlay", "buildmode", "compiler"} {
		if value, ok := c.Flag(name); ok {
			list = append(list, "-"+name+"="+value)
		}
	}
	for _, name := range []string{"race", "msan", "asan", "modcacherw"} {
		if c.Has(name) {
			list = append(list, "-"+name)
		}
	}
	return list
}

// Packages returns the packages or files that the command names.
func (c *Command) Packages() []string {
	var list []string
	for a := range c.own {
		if word := c.args[a.from]; !strings.HasPrefix(word, "-") {
			list = append(list, word)
		} else if len(list) > 0 {
			break // go test: what follows is the test's
		}
	}
	return list
}

// Versioned refuses a command that names packages by their version, as go run example.com/tool@v1.2.3: they
// are in no module that go list could look into.
func (c *Command) Versioned() error {
	for _, name := range c.Packages() {
		path, _, ok := strings.Cut(name, "@")
		if !ok || path == "" || strings.ContainsAny(path[:1], "./") || strings.HasSuffix(name, ".go") {
			continue
		}
		return fmt.Errorf("%s %s %s: the C of a package that is named by its version can't be looked at by the go command, since no module has it here; in a module (go mod init tool), add it by %[1]s get %[3]s, and name it %s", c.Tool, c.Verb, name, path)
	}
	return nil
}

// splitFlag splits "-name=value" or "--name". name is "" if arg is not a flag.
func splitFlag(arg string) (name, value string, hasValue bool) {
	if !strings.HasPrefix(arg, "-") || arg == "-" || arg == "--" {
		return "", "", false
	}
	return strings.Cut(strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-"), "=")
}

// takesValue reports whether the next argument is the value of this flag.
func takesValue(arg string) bool {
	name, _, hasValue := splitFlag(arg)
	return name != "" && !hasValue && slices.Contains(flagsWithValue, strings.TrimPrefix(name, "test."))
}

// flagsWithValue are the flags of go build, run and test that take a value.
var flagsWithValue = []string{
	"C", "asmflags", "buildmode", "compiler", "covermode", "coverpkg",
	"exec", "gccgoflags", "gcflags", "installsuffix", "ldflags", "mod", "modfile",
	"o", "overlay", "p", "pgo", "pkgdir", "tags", "toolexec", "vet",
	"bench", "benchtime", "blockprofile", "blockprofilerate", "count",
	"coverprofile", "cpu", "cpuprofile", "fuzz", "fuzzminimizetime", "fuzztime", "list",
	"memprofile", "memprofilerate", "mutexprofile", "mutexprofilefraction", "outputdir",
	"parallel", "run", "shuffle", "skip", "timeout", "trace",
}
