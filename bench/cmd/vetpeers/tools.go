package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

const module = "cmd/seam"

// A tool searches packages.
type tool struct {
	name    string
	byLine  bool // what is found must be said of the line itself
	version func(context.Context) (string, error)
	run     func(context.Context, []form) ([]finding, error)
}

func tools(seam string) []tool {
	return []tool{
		{"seam vet", true, first(seam, "version"), func(ctx context.Context, cases []form) ([]finding, error) {
			return search(ctx, cases, readSeam, seam, "vet", "--json")
		}},
		{"go vet", false, first("go", "version"), func(ctx context.Context, cases []form) ([]finding, error) {
			return search(ctx, cases, readGo, "go", "vet", "-json")
		}},
		// Of what isn't used, as is the most in such packages, the others say nothing either.
		{"staticcheck", false, first("staticcheck", "-version"), func(ctx context.Context, cases []form) ([]finding, error) {
			return search(ctx, cases, readStaticcheck, "staticcheck", "-f", "json", "-checks", "SA*")
		}},
		{"gosec", false, first("gosec", "-version"), func(ctx context.Context, cases []form) ([]finding, error) {
			return search(ctx, cases, readGosec, "gosec", "-quiet", "-fmt", "json")
		}},
		{"clang --analyze", false, first("clang", "--version"), analyze},
	}
}

// first is the first line that a command says of its version.
func first(name string, args ...string) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		out, err := exec.CommandContext(ctx, name, args...).Output()
		line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
		if err == nil && line == "" {
			err = errors.New("it doesn't say its version")
		}
		return strings.TrimPrefix(line, name+" "), err
	}
}

// search runs a command over all packages at once. Its exit code says no more than that it
// has found something.
func search(ctx context.Context, cases []form, read func([]byte) ([]finding, error), name string, args ...string) ([]finding, error) {
	for _, c := range cases {
		args = append(args, c.bad)
		if c.good != "" {
			args = append(args, c.good)
		}
	}
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = module
	c.Env = append(os.Environ(), "CGO_ENABLED=1")
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	out := stdout.Bytes()
	if name == "go" {
		out = stderr.Bytes()
	}
	found, failed := read(out)
	if failed != nil {
		return nil, fmt.Errorf("%w (%v): %s", failed, err, bytes.TrimSpace(stderr.Bytes()))
	}
	for i, f := range found {
		if !filepath.IsAbs(f.file) {
			f.file = filepath.Join(module, f.file)
		}
		if found[i].file, err = filepath.Abs(f.file); err != nil {
			return nil, err
		}
	}
	return found, nil
}

func readSeam(out []byte) (found []finding, err error) {
	var r struct {
		Findings []struct {
			File, Severity string
			Line           int
		}
	}
	err = json.Unmarshal(out, &r)
	for _, f := range r.Findings {
		if f.Severity != "note" {
			found = append(found, finding{f.File, f.Line})
		}
	}
	return found, err
}

// readGo reads an object for each package, behind a comment.
func readGo(out []byte) (found []finding, err error) {
	out = regexp.MustCompile(`(?m)^#.*$`).ReplaceAll(out, nil)
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var packages map[string]map[string]json.RawMessage
		if err := d.Decode(&packages); err != nil {
			return nil, err
		}
		for _, analyzers := range packages {
			for _, text := range analyzers {
				var list []struct{ Posn string }
				if json.Unmarshal(text, &list) != nil {
					return nil, fmt.Errorf("go vet could not search: %s", text)
				}
				for _, one := range list {
					file, rest, _ := strings.Cut(one.Posn, ":")
					line, _, _ := strings.Cut(rest, ":")
					n, err := strconv.Atoi(line)
					if err != nil {
						return nil, fmt.Errorf("%q has no line", one.Posn)
					}
					found = append(found, finding{file, n})
				}
			}
		}
	}
	return found, nil
}

func readStaticcheck(out []byte) (found []finding, err error) {
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var one struct {
			Code     string
			Location struct {
				File string
				Line int
			}
			Message string
		}
		if err := d.Decode(&one); err != nil {
			return nil, err
		}
		if one.Code == "compile" {
			return nil, fmt.Errorf("%s:%d: %s", one.Location.File, one.Location.Line, one.Message)
		}
		found = append(found, finding{one.Location.File, one.Location.Line})
	}
	return found, nil
}

// readGosec leaves out nothing; what gosec says of the files that cgo writes belongs to no line
// of the package.
func readGosec(out []byte) (found []finding, err error) {
	var r struct {
		Issues []struct{ File, Line string }
	}
	err = json.Unmarshal(out, &r)
	for _, i := range r.Issues {
		line, _, _ := strings.Cut(i.Line, "-")
		n, err := strconv.Atoi(line)
		if err != nil {
			return nil, fmt.Errorf("%q is no line", i.Line)
		}
		found = append(found, finding{i.File, n})
	}
	return found, err
}

var warning = regexp.MustCompile(`(?m)^([^:\n]+):(\d+):\d+: warning: `)

// analyze has clang search the C of each package: what stands in comments above import "C", and the files beside it.
func analyze(ctx context.Context, cases []form) (found []finding, err error) {
	for _, c := range cases {
		for _, dir := range []string{c.bad, c.good} {
			if dir == "" {
				continue
			}
			dir, err := filepath.Abs(filepath.Join(module, dir))
			if err != nil {
				return nil, err
			}
			files, err := os.ReadDir(dir)
			if err != nil {
				return nil, err
			}
			for _, f := range files {
				name, text, language := filepath.Join(dir, f.Name()), []byte(nil), "c"
				switch filepath.Ext(name) {
				case ".go":
					text, err = preamble(name)
				case ".cc", ".cpp", ".cxx":
					language = "c++"
					fallthrough
				case ".c":
					text, err = os.ReadFile(name)
					text = append(fmt.Appendf(nil, "#line 1 %q\n", name), text...)
				}
				if err != nil {
					return nil, err
				}
				if text == nil {
					continue
				}
				more, err := analyzeText(ctx, dir, language, text)
				if err != nil {
					return nil, err
				}
				found = append(found, more...)
			}
		}
	}
	return found, nil
}

// analyzeText searches one translation unit. The checkers are those of scan-build, and those that are off there and
// look for what is wrong in any program.
func analyzeText(ctx context.Context, dir, language string, text []byte) (found []finding, err error) {
	c := exec.CommandContext(ctx, "clang", "--analyze", "--analyzer-output", "text", "-Xclang", "-analyzer-checker=core,unix,cplusplus,security,nullability,deadcode",
		"-w", "-I.", "-x", language, "-")
	c.Dir = dir
	c.Stdin = bytes.NewReader(text)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	if err := c.Run(); err != nil {
		return nil, fmt.Errorf("clang on %s: %w: %s", dir, err, stderr.Bytes())
	}
	for _, m := range warning.FindAllStringSubmatch(stderr.String(), -1) {
		n, err := strconv.Atoi(m[2])
		if err != nil {
			return nil, err
		}
		found = append(found, finding{m[1], n})
	}
	return found, nil
}

// preamble is a Go file's C; nil if it has none.
func preamble(name string) ([]byte, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, nil, parser.ParseComments|parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	for _, group := range file.Comments {
		for _, spec := range file.Imports {
			if spec.Path.Value != `"C"` || set.Position(spec.Pos()).Line < set.Position(group.End()).Line || set.Position(spec.Pos()).Line > set.Position(group.End()).Line+1 {
				continue
			}
			var b bytes.Buffer
			fmt.Fprintf(&b, "#line %d %q\n", set.Position(group.Pos()).Line, name)
			for _, one := range group.List {
				text := one.Text[2:]
				if strings.HasPrefix(one.Text, "/*") {
					text = strings.TrimSuffix(text, "*/")
				}
				for line := range strings.Lines(text + "\n") {
					if strings.HasPrefix(strings.TrimSpace(line), "#cgo") {
						line = "\n"
					}
					b.WriteString(line)
				}
			}
			return b.Bytes(), nil
		}
	}
	return nil, nil
}
