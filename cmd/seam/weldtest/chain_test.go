//go:build linux && (amd64 || arm64) && cgo && !race

package weldtest

import (
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

// A -toolexec of the user's own goes on working: it runs the tools, for seam, and knows of none that the go
// command doesn't.
func TestOwnToolexec(t *testing.T) {
	t.Parallel()
	testenv.Builds(t)
	m := load(t, "small")
	own, log := m.path("own tool"), m.path("log")
	m.write("own tool", `#!/bin/sh
[ "$1" = word ] || exit 9
shift
echo "$(basename "$1") $*" >>'`+log+`'
exec "$@"
`)
	m.run("chmod", "+x", own).ok()
	quoted := "'" + own + "' word"
	asked := func(what string) {
		t.Helper()
		text := m.read("log")
		for _, tool := range []string{"cgo", "compile", "link"} {
			if !strings.Contains(text, "\n"+tool+" ") {
				t.Errorf("%s: the own tool wasn't asked to run %s:\n%.4000s", what, tool, text)
			}
		}
		if strings.Contains(text, " toolexec ") || strings.Contains(text, "-seam=") {
			t.Errorf("%s: the own tool saw what is seam's:\n%.4000s", what, text)
		}
		m.write("log", "\n")
	}
	m.write("log", "\n")
	m.weld("build", "-toolexec", quoted, "-o", "w", ".").ok()
	if !m.isWelded("./w") {
		t.Error("by a flag: it isn't welded")
	}
	asked("by a flag")
	m.write("alpha/more.go", "package alpha\n") // the cache has nothing of it
	m.in(t).set(`GOFLAGS="-toolexec=`+quoted+`" -buildvcs=false`).weld("build", "-o", "w", ".").ok()
	if !m.isWelded("./w") {
		t.Error("by GOFLAGS: it isn't welded")
	}
	asked("by GOFLAGS")
	m.run(seam, "trace", "-o", "t", "--", "go", "run", "-toolexec", quoted, ".").ok().says("wrote t")
	asked("traced")
	m.run(seam, "weld", "--", "go", "build", "-toolexec", "'unclosed", ".").ends(2).says("-toolexec")
}
