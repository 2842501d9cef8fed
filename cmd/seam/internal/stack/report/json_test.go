package report

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// encoded is the report on a log, as JSON.
func encoded(t testing.TB, log string) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := reportOf(t, string(logFile(t, log)), Options{}).Encode(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestEncodeAndDecode(t *testing.T) {
	for _, name := range []string{"mix.log", "plain.log", "overflow.log"} {
		f := reportOf(t, string(logFile(t, name)), Options{})
		var out bytes.Buffer
		if err := f.Encode(&out); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "f.json")
		if err := os.WriteFile(file, out.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		back, err := Read(file)
		if err != nil || !reflect.DeepEqual(f, back) {
			t.Errorf("%s: %v\n%+v\n%+v", name, err, f, back)
		}
		if bytes.Contains(out.Bytes(), []byte("null")) {
			t.Errorf("%s: a list is null", name)
		}
	}
}

func TestReadNoFile(t *testing.T) {
	if _, err := Read(filepath.Join(t.TempDir(), "none.json")); err == nil || !strings.Contains(err.Error(), "none.json") {
		t.Errorf("error %v", err)
	}
}

func TestDecodeBad(t *testing.T) {
	good := encoded(t, "mix.log")
	change := func(f func(m map[string]any)) string {
		var m map[string]any
		if err := json.Unmarshal(good, &m); err != nil {
			t.Fatal(err)
		}
		f(m)
		out, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	object := func(m map[string]any, name string) map[string]any { return m[name].(map[string]any) }
	first := func(m map[string]any, name string) map[string]any { return m[name].([]any)[0].(map[string]any) }
	deep := `{"callee":{"func":"f"},"caller":{"func":"f"},"from":2048,"to":4096,"count":1,"copied":1,"time":1,"children":[`
	small := kind
	small.Bytes, small.Objects = 4<<20, 5000
	for name, test := range map[string]struct{ text, want string }{
		"empty":           {" \n", "empty"},
		"a log":           {string(logFile(t, "mix.log")), "this is a program's log"},
		"no JSON":         {"hello", "not a report"},
		"a list":          {"[]", "not a report"},
		"another report":  {`{"schema":1,"functions":[]}`, "it has no schema"},
		"cut off":         {string(good[:len(good)/2]), "cut off"},
		"another schema":  {change(func(m map[string]any) { m["schema"] = "seam.trace/1" }), `its schema is "seam.trace/1", not`},
		"a later version": {change(func(m map[string]any) { m["schema"] = "seam.stack-trace/99" }), "reads \"seam.stack-trace/1\"; make it again"},
		"wrong type":      {change(func(m map[string]any) { m["sites"] = 5 }), "not a report of seam stack trace: line 1, column"},
		"negative":        {change(func(m map[string]any) { object(m, "growth")["count"] = -1 }), "growth: the value -1"},
		"too large":       {change(func(m map[string]any) { object(m, "growth")["time"] = int64(1) << 61 }), "too large"},
		"no size":         {change(func(m map[string]any) { first(m, "sizes")["bytes"] = 3000 }), "3000 is not the size"},
		"sizes twice":     {change(func(m map[string]any) { m["sizes"] = []any{first(m, "sizes"), first(m, "sizes")} }), "not in order"},
		"no name":         {change(func(m map[string]any) { first(m, "sites")["callee"] = map[string]any{} }), "site 0: a function has no name"},
		"a line below 0":  {change(func(m map[string]any) { first(m, "sites")["caller"] = map[string]any{"func": "f", "line": -5} }), "-5"},
		"a root is null":  {change(func(m map[string]any) { m["tree"] = []any{nil} }), "root 0"},
		"a root is none":  {change(func(m map[string]any) { delete(first(m, "tree"), "entry") }), "no entry"},
		"a node is null":  {change(func(m map[string]any) { first(m, "tree")["children"] = []any{nil} }), "null"},
		"a node is a root": {change(func(m map[string]any) {
			first(m, "tree")["children"] = []any{map[string]any{"entry": first(m, "tree")["entry"]}}
		}), "only roots"},
		"a node is none": {change(func(m map[string]any) { first(m, "tree")["children"] = []any{map[string]any{}} }), "no callee"},
		"deep": {change(func(m map[string]any) {
			var v any
			if err := json.Unmarshal([]byte(strings.Repeat(deep, 500)+strings.Repeat("]}", 500)), &v); err != nil {
				t.Fatal(err)
			}
			first(m, "tree")["children"] = []any{v}
		}), "deeper than"},
		"very deep":     {`{"version":1,"processes":[],"growth":` + strings.Repeat("[", 1<<20), "not a report"},
		"many spans":    {change(func(m map[string]any) { object(m, "timeline")["spans"] = make([]struct{}, 1000) }), "1000 spans"},
		"no step":       {change(func(m map[string]any) { object(m, "timeline")["step"] = 0 }), "no length"},
		"many objects":  {`{"version":1,"processes":[` + strings.Repeat("{},", 6000) + `{}],"growth":{}}`, "objects"},
		"many nulls":    {`{"version":1,"sites":[` + strings.Repeat("null,", 6000) + `null],"growth":{}}`, "objects"},
		"larger than M": {strings.Repeat(" ", 5<<20), "larger than 4 MiB"},
	} {
		if err := small.Decode(strings.NewReader(test.text), &File{}); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %.300v, want %q", name, err, test.want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(encoded(f, "overflow.log"))
	f.Add(encoded(f, "plain.log"))
	f.Add([]byte(`{"version":1,"processes":[],"growth":{},"tree":[{"entry":{"func":{"func":"f"},"go":{"func":"g"}},"children":[null]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		report := &File{}
		if kind.Decode(bytes.NewReader(data), report) != nil {
			return
		}
		var out bytes.Buffer
		if err := report.Encode(&out); err != nil {
			t.Fatal(err)
		}
		if err := kind.Decode(&out, &File{}); err != nil {
			t.Errorf("it is not read again: %v", err)
		}
	})
}
