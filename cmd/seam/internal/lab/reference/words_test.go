package reference

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	// A source is named by title and year; a number means nothing to a reader.
	numbered = regexp.MustCompile(`(?i)\barticles? [0-9]`)
	// Nor does "the article", or what the makers of Seam set out to reach.
	unnamed = regexp.MustCompile(`(?i)\b(the|an) articles?\b|\bgoals?\b`)
)

// What users meet names its sources, and none of our goals, which are bench's.
func TestSourcesAreNamed(t *testing.T) {
	root := filepath.Join("..", "..", "..", "..", "..")
	files := 0
	for _, start := range []string{"README.md", "DESIGN.md", "docs", filepath.Join("cmd", "seam")} {
		err := filepath.WalkDir(filepath.Join(root, start), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			own := strings.HasSuffix(path, filepath.Join("reference", "words_test.go"))
			switch ext := filepath.Ext(path); {
			case own || ext != ".go" && ext != ".md" && ext != ".html" && ext != ".c" && ext != ".h" && ext != ".txt":
				return nil
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			files++
			if m := numbered.Find(text); m != nil {
				t.Errorf("%s says %q", path, m)
			}
			said := string(text)
			if filepath.Ext(path) == ".go" {
				said = literals(text)
			}
			if m := unnamed.FindString(said); m != "" {
				t.Errorf("%s says %q", path, m)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files < 500 {
		t.Errorf("%d files were read: where is the rest?", files)
	}
}

// literals are the strings of a Go file; comments may speak of a noun's article.
func literals(source []byte) string {
	var s scanner.Scanner
	set := token.NewFileSet()
	s.Init(set.AddFile("", -1, len(source)), source, nil, 0)
	var list []string
	for {
		_, tok, lit := s.Scan()
		switch tok {
		case token.STRING:
			list = append(list, lit)
		case token.EOF:
			return strings.Join(list, "\n")
		}
	}
}
