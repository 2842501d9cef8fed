//seam:test race nocgo

package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

func TestFlagsFirst(t *testing.T) {
	var v verbs
	parser, err := kong.New(&v)
	if err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"":                                       "",
		"layout":                                 "layout",
		"layout . --any-align A=b":               "layout --any-align . A=b",
		"layout . --header x.h A=b --line 32 -h": "layout --header x.h --line 32 -h . A=b",
		"layout --line=32 . -- -x":               "layout --line=32 . -- -x",
		"stack frames . --top 3 ./x":             "stack frames --top 3 . ./x",
		"layout --cflags -Iinclude .":            "layout --cflags=-Iinclude .",
		"layout . --cflags --write":              "layout --cflags --write .",
		"layout . --header":                      "layout --header .",
		"explain . --html x":                     "explain . --html x",
		"leaks go test --json x":                 "leaks go test --json x",
		"stack trace go run . --all":             "stack trace go run . --all",
		"nothing . --html x":                     "nothing . --html x",
	} {
		if got := flagsFirst(parser.Model, strings.Fields(args)); !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%s: %q, want %s", args, got, want)
		}
	}
}
