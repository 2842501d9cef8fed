package main

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"github.com/seamgo/seam/internal/results"
)

// drawAll returns all documents and pictures with the figures as they are measured.
func drawAll(tree fs.FS) (map[string]string, error) {
	below, err := fs.Sub(tree, "docs/results")
	if err != nil {
		return nil, err
	}
	all, err := results.Load(below)
	if err != nil {
		return nil, err
	}
	files, err := pictures(all)
	if err != nil {
		return nil, err
	}
	for _, dir := range []string{".", "docs", "docs/design", "bench"} {
		names, err := fs.Glob(tree, path.Join(dir, "*.md"))
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			text, err := fs.ReadFile(tree, name)
			if err != nil {
				return nil, err
			}
			if files[name], err = fill(string(text), all); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return files, nil
}

var mark = regexp.MustCompile(`(?s)<!--=(.*?)-->.*?<!--/-->`)

// fill writes the figures into a document.
func fill(text string, all results.All) (string, error) {
	var failed error
	filled := mark.ReplaceAllStringFunc(text, func(m string) string {
		what := mark.FindStringSubmatch(m)[1]
		words, err := say(what, all)
		if err != nil && failed == nil {
			failed = err
		}
		return "<!--=" + what + "-->" + words + "<!--/-->"
	})
	if failed != nil {
		return "", failed
	}
	if begun, ended := strings.Count(filled, "<!--="), strings.Count(filled, "<!--/-->"); begun != ended {
		return "", fmt.Errorf("%d figures begin and %d end", begun, ended)
	}
	return filled, nil
}

// say is what stands between the comments.
func say(what string, all results.All) (string, error) {
	if name, ok := strings.CutPrefix(what, "text "); ok {
		text, ok := all.Texts[name]
		if !ok {
			return "", fmt.Errorf("there is no docs/results/%s.txt", name)
		}
		return "\n```\n" + strings.TrimSuffix(text, "\n") + "\n```\n", nil
	}
	if name, ok := strings.CutPrefix(what, "welded "); ok {
		return welded(name, all)
	}
	if name, key, ok := strings.Cut(what, ":@"); ok {
		value, ok := all.Files[name].Head[key]
		if !ok {
			return "", fmt.Errorf("%s: docs/results/%s.tsv has no such line", what, name)
		}
		return value, nil
	}
	f, err := value(what, all)
	if err != nil {
		return "", err
	}
	return f.Words(), nil
}

// welded is a table of what weldbench wrote: a row for each benchmark.
func welded(file string, all results.All) (string, error) {
	b := "\n| | cgo | welded | faster | allocations |\n|---|---|---|---|---|\n"
	rows := 0
	for _, r := range all.Files[file].Rows {
		name, ok := strings.CutSuffix(r.Name, "/cgo")
		if !ok {
			continue
		}
		rows++
		b += "| " + name
		for i, key := range []string{"cgo", "welded", "faster", "cgo/allocs", "welded/allocs"} {
			f, err := all.Find(file + ":" + name + "/" + key)
			if err != nil {
				return "", err
			}
			b += [...]string{" | ", " | ", " | ", " | ", " → "}[i] + f.Words()
		}
		b += " |\n"
	}
	if rows == 0 {
		return "", fmt.Errorf("docs/results/%s.tsv has no benchmark that was welded", file)
	}
	return b, nil
}

func value(expression string, all results.All) (results.Row, error) {
	whole, part, ratio := strings.Cut(expression, " / ")
	a, err := all.Find(whole)
	if err != nil || !ratio {
		return a, err
	}
	b, err := all.Find(part)
	if err != nil {
		return b, err
	}
	if a.Unit != b.Unit || b.Value == 0 {
		return b, fmt.Errorf("%s: %v %s can't be divided by %v %s", expression, a.Value, a.Unit, b.Value, b.Unit)
	}
	v := a.Value / b.Value
	return results.Row{Name: expression, Unit: "×", Value: v, Low: v, High: v}, nil
}
