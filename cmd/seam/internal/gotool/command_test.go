package gotool

import (
	"slices"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, c := range []struct{ line, verb, dir, with string }{
		{"go build", "build", "", "go build -X"},
		{"go test -race ./...", "test", "", "go test -X -race ./..."},
		{"/usr/local/go/bin/go run . -v", "run", "", "/usr/local/go/bin/go run -X . -v"},
		{"go1.27.3 install -C /src ./cmd/a", "install", "/src", "go1.27.3 install -C /src -X ./cmd/a"},
		{"go build -C=sub -o x", "build", "sub", "go build -C sub -X -o x"},
	} {
		cmd, err := Parse(strings.Fields(c.line))
		if err != nil {
			t.Errorf("%s: %v", c.line, err)
			continue
		}
		if cmd.Verb != c.verb || cmd.Dir != c.dir {
			t.Errorf("%s: verb %q, dir %q", c.line, cmd.Verb, cmd.Dir)
		}
		if got := strings.Join(cmd.With("-X"), " "); got != c.with {
			t.Errorf("%s: becomes %q, want %q", c.line, got, c.with)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for line, want := range map[string]string{
		"":                        "no go command",
		"make all":                `"make" is not the go command`,
		"--verbose go build":      "unknown flag --verbose in front of the go command",
		"go":                      "no verb",
		"go vet ./...":            `verb "vet"`,
		"go build -toolexec='x .": "-toolexec: a quotation mark is not closed",
	} {
		if _, err := Parse(strings.Fields(line)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error is %v, want one with %q", line, err, want)
		}
	}
}

func TestFlags(t *testing.T) {
	for _, c := range []struct{ line, list string }{
		{"go build -tags a,b -race -mod=vendor .", "-tags=a,b -mod=vendor -race"},
		{"go test -run -race ./...", ""}, // the value of -run
		{"go test ./... -args -race -tags x", ""},
		{"go test -race=false ./...", ""},
		{"go run -tags x . -race", "-tags=x"},
		{"go run -race main.go other.go -tags x", "-race"},
		{"go test ./... -race", "-race"},
	} {
		cmd, err := Parse(strings.Fields(c.line))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(cmd.ListFlags(), " "); got != c.list {
			t.Errorf("%s: %q, want %q", c.line, got, c.list)
		}
	}
}

func TestWithGcflags(t *testing.T) {
	for _, c := range []struct{ name, line, goflags, want string }{
		{"none", "go build .", "", "go build -gcflags=p=-seam=1 ."},
		{"all", "go build -gcflags=all=-N .", "", "go build -gcflags=all=-N -gcflags=p=-N -seam=1 ."},
		{"without pattern", "go test -v -gcflags -m ./...", "", "go test -gcflags=-m -gcflags=p=-m -seam=1 -v ./..."},
		{"for another", "go build -gcflags=q=-N .", "", "go build -gcflags=q=-N -gcflags=p=-seam=1 ."},
		{"the last counts", "go build -gcflags=all=-N -gcflags=p=-l .", "", "go build -gcflags=all=-N -gcflags=p=-l -gcflags=p=-l -seam=1 ."},
		{"taken back", "go build -gcflags=all=-N -gcflags= .", "", "go build -gcflags=all=-N -gcflags= -gcflags=p=-seam=1 ."},
		{"a folder", "go build -gcflags=./...=-N .", "", "go build -gcflags=./...=-N -gcflags=p=-N -seam=1 ."},
		{"another folder", "go build -gcflags=./q=-N .", "", "go build -gcflags=./q=-N -gcflags=p=-seam=1 ."},
		{"another package named", "go build -gcflags=-N ./q", "", "go build -gcflags=-N -gcflags=p=-seam=1 ./q"},
		{"of the program", "go run . -gcflags=-N", "", "go run -gcflags=p=-seam=1 . -gcflags=-N"},
		{"quoted in GOFLAGS", "go build .", "'-gcflags=p=-N -l' -v", "go build -gcflags=p=-N -l -seam=1 ."},
		{"in GOFLAGS", "go build .", "-v -gcflags=all=-N", "go build -gcflags=p=-N -seam=1 ."},
	} {
		cmd, err := Parse(strings.Fields(c.line))
		if err != nil {
			t.Fatal(err)
		}
		got, err := cmd.WithGcflags(c.goflags, map[string]string{"p": "-seam=1"}, packageP)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, want %q", c.name, strings.Join(got, " "), c.want)
		}
		// One flag is one word, whatever spaces it has.
		for _, word := range got {
			if strings.Contains(word, "-seam=1") && !strings.HasPrefix(word, "-gcflags=p=") {
				t.Errorf("%s: %q", c.name, got)
			}
		}
	}
	cmd, _ := Parse([]string{"go", "build", "-gcflags=nonsense", "."})
	if _, err := cmd.WithGcflags("", map[string]string{"p": "x"}, packageP); err == nil {
		t.Error("a -gcflags without = was taken")
	}
}

// packageP is the package p in the folder at hand.
func packageP(patterns []string) (list []string, err error) {
	for _, pattern := range patterns {
		if pattern == "." || pattern == "./..." {
			list = append(list, "p")
		}
	}
	return list, nil
}

func TestPackages(t *testing.T) {
	for line, want := range map[string]string{
		"go build":                               "",
		"go build -o x -race a b":                "a b",
		"go run -race a b c":                     "a",
		"go run -race a.go b.go c d.go":          "a.go b.go",
		"go test":                                "",
		"go test -v":                             "",
		"go test -v a b -run x":                  "a b",
		"go test -run x a b":                     "a b",
		"go test a -bench . b":                   "a",
		"go test -run x -args b":                 "",
		"go test -timeout=1m -count 1 a -args b": "a",
	} {
		cmd, err := Parse(strings.Fields(line))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(cmd.Packages(), " "); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

func TestMatchPattern(t *testing.T) {
	for _, c := range []struct {
		pattern, path string
		want          bool
	}{
		{"a/...", "a", true}, {"a/...", "a/b/c", true}, {"a/...", "ab", false},
		{"a/.../d", "a/b/c/d", true}, {"a/.../d", "a/b", false}, {"...", "x", true},
		{"a...", "abc", true}, {"...b", "ab", true}, {"...b", "ba", false},
	} {
		if got := matchPattern(c.pattern, c.path); got != c.want {
			t.Errorf("%s, %s: %v", c.pattern, c.path, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("go test -gcflags=all=-N -tags x ./... -args -v")
	f.Add("go build -C x -o")
	f.Fuzz(func(t *testing.T, line string) {
		cmd, err := Parse(strings.Split(line, " "))
		if err != nil {
			return
		}
		cmd.ListFlags()
		// Nothing that the user wrote may get lost.
		with := cmd.With()
		for _, word := range strings.Split(line, " ")[2:] {
			if name, _, _ := splitFlag(word); name != "C" && word != cmd.Dir && !slices.Contains(with, word) {
				t.Errorf("%q: %q is lost in %q", line, word, with)
			}
		}
		_, _ = cmd.WithGcflags(line, map[string]string{"p": "-seam=1"}, packageP)
	})
}

func TestVersioned(t *testing.T) {
	for line, want := range map[string]string{
		"go run example.com/tool@v1.2.3 -x":         "add it by go get example.com/tool@v1.2.3, and name it example.com/tool",
		"go install -tags x example.com/a/b@latest": "name it example.com/a/b",
		"go run ./a@b":                "",
		"go run example.com/tool x@y": "",
		"go test -run a@b ./...":      "",
		"go build":                    "",
	} {
		c, err := Parse(strings.Fields(line))
		if err != nil {
			t.Fatal(err)
		}
		switch err := c.Versioned(); {
		case want == "" && err != nil, want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %q", line, err, want)
		}
	}
}
