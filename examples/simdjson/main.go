//go:build cgo && seam_libs

package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"text/tabwriter"
)

const help = `Usage: simdjson [flags] [FILE...]

Adds up events: an array of them in JSON, or one a line. Reads files or standard input.

  {"id": 1, "type": "order", "user": {"name": "Ann", "country": "DE"},
   "items": [{"sku": "A-1", "price": 2.5, "quantity": 3}]}

Examples:
  simdjson events.ndjson             events, items and sums for each type
  simdjson -by country a.json b.json

`

func main() {
	err := run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "simdjson:", err)
		os.Exit(1)
	}
}

func run(args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	f := flag.NewFlagSet("simdjson", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.Usage = func() { fmt.Fprint(stderr, help); f.PrintDefaults() }
	by := f.String("by", "type", "what the sums are for: `type` or country")
	limit := f.Int("limit", 64<<20, "most `bytes` of a document, and of what becomes of it")
	if err := f.Parse(args); err != nil {
		return err
	}
	if *by != "type" && *by != "country" {
		return fmt.Errorf("-by %s: want type or country", *by)
	}
	if *limit < 1 {
		return fmt.Errorf("-limit %d: want a number of bytes above 0", *limit)
	}
	p, err := NewParser(*limit)
	if err != nil {
		return err
	}
	defer p.Close()
	t := &totals{parser: p, byCountry: *by == "country", sums: map[string]*sum{}}
	if f.NArg() == 0 {
		if err := eachDocument(stdin, *limit, t.add); err != nil {
			return fmt.Errorf("standard input: %w", err)
		}
	}
	for _, name := range f.Args() {
		if err := t.addFile(name, *limit); err != nil {
			return err
		}
	}
	return t.print(stdout)
}

// totals are the sums of all events.
type totals struct {
	parser    *Parser
	byCountry bool
	sums      map[string]*sum
}

type sum struct {
	events, items int
	revenue       float64
}

func (t *totals) addFile(name string, limit int) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := eachDocument(f, limit, t.add); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// add counts the events of a document, in place.
func (t *totals) add(doc []byte) error {
	events, err := t.parser.Parse(doc)
	if err != nil {
		return err
	}
	for i := range events {
		e := &events[i]
		key := e.Type
		if t.byCountry {
			key = e.Country
		}
		text, err := t.parser.Text(key)
		if err != nil {
			return err
		}
		s := t.sums[string(text)] // no string is made for the look-up
		if s == nil {
			s = new(sum)
			t.sums[string(text)] = s
		}
		items, err := t.parser.Items(e)
		if err != nil {
			return err
		}
		s.events++
		for _, item := range items {
			s.items += int(item.Quantity)
			s.revenue += item.Price * float64(item.Quantity)
		}
	}
	return nil
}

func (t *totals) print(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "events\titems\tsum\t ")
	for _, name := range slices.Sorted(maps.Keys(t.sums)) {
		s := t.sums[name]
		fmt.Fprintf(table, "%d\t%d\t%.2f\t  %q\n", s.events, s.items, s.revenue, name)
	}
	return table.Flush()
}
