// Command figures writes the figures of docs/results into the documents and pictures, so
// that no document has one that no command has measured. Run it at the root of the
// repository; make figures measures all of them first.
//
//	go run ./internal/figures                                     write them
//	go run ./internal/figures -lab RUN.json -o docs/results/lab.tsv  take over what seam lab --json wrote
//
// In a document a figure stands between two comments, which no reader sees:
//
//	<!--=weld:sqlite/scan1000/faster-->1.44× (1.31–1.58)<!--/-->
//
// Behind = is one of
//
//	FILE:NAME or FILE:NAME:UNIT   a row of docs/results/FILE.tsv
//	FILE:NAME / FILE:NAME         the ratio of two
//	FILE:@KEY                     what the head of the file says, as in lab:@machine
//	text FILE                     docs/results/FILE.txt, as a block of code
//	welded FILE                   a table of all benchmarks that weldbench wrote to it
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "figures:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	f := flag.NewFlagSet("figures", flag.ContinueOnError)
	lab := f.String("lab", "", "take over the medians and ratios of this run of seam lab --json")
	out := f.String("o", "docs/results/lab.tsv", "with -lab: write them here")
	if err := f.Parse(args); err != nil {
		return err
	}
	if f.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	if *lab != "" {
		text, err := os.ReadFile(*lab)
		if err != nil {
			return err
		}
		r, err := fromLab(text)
		if err != nil {
			return fmt.Errorf("%s: %w", *lab, err)
		}
		return os.WriteFile(*out, []byte(r.String()), 0o666)
	}
	files, err := drawAll(os.DirFS("."))
	if err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.FromSlash(name), []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}
