package job

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/compiler"
	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/bundle"
	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/leaf"
)

// chain is the user's own -toolexec, which seam runs in front of the go command's tools.
func chain(c *gotool.Command, env *gotool.Env) (words []string, err error) {
	value, err := c.FlagOrEnv("toolexec", env.GOFLAGS)
	if err == nil {
		words, err = gotool.SplitQuoted(value)
	}
	if err != nil {
		return nil, fmt.Errorf("-toolexec: %w", err)
	}
	return words, nil
}

// unweldableFlag tells which flag of the go command leaves nothing to weld; "" if
// none does.
func unweldableFlag(c *gotool.Command, goflags string) string {
	flags := strings.Fields(goflags)
	for _, value := range c.Values("ldflags") {
		flags = append(flags, "-ldflags="+value)
	}
	for _, name := range []string{"asan", "msan"} {
		if c.Has(name) {
			flags = append(flags, "-"+name)
		}
	}
	for _, f := range flags {
		switch f = strings.TrimLeft(f, `'"-`); {
		case f == "asan" || f == "msan":
			return "with -" + f + " a function has to be called the way cgo calls it"
		case strings.HasPrefix(f, "ldflags") && linksInternally.MatchString(f):
			return "with -linkmode=internal Go's own linker would have to know C's thread-local variables"
		}
	}
	return ""
}

var linksInternally = regexp.MustCompile(`-linkmode[= ]["']?internal`)

// Unweldable tells why nothing can be welded for a system and a version of Go; ""
// if it can.
func Unweldable(e *gotool.Env) string {
	noCgo, fix := compiler.NoCgo(e)
	switch {
	case noCgo != "":
		return fmt.Sprintf("the build calls no C, because %s: %s", noCgo, fix)
	case !bundle.Known(e.GOOS, e.GOARCH):
		return fmt.Sprintf("%s/%s is not supported: only linux/amd64 and linux/arm64 are", e.GOOS, e.GOARCH)
	case !leaf.KnownGo(e.GOVERSION):
		return fmt.Sprintf("%s is not supported: only Go 1.25, 1.26 and 1.27 are", e.GOVERSION)
	}
	return ""
}
