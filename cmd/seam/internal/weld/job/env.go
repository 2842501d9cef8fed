package job

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/compiler"
	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/bundle"
	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/leaf"
)

// ReadEnv reads the go command's settings for a build with our -toolexec.
func ReadEnv(ctx context.Context, tool, dir string) (*gotool.Env, error) {
	env, err := gotool.ReadEnv(ctx, tool, dir)
	if err != nil {
		return nil, err
	}
	for _, f := range strings.Fields(env.GOFLAGS) {
		if f = strings.TrimLeft(strings.Trim(f, `'"`), "-"); f == "toolexec" || strings.HasPrefix(f, "toolexec=") {
			return nil, errors.New("GOFLAGS has a -toolexec, and seam needs that flag; run with another GOFLAGS")
		}
	}
	return env, nil
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
