//go:build cgo && seam_libs

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
)

const twoEvents = `{"id":1,"type":"order","user":{"country":"DE"},"items":[{"price":2.5,"quantity":2},{"price":1,"quantity":1}]}
{"id":2,"type":"visit","user":{"country":"FR"}}
`

func TestRun(t *testing.T) {
	file := filepath.Join(t.TempDir(), "events.json")
	array := "[" + strings.ReplaceAll(strings.TrimSpace(twoEvents), "\n", ",") + "]"
	if err := os.WriteFile(file, []byte(array), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args  []string
		stdin string
		want  []string
	}{
		{nil, twoEvents, []string{`1 3 6.00 "order"`, `1 0 0.00 "visit"`}},
		{nil, "\n" + array, []string{`1 3 6.00 "order"`}},
		{[]string{"-by", "country", file, file}, "", []string{`2 6 12.00 "DE"`, `2 0 0.00 "FR"`}},
		{nil, "", []string{"events items sum"}},
	} {
		var out bytes.Buffer
		if err := run(c.args, strings.NewReader(c.stdin), &out, io.Discard); err != nil {
			t.Errorf("%v: %v", c.args, err)
		}
		got := strings.Join(strings.Fields(out.String()), " ")
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%v prints %s, want …%s…", c.args, got, want)
			}
		}
	}
	for _, c := range []struct {
		args        []string
		stdin, want string
	}{
		{[]string{"-by", "hour"}, "", "want type or country"},
		{[]string{"-limit", "0"}, "", "above 0"},
		{[]string{file + ".none"}, "", "no such file"},
		{nil, "{}\n\n{\"id\":x}\n", "standard input: line 3: byte 6:"},
		{[]string{"-limit", "100000"}, strings.Repeat(" ", 99999) + "{ }", "a document of"},
		{[]string{"-limit", "100000"}, "[" + strings.Repeat(" ", 1e6) + "]", "line 1: a document of more than 100000 bytes"},
	} {
		err := run(c.args, strings.NewReader(c.stdin), io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want …%s…", c.args, err, c.want)
		}
	}
}

// Documents come out as they went in, however they are read, and with room behind them.
func TestEachDocument(t *testing.T) {
	var lines []string
	for i := range 2000 {
		lines = append(lines, fmt.Sprintf(`{"id":%d,"x":%q}`, i, strings.Repeat("y", i*i%1000)))
	}
	lines[1000] = `{"x":"` + strings.Repeat("z", 300<<10) + `"}`
	for name, in := range map[string]io.Reader{
		"at once":     strings.NewReader(strings.Join(lines, "\n\r\n")),
		"in halves":   iotest.HalfReader(strings.NewReader(strings.Join(lines, "\n") + "\n")),
		"with an end": iotest.DataErrReader(strings.NewReader(strings.Join(lines, "\n"))),
		"bytewise":    iotest.OneByteReader(strings.NewReader(strings.Join(lines, "\n"))),
	} {
		i := 0
		err := eachDocument(in, 1<<20, func(doc []byte) error {
			if got := string(doc); i >= len(lines) || strings.TrimSpace(got) != lines[i] {
				return fmt.Errorf("document %d is %.50q", i, got)
			}
			if cap(doc)-len(doc) < Padding {
				return fmt.Errorf("document %d has %d bytes behind it", i, cap(doc)-len(doc))
			}
			i++
			return nil
		})
		if err != nil || i != len(lines) {
			t.Errorf("%s: %d documents, %v", name, i, err)
		}
	}
	if err := eachDocument(iotest.ErrReader(io.ErrClosedPipe), 1, nil); err != io.ErrClosedPipe {
		t.Errorf("a reader that fails: %v", err)
	}
	if err := eachDocument(stuck{}, 1, nil); err != io.ErrNoProgress {
		t.Errorf("a reader that gives nothing: %v", err)
	}
}

// stuck gives nothing and no error.
type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }
