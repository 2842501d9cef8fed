//seam:test race

package vet_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/filecache"
	"github.com/seamgo/seam/cmd/seam/internal/text"
	"github.com/seamgo/seam/cmd/seam/internal/vet"
	"github.com/seamgo/seam/cmd/seam/internal/vet/rule"
	"github.com/seamgo/seam/cmd/seam/internal/vet/vettest"
	"github.com/seamgo/seam/internal/testenv"
)

// shop is what is found in testdata/shop.
func shop(t *testing.T) *vet.Report {
	t.Helper()
	testenv.Tool(t, "gcc")
	return vettest.Report(t, []*rule.Rule{vet.Named("memory-leak")}, "testdata/shop")
}

func TestText(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := shop(t).WriteText(&b, vet.TextOptions{Options: text.Options{Width: 200}, Least: rule.Warning}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"testdata/shop/shop.go:12:8: error: the memory from C.CString is never freed [memory-leak]\n\tcs := C.CString(s)\n\t      ^~~~~~~~~~~~\n",
		"2 errors in 1 package; 1 ignored by comments",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in:\n%s", want, b.String())
		}
	}
}

func TestFix(t *testing.T) {
	t.Parallel()
	files, left, err := shop(t).Mended()
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 1 || left != 1 {
		t.Fatalf("%d files to change and %d findings left, want 1 and 1", len(files), left)
	}
	want, err := os.ReadFile("testdata/shop.golden")
	if err != nil {
		t.Fatal(err)
	}
	if got := files[0].Diff(); strings.TrimSpace(got) != strings.TrimSpace(string(want)) {
		t.Errorf("the change is\n%s\nwant\n%s", got, want)
	}
}

func TestBaseline(t *testing.T) {
	t.Parallel()
	r := shop(t)
	name := filepath.Join(t.TempDir(), "baseline.json")
	var b bytes.Buffer
	if err := r.MakeBaseline().Write(&b); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	known, err := vet.ReadBaseline(name)
	if err != nil {
		t.Fatal(err)
	}
	known.Known = known.Known[:1] // the other is new
	r.Without(known)
	if len(r.Findings) != 1 || r.Baseline != 1 {
		t.Errorf("%d findings are new and %d known, want 1 and 1", len(r.Findings), r.Baseline)
	}
}

func TestConfig(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, c := range []struct{ text, wrong string }{
		{"cstring-leak note # we know\n\nkeepalive off\n", ""},
		{"cstring-leek note\n", "did you mean cstring-leak"},
		{"cstring-leak loud\n", `"loud" is no severity`},
		{"cstring-leak\n", ":1: want a rule and a severity"},
	} {
		name := filepath.Join(dir, "config")
		if err := os.WriteFile(name, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := vet.ReadConfig(name)
		if c.wrong == "" && err != nil || c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)) {
			t.Errorf("%q gives the error %v, want %q", c.text, err, c.wrong)
		}
	}
}

// The severity that a user sets is that of the findings; off hides them.
func TestSeverity(t *testing.T) {
	t.Parallel()
	testenv.Tool(t, "gcc")
	name := filepath.Join(t.TempDir(), "config")
	for text, want := range map[string]int{"cstring-leak note": 2, "cstring-leak off": 0} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		config, err := vet.ReadConfig(name)
		if err != nil {
			t.Fatal(err)
		}
		r, err := vet.Run(t.Context(), vet.Options{Go: "go", Packages: []string{"./testdata/shop"}, Rules: []*rule.Rule{vet.Named("memory-leak")}, Config: config})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Findings) != want || r.Count(rule.Note) != want {
			t.Errorf("%s: %d findings, %d of them notes; want %d", text, len(r.Findings), r.Count(rule.Note), want)
		}
	}
}

func TestSARIF(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := shop(t).WriteSARIF(&b); err != nil {
		t.Fatal(err)
	}
	var log struct {
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct{ Rules []struct{ ID string } }
			}
			Results []struct {
				RuleID, Level string
				RuleIndex     int
				Locations     []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine, StartColumn int }
					}
				}
			}
		}
	}
	if err := json.Unmarshal(b.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	if log.Version != "2.1.0" || len(log.Runs) != 1 || len(log.Runs[0].Results) != 2 {
		t.Fatalf("version %s, %d runs: %s", log.Version, len(log.Runs), b.Bytes())
	}
	first, rules := log.Runs[0].Results[0], log.Runs[0].Tool.Driver.Rules
	at := first.Locations[0].PhysicalLocation
	if rules[first.RuleIndex].ID != first.RuleID || first.Level != "error" || at.ArtifactLocation.URI != "testdata/shop/shop.go" || at.Region.StartLine != 12 {
		t.Errorf("the first result is %+v", first)
	}
}

func TestJSONAndHTML(t *testing.T) {
	t.Parallel()
	r := shop(t)
	var b bytes.Buffer
	if err := r.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), `"schema": "seam.vet/1"`) {
		t.Errorf("no schema in %s", b.String())
	}
	b.Reset()
	if err := r.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "testdata/shop/shop.go:12") {
		t.Error("the page doesn't show the finding")
	}
}

// Of many findings of a kind the page shows the first, and the others where it is opened.
func TestHTMLGroups(t *testing.T) {
	t.Parallel()
	r := &vet.Report{Packages: 1}
	for i := range 30 {
		r.Findings = append(r.Findings, vet.Finding{
			Rule: "keepalive", Severity: rule.Warning, File: "x.go", Line: i + 1, Column: 1, Source: "C.f(p.c)",
			Message: fmt.Sprintf("p%d is not used after this call, so its finalizer may free p%d.c", i, i),
		})
	}
	r.Findings = append(r.Findings, vet.Finding{Rule: "memory-leak", Severity: rule.Error, File: "y.go", Line: 1, Column: 1, Message: "the memory is never freed"})
	var b strings.Builder
	if err := r.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for text, want := range map[string]int{`<section class="finding">`: 2, "29 more of this kind": 1, "<li><b>x.go:": 29, "y.go:1": 1, "finalizer may free p": 30} {
		if n := strings.Count(page, text); n != want {
			t.Errorf("%q is on the page %d times, want %d", text, n, want)
		}
	}
}

// cached is a package whose finding depends on a header.
var cached = map[string]string{
	"go.mod": "module example.com/cached\n\ngo 1.25.0\n",
	"give.h": "static void give(char *s) { (void)s; }\n",
	"cached.go": `package cached

// #include "give.h"
import "C"

func Give(s string) { C.give(C.CString(s)) }
`,
}

// A second search of an unchanged tree gives the same from the cache, without a compiler. What
// changes the result is seen: a header, the Go, the rules, and that there is no cache.
func TestCache(t *testing.T) {
	testenv.OtherProgram(t)
	gcc := testenv.Tool(t, "gcc")
	dir, bin, count := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "count")
	testenv.WriteProgram(t, filepath.Join(bin, "gcc"), "#!/bin/sh\necho \"$@\" >>'"+count+"'\nexec '"+gcc+"' \"$@\"\n")
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("GOWORK", "off")
	t.Setenv("CC", "")
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range cached {
		write(name, text)
	}
	cache, err := filecache.Open("vet")
	if err != nil {
		t.Fatal(err)
	}
	o := vet.Options{Go: "go", Dir: dir, Packages: []string{"."}, Rules: vet.Rules, Cache: cache}
	search := func(o vet.Options) (report string, findings, compiled int) {
		t.Helper()
		if err := os.RemoveAll(count); err != nil {
			t.Fatal(err)
		}
		r, err := vet.Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := r.WriteJSON(&b); err != nil {
			t.Fatal(err)
		}
		calls, err := os.ReadFile(count)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		return b.String(), len(r.Findings), strings.Count(string(calls), "cgo-gcc-input") // go list asks the compiler too
	}

	first, findings, compiled := search(o)
	if findings != 1 || compiled == 0 {
		t.Fatalf("the first search finds %d and calls the compiler %d times: %s", findings, compiled, first)
	}
	if second, _, compiled := search(o); second != first || compiled != 0 {
		t.Errorf("the first search gives\n%s\nthe second, which calls the compiler %d times,\n%s", first, compiled, second)
	}
	less := o
	less.Rules = []*rule.Rule{vet.Named("keepalive")}
	if report, findings, _ := search(less); findings != 0 {
		t.Errorf("another rule alone finds\n%s", report)
	}
	none := o
	none.Cache = nil
	if _, findings, compiled := search(none); findings != 1 || compiled == 0 {
		t.Errorf("without a cache a search finds %d and calls the compiler %d times", findings, compiled)
	}
	write("give.h", "#include <stdlib.h>\nstatic void give(char *s) { free(s); }\n")
	if report, findings, compiled := search(o); findings != 0 || compiled == 0 {
		t.Errorf("with the changed header the compiler is called %d times, and found is\n%s", compiled, report)
	}
	write("cached.go", cached["cached.go"]+"\nfunc Take(s string) { _ = C.CString(s) }\n")
	if report, findings, _ := search(o); findings != 1 {
		t.Errorf("with the changed Go found is\n%s", report)
	}
}

// A header that was missing and is installed is seen, though nothing in the package has changed; until
// then the rest of the answer is kept.
func TestCacheOfMissingHeader(t *testing.T) {
	testenv.OtherProgram(t)
	testenv.Tool(t, "gcc")
	dir, include := t.TempDir(), t.TempDir()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("GOWORK", "off")
	t.Setenv("C_INCLUDE_PATH", include)
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(dir, "go.mod"), cached["go.mod"])
	write(filepath.Join(dir, "late.go"), "package late\n\n// #include <late.h>\nimport \"C\"\n\nfunc Give(s string) { C.give(C.CString(s)) }\n")
	cache, err := filecache.Open("vet")
	if err != nil {
		t.Fatal(err)
	}
	search := func() *vet.Report {
		t.Helper()
		r, err := vet.Run(t.Context(), vet.Options{Go: "go", Dir: dir, Packages: []string{"."}, Rules: vet.Rules, Cache: cache})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for range 2 {
		if r := search(); len(r.Findings) != 1 || len(r.Problems) != 1 || !strings.Contains(r.Problems[0], "late.h") {
			t.Fatalf("without the header: %+v", r)
		}
	}
	write(filepath.Join(include, "late.h"), "#include <stdlib.h>\nstatic void give(char *s) { free(s); }\n")
	if r := search(); len(r.Findings) != 0 || len(r.Problems) != 0 {
		t.Errorf("with the header: %+v", r)
	}
}

// Every rule says what users need, under a name that fits all drivers.
func TestRules(t *testing.T) {
	t.Parallel()
	docs, err := os.ReadFile(filepath.Join(testenv.Repository(t), "docs/vet.md"))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, r := range vet.Rules {
		if r.Name == "" || seen[r.Name] || r.Title == "" || r.Since == "" || !strings.Contains(r.Doc, "Before:") || !strings.Contains(r.Doc, "After:") {
			t.Errorf("rule %q is not whole", r.Name)
		}
		seen[r.Name] = true
		if heading := fmt.Sprintf("### %s\n\nUp to %s: %s.\n", r.Name, r.Severity, r.Title); !strings.Contains(string(docs), heading) {
			t.Errorf("docs/vet.md lacks\n%s", heading)
		}
		for _, a := range vet.Analyzers([]*rule.Rule{r}, nil, nil) {
			if strings.ContainsAny(a.Name, "- ") {
				t.Errorf("%q is no name of an analyzer", a.Name)
			}
		}
	}
}

// Of many findings that differ in names and lines alone the first is shown, and where others are.
func TestManyOfAKind(t *testing.T) {
	t.Parallel()
	r := &vet.Report{Packages: 1}
	for i := range 30 {
		name := string(rune('a' + i%20))
		r.Findings = append(r.Findings, vet.Finding{
			Rule: "keepalive", Severity: rule.Warning, File: "x.go", Line: i + 1, Column: 1,
			Message: fmt.Sprintf("%s is not used after this call, so its finalizer may free %s.c during C.f%d: add runtime.KeepAlive(%s) after it", name, name, i, name),
		})
	}
	r.Findings[20].Confirmed = &vet.Seen{Seen: true, What: "a finalizer ran"}
	r.Findings = append(r.Findings, vet.Finding{Rule: "keepalive", Severity: rule.Warning, File: "y.go", Line: 1, Column: 1, Message: "Node points into what the finalizer of Tree frees"})
	var b strings.Builder
	if err := r.WriteText(&b, vet.TextOptions{Options: text.Options{Width: 200}, Least: rule.Warning}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"x.go:1:1: warning: a is not", "\tand 28 more of this kind: x.go:2, 3, 4, 5, 6, ... (--all shows each)\n", "x.go:21:1: warning: a is not", "y.go:1:1: warning: Node", "31 warnings in 1 package"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
	if n := strings.Count(b.String(), ": warning: "); n != 3 {
		t.Errorf("%d findings are shown, want 3:\n%s", n, b.String())
	}
	b.Reset()
	if err := r.WriteText(&b, vet.TextOptions{Options: text.Options{Width: 200}, Least: rule.Warning, All: true}); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), ": warning: "); n != 31 || strings.Contains(b.String(), "--all") {
		t.Errorf("with All %d findings are shown, want 31", n)
	}
}
