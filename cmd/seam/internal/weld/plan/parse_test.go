package plan

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/wordlines"
)

func TestParse(t *testing.T) {
	src := "\ufeff" + `# seam.plan 1
# made by hand

leaf github.com/mattn/go-sqlite3.sqlite3_column_int64 sig=1f9c03aa budget=20us # observed: 1.2M calls # and more
cgo	example.com/a.b/v2.f # why
  leaf gopkg.in/x.v1._CMalloc   allow=5% keep budget=1.5ms
leaf m.f allow=0.002 closed
leaf m.größe budget=7µs #
offload:8 m.waits sig=00112233
threads: 64 # as many as the database takes
offload:10000 m.other group=db_1 keep
cgo m.wakes unbounded
coro m.walk budget=1ms
park m.query stack=256KiB
`
	p, err := Parse("p", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	want := []Entry{
		{Mode: Leaf, Package: "github.com/mattn/go-sqlite3", Func: "sqlite3_column_int64", Sig: "1f9c03aa",
			Budget: 20 * time.Microsecond, Allow: 0.01, Comment: "observed: 1.2M calls # and more", Line: 4},
		{Mode: Cgo, Package: "example.com/a.b/v2", Func: "f", Budget: DefaultBudget, Allow: DefaultAllow, Comment: "why", Line: 5},
		{Mode: Leaf, Package: "gopkg.in/x.v1", Func: "_CMalloc", Budget: 1500 * time.Microsecond, Allow: 0.05, Keep: true, Line: 6},
		{Mode: Leaf, Package: "m", Func: "f", Budget: DefaultBudget, Allow: 0.002, Closed: true, Line: 7},
		{Mode: Leaf, Package: "m", Func: "größe", Budget: 7 * time.Microsecond, Allow: DefaultAllow, Line: 8},
		{Mode: Offload, Threads: 8, Package: "m", Func: "waits", Sig: "00112233", Budget: DefaultBudget, Allow: DefaultAllow, Line: 9},
		{Mode: Offload, Threads: 10000, Group: "db_1", Package: "m", Func: "other", Budget: DefaultBudget, Allow: DefaultAllow, Keep: true, Line: 11},
		{Mode: Cgo, Package: "m", Func: "wakes", Budget: DefaultBudget, Allow: DefaultAllow, Unbounded: true, Line: 12},
		{Mode: Coro, Package: "m", Func: "walk", Budget: time.Millisecond, Allow: DefaultAllow, Line: 13},
		{Mode: Park, Package: "m", Func: "query", Budget: DefaultBudget, Allow: DefaultAllow, Stack: 256 << 10, Line: 14},
	}
	if p.Threads != 64 || p.ThreadsLine != 10 || p.ThreadsComment != "as many as the database takes" {
		t.Errorf("%d threads in line %d, %q", p.Threads, p.ThreadsLine, p.ThreadsComment)
	}
	if !reflect.DeepEqual(p.Entries, want) {
		t.Errorf("got\n%+v\nwant\n%+v", p.Entries, want)
	}
}

func TestParseMistakes(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"mode", "lief a.f\n", `p:1:1: "lief" is not a mode (leaf, coro, park, cgo, view, reuse or offload:8); did you mean leaf?`},
		{"far from any mode", "something a.f\n", `p:1:1: "something" is not a mode (leaf, coro, park, cgo, view, reuse or offload:8)`},
		{"threads without a colon", "threads 8\n", "p:1:1: \"threads\" is not a mode (leaf, coro, park, cgo, view, reuse or offload:8); did you mean threads:?\n" +
			`p:1:9: "8" is not a function (want IMPORTPATH.FUNCTION, such as example.com/m/pkg.c_function)`},
		{"no function", "leaf\n", "p:1:5: a function is missing: MODE IMPORTPATH.FUNCTION [OPTIONS]"},
		{"no package", "leaf f\n", `p:1:6: "f" is not a function (want IMPORTPATH.FUNCTION, such as example.com/m/pkg.c_function)`},
		{"no name", "leaf example.com/a\n", `p:1:6: "example.com/a" is not a function (want IMPORTPATH.FUNCTION, such as example.com/m/pkg.c_function)`},
		{"duplicate", "leaf a.f\n\ncgo a.f\n", "p:3:5: a.f already has a line, line 1"},
		{"option", "leaf a.f bugdet=20us\n", `p:1:10: unknown option "bugdet"; did you mean budget?`},
		{"word", "leaf a.f please\n", `p:1:10: unknown option "please"`},
		{"option without value", "leaf a.f budget\n", "p:1:10: budget needs a value (budget=20us)"},
		{"value for a word", "leaf a.f keep=1\n", "p:1:14: keep takes no value"},
		{"value for another word", "leaf a.f closed=yes\n", "p:1:16: closed takes no value"},
		{"twice", "leaf a.f keep keep\n", "p:1:15: keep= appears twice in this line"},
		{"budget", "leaf a.f budget=20\n", `p:1:17: "20" is not a budget (a time from 100ns to 100ms, such as 20us)`},
		{"long budget", "leaf a.f budget=1h\n", `p:1:17: "1h" is not a budget (a time from 100ns to 100ms, such as 20us)`},
		{"negative budget", "leaf a.f budget=-1us\n", `p:1:17: "-1us" is not a budget (a time from 100ns to 100ms, such as 20us)`},
		{"allow", "leaf a.f allow=200%\n", `p:1:16: "200%" is not a share of calls (from 0 to 1, or 0% to 100%)`},
		{"allow, no number", "leaf a.f allow=NaN\n", `p:1:16: "NaN" is not a share of calls (from 0 to 1, or 0% to 100%)`},
		{"sig", "leaf a.f sig=12345\n", `p:1:14: "12345" is not a signature (eight hexadecimal digits, as seam plan writes them)`},
		{"control character", "leaf a.f # \x1b[31m\n", "p:1:12: a character that isn't text (U+001B)"},
		{"not UTF-8", "leaf a.f # \xff\n", "p:1:12: a character that isn't text (U+FFFD)"},
		{"other version", "# seam.plan 2\n", `p:1:13: version "2" of the format; this seam knows version 1 (make the plan again with seam plan)`},
		{"no threads", "offload a.f\n", `p:1:1: "offload" needs a number of threads (from 1 to 10000, as in offload:8)`},
		{"threads by name", "offload:many a.f\n", `p:1:1: "offload:many" needs a number of threads (from 1 to 10000, as in offload:8)`},
		{"too many threads", "offload:10001 a.f\n", `p:1:1: "offload:10001" needs a number of threads (from 1 to 10000, as in offload:8)`},
		{"a group of two sizes", "offload:2 a.f group=db\noffload:3 a.g group=db\n", "p:2:11: group db has offload:2 in line 1: its lines must agree"},
		{"a group's name", "offload:2 a.f group=a-b\n", `p:1:21: "a-b" is not the name of a group (letters, digits and _)`},
		{"a group of leaves", "leaf a.f group=db\n", "p:1:6: group= is for offload, which this line is not"},
		{"an unbounded leaf", "leaf a.f unbounded\n", "p:1:6: unbounded is for cgo: it excepts a function from threads:"},
		{"a closed coro", "coro a.f closed\n", "p:1:6: closed is for leaf: it says that the function can't call Go"},
		{"a closed park", "park a.f closed\n", "p:1:6: closed is for leaf: it says that the function can't call Go"},
		{"a stack of a leaf", "leaf a.f stack=1MiB\n", "p:1:6: stack= is for park: other functions have no stack of their own"},
		{"a stack in bytes", "park a.f stack=65536\n", `p:1:16: "65536" is not the size of a stack (from 16KiB to 64MiB, such as 256KiB)`},
		{"a small stack", "park a.f stack=15KiB\n", `p:1:16: "15KiB" is not the size of a stack (from 16KiB to 64MiB, such as 256KiB)`},
		{"a large stack", "park a.f stack=65MiB\n", `p:1:16: "65MiB" is not the size of a stack (from 16KiB to 64MiB, such as 256KiB)`},
		{"an unbounded coro", "coro a.f unbounded\n", "p:1:6: unbounded is for cgo: it excepts a function from threads:"},
		{"a bound without number", "threads:\n", `p:1:9: "" is not a number of threads (from 1 to 10000, as in threads: 64)`},
		{"a bound of nothing", "threads: 0\n", `p:1:10: "0" is not a number of threads (from 1 to 10000, as in threads: 64)`},
		{"a bound of a function", "threads: 8 a.f\n", "p:1:12: threads: takes a number and nothing else"},
		{"a view of a function", "view a.f\n", "p:1:6: view is for C.GoString alone: view IMPORTPATH.GoString"},
		{"a leaf of cgo's", "leaf a.GoString\n", "p:1:6: C.GoString is cgo's own and no function of C's: view or cgo"},
		{"reuse of a function", "reuse a.f\n", "p:1:7: reuse is for C.CString alone: reuse IMPORTPATH.CString"},
		{"a view of another of cgo's", "view a.CString\n", "p:1:6: C.CString is cgo's own and no function of C's: reuse or cgo\np:1:6: view is for C.GoString alone: view IMPORTPATH.GoString"},
		{"a view's budget", "view a.GoString keep budget=1us\n", "p:1:22: a view line takes the word keep and no other"},
		{"no time", "trim:\n", `p:1:6: "" is not how long a program is idle before it gives memory back (from 100ms to 1h, as in trim: 1s)`},
		{"a short time", "trim: 99ms\n", `p:1:7: "99ms" is not how long a program is idle before it gives memory back (from 100ms to 1h, as in trim: 1s)`},
		{"a time of a function", "trim: 1s a.f\n", "p:1:10: trim: takes a time and nothing else"},
		{"two times", "trim: 1s\ntrim:2s\n", "p:2:1: trim: already has a line, line 1"},
		{"two bounds", "threads: 8\nthreads:9\n", "p:2:1: threads: already has a line, line 1"},
		{"several", "lief a.f\nleaf b\n", "p:1:1: \"lief\" is not a mode (leaf, coro, park, cgo, view, reuse or offload:8); did you mean leaf?\n" +
			`p:2:6: "b" is not a function (want IMPORTPATH.FUNCTION, such as example.com/m/pkg.c_function)`},
	} {
		if _, err := Parse("p", []byte(c.src)); err == nil || err.Error() != c.want {
			t.Errorf("%s: error\n%v\nwant\n%s", c.name, err, c.want)
		}
	}
}

func TestParseTellsTenMistakes(t *testing.T) {
	_, err := Parse("p", []byte(strings.Repeat("x\n", 1000)))
	if err == nil || strings.Count(err.Error(), "\n") != wordlines.MaxErrors || !strings.Contains(err.Error(), "too many mistakes") {
		t.Errorf("error %v", err)
	}
	if _, err := Parse("p", make([]byte, maxSize+1)); err == nil || len(err.Error()) > 100 {
		t.Errorf("a file that is too large: error %v", err)
	}
}

// FuzzParse checks that what is read and written is read again as the same.
func FuzzParse(f *testing.F) {
	f.Add([]byte("# seam.plan 1\nleaf example.com/a.f sig=00112233 budget=30us allow=2% keep # c\ncgo b.g\n"))
	f.Add([]byte("trim: 90s # why\nthreads: 7 # why\noffload:3 a.f group=g keep\noffload:3 a.g group=g\ncgo b.g unbounded\n"))
	f.Add([]byte("leaf a.f budget=1.5us allow=1e-9#\n"))
	f.Add([]byte("view a.GoString keep # c\nreuse a.CString\ncgo b.GoString\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		p, err := Parse("p", src)
		if err != nil {
			return
		}
		var first, second bytes.Buffer
		if err := p.Format(&first); err != nil {
			t.Fatal(err)
		}
		q, err := Parse("p", first.Bytes())
		if err != nil {
			t.Fatalf("what was written can't be read: %v\n%s", err, first.Bytes())
		}
		if err := q.Format(&second); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Fatalf("written\n%s\nthen\n%s", first.Bytes(), second.Bytes())
		}
		for _, e := range p.Entries {
			if p.Hash(e.Package) != q.Hash(e.Package) {
				t.Fatalf("%s: another hash after writing", e.Package)
			}
		}
	})
}
