package gotool

import (
	"slices"
	"strings"
	"testing"
)

// What is built is what would have run, and what is run gets what it would have got.
func TestBuilding(t *testing.T) {
	for _, c := range []struct{ line, build, flags, arguments string }{
		{"go test -race -bench . -benchtime=1s -count 3 ./...",
			"go test -o F -c -race P", "-test.benchtime=1s -test.count=3", ""},
		{"go test -C dir -tags=a,b -run=^$ -bench=X -o y.test . -short -size=3 -args -v 1",
			"go test -C dir -o F -c -tags=a,b P", "-test.short -size=3", "-v 1"},
		{"go test -test.cpu 1,2 -json -v -cpuprofile p.out", "go test -o F -c P", "-test.cpu=1,2", ""},
		{"go run -tags x -exec time ./cmd/server -race 5", "go build -o F -tags x ./cmd/server", "", "-race 5"},
		{"go1.27.3 run -trimpath a.go b.go c", "go1.27.3 build -o F -trimpath a.go b.go", "", "c"},
	} {
		cmd, err := Parse(strings.Fields(c.line))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(cmd.Building("F", "P").With(), " "); got != c.build {
			t.Errorf("%s\nis built by %s\nwant        %s", c.line, got, c.build)
		}
		if got := cmd.Arguments(); !slices.Equal(got, strings.Fields(c.arguments)) {
			t.Errorf("%s has the arguments %q, want %q", c.line, got, c.arguments)
		}
		if cmd.Verb != "test" {
			continue
		}
		if got := cmd.TestFlags("benchtime", "count", "cpu", "short"); !slices.Equal(got, strings.Fields(c.flags)) {
			t.Errorf("%s has the flags %q, want %q", c.line, got, c.flags)
		}
	}
}
