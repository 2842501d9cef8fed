package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A form is a package with mistakes of one kind, and one that does the same without them.
type form struct {
	name      string // of the rule, or of the pattern
	bad, good string // folders, from the module's
	mistakes  []mistake
}

// A mistake is a line with a comment that says what is to be found there, and the function
// around it.
type mistake struct {
	file              string // absolute
	line, first, last int
}

// A finding is what a tool has said of a line.
type finding struct {
	file string // absolute
	line int
}

// want is that of package vettest. Notes are of prices, not of mistakes.
var want = regexp.MustCompile(`// want(-\d+)? (error|warning) "`)

// readCases finds the packages below a folder of a module.
func readCases(module, below string) ([]form, error) {
	var list []form
	for _, pattern := range []string{"*/testdata/bad", "testdata/corpus/*/bad"} {
		dirs, err := filepath.Glob(filepath.Join(module, below, pattern))
		if err != nil {
			return nil, err
		}
		for _, dir := range dirs {
			f := form{bad: "./" + rel(module, dir), good: "./" + rel(module, filepath.Join(filepath.Dir(dir), "good"))}
			if f.name = filepath.Base(filepath.Dir(filepath.Dir(dir))); f.name == "corpus" {
				f.name = "pattern " + filepath.Base(filepath.Dir(dir))
			}
			if _, err := os.Stat(filepath.Join(module, f.good)); err != nil {
				f.good = ""
			}
			if f.mistakes, err = readMistakes(dir); err != nil {
				return nil, err
			}
			if len(f.mistakes) > 0 {
				list = append(list, f)
			}
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s has no such packages: run it in the root of Seam's repository", filepath.Join(module, below))
	}
	slices.SortFunc(list, func(a, b form) int { return strings.Compare(a.name, b.name) })
	return list, nil
}

func rel(base, path string) string {
	p, err := filepath.Rel(base, path)
	if err != nil {
		return path
	}
	return filepath.ToSlash(p)
}

func readMistakes(dir string) (list []mistake, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	for _, name := range files {
		if name, err = filepath.Abs(name); err != nil {
			return nil, err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, text, 0)
		if err != nil {
			return nil, err
		}
		n := 0
		for line := range strings.Lines(string(text)) {
			n++
			m := want.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			back, _ := strconv.Atoi(m[1]) // none is 0
			at := mistake{file: name, line: n + back, first: n + back, last: n + back}
			for _, d := range file.Decls {
				first, last := set.Position(d.Pos()).Line, set.Position(d.End()).Line
				if _, ok := d.(*ast.FuncDecl); ok && first <= at.line && at.line <= last {
					at.first, at.last = first, last
				}
			}
			list = append(list, at)
		}
	}
	return list, nil
}

// judge counts the mistakes of the bad form that a tool has found, and what it says of the
// good one.
func (f form) judge(said []finding, byLine bool) (found, good int) {
	for _, m := range f.mistakes {
		if byLine {
			m.first, m.last = m.line, m.line
		}
		if slices.ContainsFunc(said, func(s finding) bool { return s.file == m.file && m.first <= s.line && s.line <= m.last }) {
			found++
		}
	}
	if f.good == "" {
		return found, 0
	}
	for _, s := range said {
		if strings.HasSuffix(filepath.ToSlash(filepath.Dir(s.file)), strings.TrimPrefix(f.good, ".")) {
			good++
		}
	}
	return found, good
}
