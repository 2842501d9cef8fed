package jsonfile

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

type note struct {
	Text string    `json:"text"`
	List []float64 `json:"list"`
}

func (n *note) Check() error {
	if n.Text == "wrong" {
		return errors.New("the text is wrong")
	}
	return nil
}

var notes = Kind{
	Schema: "seam.note/2", Name: "a note", Make: "seam note", Has: []string{"text", "list"}, Bytes: 1 << 20, Objects: 4, Number: "version",
	Other: func(data []byte) error {
		if data[0] == '@' {
			return errors.New("a log")
		}
		return nil
	},
}

func TestRoundTrip(t *testing.T) {
	name := filepath.Join(t.TempDir(), "note.json")
	var buf bytes.Buffer
	if err := notes.Encode(&buf, &note{"<a>", []float64{1}}); err != nil {
		t.Fatal(err)
	}
	if want := "{\n \"schema\": \"seam.note/2\",\n \"text\": \"<a>\",\n \"list\": [\n  1\n ]\n}\n"; buf.String() != want {
		t.Errorf("the file is %q, want %q", buf.String(), want)
	}
	if err := os.WriteFile(name, buf.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	if got, err := Read[note](&notes, name); err != nil || got.Text != "<a>" || len(got.List) != 1 {
		t.Errorf("read back it is %v, %v", got, err)
	}
	var none bytes.Buffer
	if err := notes.Encode(&none, &note{List: []float64{1, math.NaN()}}); err == nil || none.Len() > 0 {
		t.Errorf("a NaN is written, as %q, %v", none.String(), err)
	}
	for _, v := range []any{struct{}{}, []int{1}} {
		if err := notes.Encode(&none, v); err == nil || none.Len() > 0 {
			t.Errorf("%v is written, as %q, %v", v, none.String(), err)
		}
	}
	if _, err := Read[note](&notes, name+"x"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that isn't there is %v", err)
	}
}

func TestDecode(t *testing.T) {
	for _, c := range []struct{ data, want string }{
		{`{"schema":"seam.note/2","text":"","list":[],"later":{}}`, ""},
		{`{"version":1,"text":"","list":[]}`, ""},
		{"", "the file is empty; make one with: seam note"},
		{" \n\t", "the file is empty"},
		{"@1", "a log"},
		{`{"schema":"seam.note/2","te`, "the file is cut off; make one with: seam note"},
		{"{\n \"schema\": ,}", "not a note: line 2, column 12: invalid character ','"},
		{`[1]`, "not a note: line 1, column 1: json: cannot unmarshal array"},
		{`null`, "not a note: it has no schema; make one with"},
		{`{"schema":null,"text":"","list":[]}`, "not a note: it has no schema"},
		{`{"schema":1,"version":"1","text":"","list":[]}`, "not a note: it has no schema"},
		{`{"version":2,"text":"","list":[]}`, "not a note: it has no schema"},
		{`{"schema":"seam.note/2","list":null}`, "not a note: it has no text, list; make one with"},
		{`{"version":1}`, "not a note: it has no text, list"},
		{`{"schema":"seam.note/3","text":1,"list":2}`, `its schema is "seam.note/3", and this version of seam reads "seam.note/2"; make it again with this version: seam note`},
		{`{"schema":"seam.lab/2","text":1,"list":2}`, `not a note: its schema is "seam.lab/2", not "seam.note/2"; make one with: seam note`},
		{`{"schema":"` + strings.Repeat("\u202e", 50) + `","text":1,"list":2}`, `not a note: its schema is "\u202e\u202e`},
		{"{\"schema\":\"seam.note/2\",\n\"text\":1,\"list\":[]}", "not a note: line 2, column 8: json: cannot unmarshal number"},
		{`{"schema":"seam.note/2","text":"wrong","list":[]}`, "not a note as seam writes it: the text is wrong"},
		{`{"schema":"seam.note/2","text":"","list":[],"l":[{},{},{},{}]}`, "not a note: it has more than 4 objects"},
		{`{"schema":"seam.note/2","text":"` + strings.Repeat("a", 1<<20) + `","list":[]}`, "not a note: it is larger than 1 MiB"},
	} {
		err := notes.Decode(strings.NewReader(c.data), &note{})
		if (err == nil) != (c.want == "") || err != nil && !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%.60q gives\n%v, want\n%s", c.data, err, c.want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"schema":"seam.note/2","text":"","list":[1,2]}`))
	f.Add([]byte(`{"version":1,"text":"a","list":[]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		n := &note{}
		if notes.Decode(bytes.NewReader(data), n) != nil {
			return
		}
		var text bytes.Buffer
		if err := notes.Encode(&text, n); err != nil {
			t.Fatal(err)
		}
		if err := notes.Decode(&text, &note{}); err != nil {
			t.Errorf("%q is not read again: %v", text.Bytes(), err)
		}
	})
}
