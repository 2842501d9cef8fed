package gotool

import (
	"slices"
	"strings"
)

// Building returns the command that builds into a file what c would build and run: of go
// run the program, of go test the test binary of a package.
func (c *Command) Building(file, pkg string) *Command {
	b := &Command{Tool: c.Tool, Dir: c.Dir, Verb: "build", args: []string{"-o", file}}
	var words []string
	if c.Verb == "test" {
		b.Verb, words = "test", []string{pkg}
		b.args = append(b.args, "-c")
	}
	for a := range c.own {
		switch {
		case slices.Contains(buildFlags, a.flag):
			b.args = append(b.args, c.args[a.from:a.to]...)
		case a.flag == "" && c.Verb == "run":
			words = append(words, c.args[a.from])
		}
	}
	b.args = append(b.args, words...)
	return b
}

// buildFlags are the flags of go run and go test that say how the program is built, but -o.
var buildFlags = []string{
	"a", "asan", "asmflags", "buildmode", "buildvcs", "compiler", "cover", "covermode", "coverpkg", "gccgoflags", "gcflags",
	"installsuffix", "ldflags", "linkshared", "mod", "modcacherw", "modfile", "msan", "n", "overlay", "p", "pgo", "pkgdir",
	"race", "tags", "toolexec", "trimpath", "vet", "work", "x",
}

// testFlags are the flags of go test that test binaries have too, as -test.NAME, and those
// that are the go command's own.
var testFlags = []string{
	"bench", "benchmem", "benchtime", "blockprofile", "blockprofilerate", "count", "coverprofile", "cpu", "cpuprofile",
	"failfast", "fullpath", "fuzz", "fuzzminimizetime", "fuzztime", "list", "memprofile", "memprofilerate", "mutexprofile",
	"mutexprofilefraction", "outputdir", "parallel", "run", "short", "shuffle", "skip", "timeout", "trace", "v",
	"args", "c", "exec", "i", "json", "o",
}

// Arguments are those of the program that go run runs, or of a test: what follows -args.
func (c *Command) Arguments() []string {
	end := 0
	for a := range c.own {
		end = a.to
	}
	rest := c.args[end:]
	if len(rest) > 0 && c.Verb == "test" {
		rest = rest[1:]
	}
	return rest
}

// TestFlags are, of the flags of go test, those with these names and those that only the
// test knows, as a test binary takes them.
func (c *Command) TestFlags(names ...string) []string {
	var list []string
	for a := range c.own {
		name := strings.TrimPrefix(a.flag, "test.")
		text := "-" + a.flag
		switch {
		case slices.Contains(names, name):
			text = "-test." + name
		case a.flag == "" || slices.Contains(testFlags, name) || slices.Contains(buildFlags, name):
			continue
		}
		if a.hasValue {
			text += "=" + a.value
		}
		list = append(list, text)
	}
	return list
}
