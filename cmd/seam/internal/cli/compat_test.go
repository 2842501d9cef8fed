package cli

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/layout"
	"github.com/seamgo/seam/cmd/seam/internal/stack/frames"
	"github.com/seamgo/seam/cmd/seam/internal/stack/limits"
	stackreport "github.com/seamgo/seam/cmd/seam/internal/stack/report"
	"github.com/seamgo/seam/cmd/seam/internal/weld/calltrace"
	"github.com/seamgo/seam/cmd/seam/internal/weld/leaks"
	"github.com/seamgo/seam/cmd/seam/internal/weld/plan"
	"github.com/seamgo/seam/internal/testenv"
)

// filesOfBefore copies testdata/v1, whose README says what it is, to a folder of
// its own and goes there.
func filesOfBefore(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/v1")); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	t.Setenv("GOWORK", "off")
	t.Setenv("COLUMNS", "100")
	for packed, name := range map[string]string{"trace.raw.gz": "raw/trace.raw", "leaks.raw.gz": "raw/leaks.raw"} {
		unpack(t, packed, name)
	}
}

func unpack(t *testing.T, packed, name string) {
	t.Helper()
	f, err := os.Open(packed)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// figures are the words of a text that have a digit in them: sentences may be put
// otherwise, what they say of a file may not change.
func figures(text string) []string {
	return slices.DeleteFunc(strings.Fields(text), func(word string) bool { return !strings.ContainsAny(word, "0123456789") })
}

// from cuts what comes before a word, and is of the machine that reads.
func from(text, word string) string {
	return text[max(0, strings.Index(text, word)):]
}

// Files that seam wrote before are read, and say what they said then.
func TestFilesOfBefore(t *testing.T) {
	filesOfBefore(t)
	for _, c := range []struct {
		args []string
		said string // the file with what the verb printed then
		from string // where that begins
	}{
		{[]string{"trace", "--show", "seam.trace"}, "trace.txt", ""},
		{[]string{"trace", "--collect", "-o", "collected.trace", "raw/trace.raw"}, "trace-raw.txt", ""},
		{[]string{"lab", "compare", "old.json", "new.json"}, "compare-json.txt", "benchmark "},
		{[]string{"lab", "compare", "old.txt", "new.txt"}, "compare-benchfmt.txt", "benchmark "},
		{[]string{"stack", "trace", "--show", "stack.json"}, "stack.txt", ""},
		{[]string{"stack", "trace", "--read", "stack.log"}, "stack-log.txt", "GOMAXPROCS"},
		{[]string{"leaks", "--collect", "raw/leaks.raw"}, "leaks.txt", ""},
	} {
		then, err := os.ReadFile(filepath.Join("said", c.said))
		if err != nil {
			t.Fatal(err)
		}
		got := seam(t, c.args...)
		if now, then := figures(from(got.out, c.from)), figures(from(string(then), c.from)); got.code != exitOK || len(then) < 3 || !slices.Equal(now, then) {
			t.Errorf("seam %s: exit code %d\n%s%s\nThen it was\n%s", strings.Join(c.args, " "), got.code, got.out, got.errout, then)
		}
	}
}

// What users keep in their repositories works on.
func TestKeptFilesOfBefore(t *testing.T) {
	testenv.OtherProgram(t)
	testenv.Tool(t, "gcc")
	t.Setenv("CGO_ENABLED", "1")
	filesOfBefore(t)
	seam(t, "plan", "--check").must(t, exitOK, "seam.plan matches the code: 5 functions", "")
	seam(t, "layout", "--check").must(t, exitOK, "up to date: 2 files", "does not include layout_seam.h")
	seam(t, "gen", "fmt", "-l", "order.thrift").must(t, exitOK, "", "")
	seam(t, "gen", "-o", "out", "--package-prefix", "example.com/old/out", "order.thrift").must(t, exitOK, filepath.FromSlash("out/shop/order/order.go"), "")
	seam(t, "gen", "diff", "order.thrift", "order.thrift").must(t, exitOK, "", "")
	got := seam(t, "explain", "--lab", "old.json", ".")
	got.must(t, exitOK, "from seam.trace", "")
	for _, want := range []string{"point_sum", "point_area", "leaf", "5k"} {
		got.must(t, exitOK, want, "")
	}
	if strings.Contains(got.out, "left out") {
		t.Errorf("seam explain leaves out a file:\n%s", got.out)
	}

	// A plan that is made anew from the trace decides as it did, but for malloc and free,
	// which are leaves by now wherever they are called, and for what is proven by now to
	// call no Go.
	seam(t, "plan", "-o", "again.plan").must(t, exitOK, "5 functions: 4 leaf", "")
	old, err := plan.Load("seam.plan")
	if err != nil {
		t.Fatal(err)
	}
	again, err := plan.Load("again.plan")
	if err != nil {
		t.Fatal(err)
	}
	decided := func(f *plan.Plan) map[string]plan.Entry {
		entries := map[string]plan.Entry{}
		for _, e := range f.Entries {
			if e.Line, e.Comment, e.Closed = 0, "", false; e.Func != "_CMalloc" && e.Func != "free" {
				entries[e.Func] = e
			}
		}
		return entries
	}
	if then, now := decided(old), decided(again); len(then) != 3 || !maps.Equal(then, now) {
		t.Errorf("the plan was\n%+v, and is\n%+v", then, now)
	}
}

// Programs of users read the JSON: each of its fields is still there, with its type.
func TestFieldsOfBefore(t *testing.T) {
	filesOfBefore(t)
	type head struct{ Schema, Version any } // as old files have it, one of them
	for name, v := range map[string]any{
		"seam.trace": &struct {
			head
			calltrace.File
		}{},
		"leaks.json": &struct {
			head
			leaks.File
		}{},
		"stack.json": &struct {
			head
			stackreport.File
		}{},
		"frames.json": &struct {
			head
			frames.Report
		}{},
		"limits.json": &struct {
			head
			limits.Report
		}{},
		"layout.json": &struct {
			head
			layout.Report
		}{},
		"old.json": &struct {
			head
			result.Run
		}{},
	} {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		d := json.NewDecoder(f)
		d.DisallowUnknownFields()
		if err := d.Decode(v); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		f.Close()
	}
}

// The plans and Thrift files of this repository are read too.
func TestCommittedFiles(t *testing.T) {
	root := testenv.Repository(t)
	found := map[string]int{}
	for _, dir := range []string{"bench", "examples", "cmd/seam/weldtest"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			switch ext := filepath.Ext(path); ext {
			case ".plan":
				found[ext]++
				if _, err := plan.Load(path); err != nil {
					t.Error(err)
				}
			case ".thrift":
				found[ext]++
				c := seam(t, "gen", "diff", path, path)
				for line := range strings.Lines(c.errout) {
					if !strings.Contains(line, ": warning: ") { // Kitex's own examples have some
						c.code = -1
					}
				}
				if c.code != exitOK || c.out != "" {
					t.Errorf("%s differs from itself: %d\n%s%s", path, c.code, c.out, c.errout)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if found[".plan"] < 5 || found[".thrift"] < 5 {
		t.Errorf("only %v were found", found)
	}
}
