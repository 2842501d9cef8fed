package vet_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/vet"
	"github.com/seamgo/seam/cmd/seam/internal/vet/vettest"
	"github.com/seamgo/seam/internal/testenv"
)

var update = flag.Bool("update", false, "write what --fix makes of testdata/fixes to the golden file")

// Every change that a rule suggests, with the imports that it needs: what it makes of the source
// is known, and compiles.
func TestFixes(t *testing.T) {
	testenv.OtherProgram(t)
	testenv.Tool(t, "gcc")
	report := vettest.Report(t, vet.Rules, "testdata/fixes")
	sarifFixes(t, report)
	files, _, err := report.Mended()
	if err != nil {
		t.Fatal(err)
	}
	var diffs strings.Builder
	dir, replace := t.TempDir(), map[string]string{}
	for _, f := range files {
		diffs.WriteString(f.Diff())
		name, err := filepath.Abs(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		replace[name] = filepath.Join(dir, filepath.Base(f.Path))
		if err := os.WriteFile(replace[name], f.Text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const golden = "testdata/fixes.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(diffs.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diffs.String() != string(want) {
		t.Errorf("the changes are\n%s\nwant\n%s", diffs.String(), want)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(list, overlay, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := gotool.Run(t.Context(), gotool.Cmd{Args: []string{"go", "vet", "-overlay=" + list, "./testdata/fixes"}}); err != nil {
		t.Errorf("the mended files don't compile: %v", err)
	}
}

// Where lines end as on Windows, those of a change do too.
func TestLineEndings(t *testing.T) {
	t.Parallel()
	testenv.Tool(t, "gcc")
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/endings\n\ngo 1.25.0\n",
		"a.go":   strings.ReplaceAll("package endings\n\n// #include <stdlib.h>\nimport \"C\"\n\nfunc F(s string) C.int {\n\tcs := C.CString(s)\n\treturn C.atoi(cs)\n}\n", "\n", "\r\n"),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	r, err := vet.Run(t.Context(), vet.Options{Go: "go", Dir: dir, Packages: []string{"."}, Rules: vet.Rules})
	if err != nil {
		t.Fatal(err)
	}
	files, _, err := r.Mended()
	if err != nil || len(files) != 1 || files[0].Changes == 0 {
		t.Fatalf("%d files are changed (%v), want 1", len(files), err)
	}
	if text := string(files[0].Text); strings.Count(text, "\n") != strings.Count(text, "\r\n") || !strings.Contains(text, "defer C.free") {
		t.Errorf("the changed file is %q", text)
	}
}

// sarifFixes holds each change that SARIF has, carried out, against what --fix would make alone.
func sarifFixes(t *testing.T, r *vet.Report) {
	t.Helper()
	var b bytes.Buffer
	if err := r.WriteSARIF(&b); err != nil {
		t.Fatal(err)
	}
	type region struct{ StartLine, StartColumn, EndLine, EndColumn int }
	var log struct {
		Runs []struct {
			Results []struct {
				Fixes []struct {
					ArtifactChanges []struct {
						ArtifactLocation struct{ URI string }
						Replacements     []struct {
							DeletedRegion   region
							InsertedContent struct{ Text string }
						}
					}
				}
			}
		}
	}
	if err := json.Unmarshal(b.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	seen := 0
	for i, result := range log.Runs[0].Results {
		f := r.Findings[i]
		if len(result.Fixes) != len(f.Fixes) {
			t.Fatalf("%s:%d: %d changes in SARIF, want %d", f.File, f.Line, len(result.Fixes), len(f.Fixes))
		}
		if len(f.Fixes) == 0 {
			continue
		}
		want, _, err := (&vet.Report{Findings: []vet.Finding{f}}).Mended()
		if err != nil || len(want) != len(result.Fixes[0].ArtifactChanges) {
			t.Fatalf("%d files are changed by SARIF, want %d (%v)", len(result.Fixes[0].ArtifactChanges), len(want), err)
		}
		for k, c := range result.Fixes[0].ArtifactChanges {
			lines := strings.SplitAfter(string(want[k].Old), "\n")
			for _, x := range slices.Backward(c.Replacements) {
				d := x.DeletedRegion
				if d.StartColumn != 1 || d.EndColumn != 1 {
					t.Fatalf("%s: %+v isn't whole lines", c.ArtifactLocation.URI, d)
				}
				lines = slices.Replace(lines, d.StartLine-1, d.EndLine-1, x.InsertedContent.Text)
			}
			if got := strings.Join(lines, ""); got != string(want[k].Text) || c.ArtifactLocation.URI != want[k].Path {
				t.Errorf("%s:%d: SARIF makes of %s\n%s\nwant of %s\n%s", f.File, f.Line, c.ArtifactLocation.URI, got, want[k].Path, want[k].Text)
			}
			seen++
		}
	}
	if seen < 5 {
		t.Errorf("SARIF has changes of %d files", seen)
	}
}
