// Package results reads and writes the files of docs/results, in which each command that
// measures for the documents leaves its figures, and says a figure as the documents do.
package results

import (
	"fmt"
	"io"
	"io/fs"
	"math"
	"path"
	"strconv"
	"strings"
)

// A Result is what one command measured on one machine: a file of docs/results.
type Result struct {
	Head  map[string]string // command, machine, go, date, load, …
	order []string          // the keys of Head, as they were written
	Rows  []Row
}

// A Row is a figure: its name, and an interval at 95 %, equal to the value where there is
// none.
type Row struct {
	Name, Unit       string
	Value, Low, High float64
}

// columns head the rows.
const columns = "name\tunit\tvalue\tlow\thigh"

// Parse reads a file of results: lines "# key<TAB>value", the columns, and the rows.
func Parse(text string) (Result, error) {
	r := Result{Head: map[string]string{}}
	seen := map[string]bool{}
	began := false
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSuffix(line, "\n")
		rest, comment := strings.CutPrefix(line, "# ")
		key, value, two := strings.Cut(rest, "\t")
		switch {
		case comment && two && !began:
			r.Set(key, value)
		case line == columns && !began:
			began = true
		case !began:
			return r, fmt.Errorf("line %d: %q is neither \"# key<tab>value\" nor the columns %q", n, line, columns)
		default:
			f, err := parseRow(line)
			if err != nil {
				return r, fmt.Errorf("line %d: %w", n, err)
			}
			if id := f.Name + " " + f.Unit; seen[id] {
				return r, fmt.Errorf("line %d: %s is there twice", n, id)
			} else {
				seen[id] = true
			}
			r.Rows = append(r.Rows, f)
		}
	}
	if !began {
		return r, fmt.Errorf("there are no columns %q", columns)
	}
	return r, nil
}

func parseRow(line string) (Row, error) {
	cells := strings.Split(line, "\t")
	if len(cells) != 5 || cells[0] == "" {
		return Row{}, fmt.Errorf("%q has not the columns %q", line, columns)
	}
	f := Row{Name: cells[0], Unit: cells[1]}
	for i, to := range []*float64{&f.Value, &f.Low, &f.High} {
		v, err := strconv.ParseFloat(cells[2+i], 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return f, fmt.Errorf("%q is no number", cells[2+i])
		}
		*to = v
	}
	if f.Low > f.Value || f.Value > f.High {
		return f, fmt.Errorf("%s: %v lies outside of %v to %v", f.Name, f.Value, f.Low, f.High)
	}
	return f, nil
}

// Set adds to the head.
func (r *Result) Set(key, value string) {
	if _, ok := r.Head[key]; !ok {
		r.order = append(r.order, key)
	}
	r.Head[key] = value
}

func (r Result) String() string {
	var b strings.Builder
	for _, k := range r.order {
		fmt.Fprintf(&b, "# %s\t%s\n", k, r.Head[k])
	}
	fmt.Fprintln(&b, columns)
	for _, f := range r.Rows {
		fmt.Fprintf(&b, "%s\t%s\t%s\t%s\t%s\n", f.Name, f.Unit, number(f.Value), number(f.Low), number(f.High))
	}
	return b.String()
}

// Write writes the file.
func (r Result) Write(w io.Writer) error {
	_, err := io.WriteString(w, r.String())
	return err
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', 5, 64) }

// All is the files of docs/results by their path without .tsv, and the texts that lie
// there by theirs without .txt.
type All struct {
	Files map[string]Result
	Texts map[string]string
}

// Load reads docs/results.
func Load(tree fs.FS) (All, error) {
	all := All{map[string]Result{}, map[string]string{}}
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		switch base := strings.TrimSuffix(name, path.Ext(name)); path.Ext(name) {
		case ".tsv":
			r, err := Parse(string(text))
			if err != nil {
				return fmt.Errorf("docs/results/%s: %w", name, err)
			}
			all.Files[base] = r
		case ".txt":
			all.Texts[base] = string(text)
		}
		return nil
	})
	return all, err
}

// Find is the row that a key FILE:NAME or FILE:NAME:UNIT names.
func (all All) Find(key string) (Row, error) {
	file, name, ok := strings.Cut(key, ":")
	r, there := all.Files[file]
	if !ok || !there {
		return Row{}, fmt.Errorf("%s: there is no docs/results/%s.tsv", key, file)
	}
	name, unit, hasUnit := strings.Cut(name, ":")
	var found []Row
	for _, f := range r.Rows {
		if f.Name == name && (!hasUnit || f.Unit == unit) {
			found = append(found, f)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return Row{}, fmt.Errorf("%s: docs/results/%s.tsv has no such row", key, file)
	}
	return Row{}, fmt.Errorf("%s: docs/results/%s.tsv has it in several units: %s:%s is one", key, file, key, found[0].Unit)
}
