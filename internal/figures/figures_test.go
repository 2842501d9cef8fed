package main

import (
	"os"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/results"
)

// Documents and pictures have the figures of docs/results and no others.
func TestDocumentsShowResults(t *testing.T) {
	files, err := drawAll(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile("../../" + name)
		if err != nil {
			t.Error(err)
		} else if string(got) != want {
			t.Errorf("%s doesn't show the figures of docs/results: go run ./internal/figures", name)
		}
	}
}

func sample(t *testing.T) results.All {
	t.Helper()
	r, err := results.Parse("# machine\tsome processor\nname\tunit\tvalue\tlow\thigh\n" +
		"Call/via=go\tns\t0.94\t0.9\t1\nCall/via=cgo\tns\t22.04\t21\t23\n" +
		"scan/faster\t×\t1.442\t1.31\t1.58\nscan/allocs\t\t40100\t40100\t40100\nspawn\tns\t549123\t5e5\t6e5\nspawn\tB\t24862.72\t24862.72\t24862.72\n" +
		"h3/R/cgo\tns\t28.885\t28.885\t28.885\nh3/R/cgo/allocs\t\t1\t1\t1\nh3/R/faster\t×\t2.87\t2.76\t2.99\nh3/R/welded\tns\t10.2\t10.2\t10.2\nh3/R/welded/allocs\t\t0\t0\t0\n")
	if err != nil {
		t.Fatal(err)
	}
	return results.All{Files: map[string]results.Result{"lab": r}, Texts: map[string]string{"demo": "$ seam\n"}}
}

func TestFill(t *testing.T) {
	all := sample(t)
	for what, want := range map[string]string{
		"lab:Call/via=cgo":                   "22.0 ns",
		"lab:scan/faster":                    "1.44× (1.31–1.58)",
		"lab:scan/allocs":                    "40,100",
		"lab:spawn:ns":                       "549 µs",
		"lab:spawn:B":                        "24.3 KiB",
		"lab:Call/via=cgo / lab:Call/via=go": "23.4×",
		"lab:@machine":                       "some processor",
		"welded lab":                         "\n| | cgo | welded | faster | allocations |\n|---|---|---|---|---|\n| h3/R | 28.9 ns | 10.2 ns | 2.87× (2.76–2.99) | 1 → 0 |\n",
		"text demo":                          "\n```\n$ seam\n```\n",
	} {
		got, err := fill("a <!--="+what+"-->old<!--/--> z", all)
		if want := "a <!--=" + what + "-->" + want + "<!--/--> z"; err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", what, got, err, want)
		}
		if again, err := fill(got, all); err != nil || again != got {
			t.Errorf("%s: not the same the second time: %q, %v", what, again, err)
		}
	}
}

func TestMistakesInDocuments(t *testing.T) {
	all := sample(t)
	for text, want := range map[string]string{
		"<!--=lab:gone-->1<!--/-->":                          "no such row",
		"<!--=gone:scan-->1<!--/-->":                         "there is no docs/results/gone.tsv",
		"<!--=lab:spawn-->1<!--/-->":                         "in several units",
		"<!--=lab:Call/via=go / lab:scan/faster-->1<!--/-->": "can't be divided",
		"<!--=lab:@day-->1<!--/-->":                          "no such line",
		"<!--=welded gone-->1<!--/-->":                       "no benchmark that was welded",
		"<!--=text gone-->1<!--/-->":                         "there is no docs/results/gone.txt",
		"<!--=lab:scan/faster-->1 and no end":                "1 figures begin and 0 end",
	} {
		if _, err := fill(text, all); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", text, err, want)
		}
	}
}

func TestFromLab(t *testing.T) {
	r, err := fromLab([]byte(`{"schema": "seam.lab/1", "mode": "quick", "started": "2026-11-27T10:00:00Z",
		"machine": {"cpu": "some processor", "cores": 2, "go": "go1.26.8", "load": 0.5},
		"experiments": [{"name": "call", "series": [
			{"name": "a", "unit": "ns/op", "median": 2, "lo": 1, "hi": 3},
			{"name": "a", "unit": "B/unit", "median": 2, "lo": 0, "hi": 0},
			{"name": "b", "unit": "ns/op", "not_measured": "no"}],
		"comparisons": [{"name": "b", "base": "a", "unit": "ns/op", "ratio": 2, "lo": 1.5, "hi": 2.5}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	want := "# command\tseam lab --quick call\n# machine\tsome processor, 2 processors\n# kernel\t\n# go\tgo1.26.8\n# date\t2026-11-27\n# load\t0.5\n" +
		"name\tunit\tvalue\tlow\thigh\na\tns\t2\t1\t3\na\tB\t2\t2\t2\nb / a\t×\t2\t1.5\t2.5\n"
	if r.String() != want {
		t.Errorf("%s\nwant\n%s", r, want)
	}
	if again, err := results.Parse(r.String()); err != nil || again.String() != want {
		t.Errorf("%v, %v", again, err)
	}
	for _, text := range []string{"", "{}", `{"schema": "seam.lab/2"}`} {
		if _, err := fromLab([]byte(text)); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}
