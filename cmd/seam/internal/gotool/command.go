package gotool

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Command is the go command that a user wants to run: "go test -race ./...".
type Command struct {
	Tool string // the go command: "go", or a path to one
	Verb string // one of Verbs
	Dir  string // the argument of -C, "" without

	args []string // what follows the verb and -C, as the user wrote it
}

// Verbs are the go commands that build.
var Verbs = []string{"build", "install", "run", "test"}

// Parse takes a go command line apart for seam to add a -toolexec to it; args begins
// with the go command itself.
func Parse(args []string) (*Command, error) {
	c, err := ParsePlain(args)
	if err != nil {
		return nil, err
	}
	if _, ok := c.Flag("toolexec"); ok {
		return nil, errors.New("the go command has a -toolexec of its own, and seam needs that flag; leave it out")
	}
	return c, nil
}

// IsGo tells whether a file's name is that of a go command: go, go1.27.3, gotip.
func IsGo(tool string) bool {
	base := strings.TrimSuffix(filepath.Base(tool), ".exe")
	return base == "go" || strings.HasPrefix(base, "go1.") || base == "gotip"
}

// ParsePlain is Parse for a verb that needs no -toolexec.
func ParsePlain(args []string) (*Command, error) {
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
	return c, nil
}

// Flag returns the last value of a flag of the go command that takes one.
func (c *Command) Flag(name string) (value string, ok bool) {
	for _, v := range c.Values(name) {
		value, ok = v, true
	}
	return value, ok
}

// Values returns the values of a flag of the go command that takes one, in
// order.
func (c *Command) Values(name string) []string {
	var list []string
	c.scan(name, func(_, _ int, value string) { list = append(list, value) })
	return list
}

// Has tells whether a flag without a value, like -race, is set.
func (c *Command) Has(name string) bool {
	has := false
	own := c.own()
	for i := 0; i < len(own); i++ {
		if n, value, hasValue := splitFlag(own[i]); n == name {
			has = !hasValue || value != "false" && value != "0"
		}
		if takesValue(own[i]) {
			i++
		}
	}
	return has
}

// own are the arguments that are for the go command and not for the program.
func (c *Command) own() []string {
	for i := 0; i < len(c.args); i++ {
		switch arg := c.args[i]; {
		case arg == "--" || c.Verb == "test" && (arg == "-args" || arg == "--args"):
			return c.args[:i]
		case takesValue(arg):
			i++
		case c.Verb == "run" && !strings.HasPrefix(arg, "-"):
			// What follows the package, or the list of files, is the program's.
			for i++; strings.HasSuffix(arg, ".go") && i < len(c.args) && strings.HasSuffix(c.args[i], ".go"); i++ {
			}
			return c.args[:i]
		}
	}
	return c.args
}

// scan calls found with the place of each use of a flag that takes a value.
func (c *Command) scan(name string, found func(from, to int, value string)) {
	own := c.own()
	for i := 0; i < len(own); i++ {
		n, value, hasValue := splitFlag(own[i])
		switch {
		case n == name && hasValue:
			found(i, i+1, value)
		case n == name && i+1 < len(own):
			found(i, i+2, own[i+1])
			i++
		case takesValue(own[i]):
			i++
		}
	}
}

// RunsProgram tells whether the command runs what it builds.
func (c *Command) RunsProgram() bool { return c.Verb == "run" || c.Verb == "test" && !c.Has("c") }

// With is the whole command line with further flags of the go command.
func (c *Command) With(flags ...string) []string { return c.compose(c.args, flags) }

// Without is the command without a flag that takes a value.
func (c *Command) Without(name string) *Command {
	other := *c
	other.args = slices.Clone(c.args)
	removed := 0
	c.scan(name, func(from, to int, _ string) {
		other.args = slices.Delete(other.args, from-removed, to-removed)
		removed += to - from
	})
	return &other
}

// FlagOrEnv is the value of a flag that is given in the command line or else, and so the
// go command has it, in the variable GOFLAGS.
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

// WithGcflags is With, and the packages that are keys of add get an argument
// more for the compiler, behind those that the user gave them. goflags is the
// value of GOFLAGS; list finds the packages of patterns, which are relative to the
// command's folder.
func (c *Command) WithGcflags(goflags string, add map[string]string, list func(patterns []string) ([]string, error), flags ...string) ([]string, error) {
	given := c.Values("gcflags")
	var all []string
	fromEnv, err := SplitQuoted(goflags)
	if err != nil {
		return nil, fmt.Errorf("GOFLAGS: %w", err)
	}
	for _, f := range fromEnv {
		if name, value, _ := splitFlag(f); name == "gcflags" {
			all = append(all, value)
		}
	}
	all = append(all, given...)
	rest := c.Without("gcflags").args
	// Of several -gcflags the last that matches a package counts: ours come
	// last, each with what the user's would have been.
	for _, value := range given {
		flags = append(flags, "-gcflags="+value)
	}
	matches, err := c.relative(all, list)
	if err != nil {
		return nil, err
	}
	packages := make([]string, 0, len(add))
	for p := range add {
		packages = append(packages, p)
	}
	slices.Sort(packages)
	for _, p := range packages {
		users, err := gcflagsFor(p, all, matches)
		if err != nil {
			return nil, err
		}
		flags = append(flags, "-gcflags="+p+"="+strings.TrimSpace(users+" "+add[p]))
	}
	return c.compose(rest, flags), nil
}

func (c *Command) compose(args, flags []string) []string {
	list := []string{c.Tool, c.Verb}
	if c.Dir != "" {
		list = append(list, "-C", c.Dir)
	}
	list = append(list, flags...)
	return append(list, args...)
}

// ListFlags are the flags that decide which packages and files are built, for
// go list.
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

// Packages are the packages or files that the command names.
func (c *Command) Packages() []string {
	var list []string
	own := c.own()
	for i := 0; i < len(own); i++ {
		switch {
		case takesValue(own[i]):
			i++
			fallthrough
		case strings.HasPrefix(own[i], "-"):
			if len(list) > 0 {
				return list // go test: what follows is the test's
			}
		default:
			list = append(list, own[i])
		}
	}
	return list
}

// relative finds the packages of those patterns among the values of -gcflags
// that depend on the folder, and under "" those that the command names.
func (c *Command) relative(values []string, list func(patterns []string) ([]string, error)) (map[string][]string, error) {
	found := map[string][]string{}
	for _, v := range values {
		v = strings.TrimSpace(v)
		pattern, _, _ := strings.Cut(v, "=")
		pattern = strings.TrimSpace(pattern)
		ask := []string{pattern}
		switch {
		case v == "" || v[0] == '-':
			pattern, ask = "", c.Packages()
		case v[0] != '.':
			continue
		}
		if _, ok := found[pattern]; ok {
			continue
		}
		var err error
		if found[pattern], err = list(ask); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// gcflagsFor finds which of the values of -gcflags is for a package, by the
// rules of "go help build".
func gcflagsFor(path string, values []string, relative map[string][]string) (string, error) {
	users := ""
	for _, v := range values {
		v = strings.TrimSpace(v)
		pattern, flags := "", v
		if v != "" && !strings.HasPrefix(v, "-") {
			var ok bool
			if pattern, flags, ok = strings.Cut(v, "="); !ok {
				return "", fmt.Errorf("-gcflags=%s: want PACKAGES=FLAGS or FLAGS", v)
			}
			pattern = strings.TrimSpace(pattern)
		}
		matches := false
		switch {
		case pattern == "all":
			matches = true
		case pattern == "", strings.HasPrefix(pattern, "."):
			matches = slices.Contains(relative[pattern], path)
		case strings.Contains(pattern, "..."):
			matches = matchPattern(pattern, path)
		default:
			matches = pattern == path
		}
		if matches {
			users = flags
		}
	}
	return users, nil
}

// matchPattern matches a pattern with "..." as the go command does: "a/..."
// is "a" too.
func matchPattern(pattern, path string) bool {
	if prefix, ok := strings.CutSuffix(pattern, "/..."); ok && !strings.Contains(prefix, "...") {
		return path == prefix || strings.HasPrefix(path, prefix+"/")
	}
	parts := strings.Split(pattern, "...")
	if !strings.HasPrefix(path, parts[0]) {
		return false
	}
	path = path[len(parts[0]):]
	for i, part := range parts[1:] {
		if i == len(parts)-2 {
			return strings.HasSuffix(path, part)
		}
		at := strings.Index(path, part)
		if at < 0 {
			return false
		}
		path = path[at+len(part):]
	}
	return path == ""
}

// splitFlag takes "-name=value" or "--name" apart; name is "" for what is no
// flag.
func splitFlag(arg string) (name, value string, hasValue bool) {
	if !strings.HasPrefix(arg, "-") || arg == "-" || arg == "--" {
		return "", "", false
	}
	return strings.Cut(strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-"), "=")
}

// takesValue tells whether the next argument is the value of this flag.
func takesValue(arg string) bool {
	name, _, hasValue := splitFlag(arg)
	return name != "" && !hasValue && slices.Contains(valued, strings.TrimPrefix(name, "test."))
}

// valued are the flags of go build, run and test that take a value.
var valued = []string{
	"C", "asmflags", "buildmode", "compiler", "covermode", "coverpkg",
	"exec", "gccgoflags", "gcflags", "installsuffix", "ldflags", "mod", "modfile",
	"o", "overlay", "p", "pgo", "pkgdir", "tags", "toolexec", "vet",
	"bench", "benchtime", "blockprofile", "blockprofilerate", "count",
	"coverprofile", "cpu", "cpuprofile", "fuzz", "fuzzminimizetime", "fuzztime", "list",
	"memprofile", "memprofilerate", "mutexprofile", "mutexprofilefraction", "outputdir",
	"parallel", "run", "shuffle", "skip", "timeout", "trace",
}
