package jsonfile

import (
	"bytes"
	"encoding/json"
	"maps"
	"runtime"
	"strings"
	"testing"
)

func TestScan(t *testing.T) {
	for _, c := range []struct {
		text    string
		values  int
		entries int
		want    map[string]string
	}{
		{`{}`, 1, 0, nil},
		{`null`, 0, 0, nil},
		{`{"a":1,"b":[1,2,3],"c":{"d":[4,5,6,7]}}`, 9, 3, map[string]string{"a": "1", "b": "[1,2,3]"}},
		{`{"x":{"a":1},"a" : "q\"]}" ,"b":null}`, 2, 0, map[string]string{"a": ` "q\"]}" `, "b": "null"}},
		{`{"x":"a","b":[[],[{}]]}`, 5, 2, map[string]string{"b": "[[],[{}]]"}},
		{`{"x":["a","b"],"xa":1}`, 3, 2, nil},
	} {
		fields, values, entries := scan([]byte(c.text), []string{"a", "b", ""})
		got := map[string]string{}
		for k, v := range fields {
			got[k] = string(v)
		}
		if values != c.values || entries != c.entries || !maps.Equal(got, c.want) {
			t.Errorf("%s: %d values, %d entries, %q; want %d, %d, %q", c.text, values, entries, got, c.values, c.entries, c.want)
		}
	}
}

func FuzzScan(f *testing.F) {
	f.Add([]byte(`{"schema":"x","a":[1,{"b":"\\"}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if !json.Valid(text) {
			return
		}
		all := map[string]json.RawMessage{}
		if json.Unmarshal(text, &all) != nil {
			return
		}
		fields, _, _ := scan(text, []string{"a", "schema"})
		for _, name := range []string{"a", "schema"} {
			if raw, ok := all[name]; ok && !bytes.Contains(text, []byte(`\`)) && string(bytes.TrimSpace(fields[name])) != string(raw) {
				t.Errorf("%s is %q, want %q", name, fields[name], raw)
			}
		}
	})
}

// A file that is as large as may be costs little more memory than that, whatever is in it.
func TestHostile(t *testing.T) {
	k := notes
	k.Bytes, k.Objects = 32<<20, 100_000
	for name, text := range map[string]string{
		"keys":    `{"schema":"seam.note/2","text":"","list":[]` + strings.Repeat(`,"a":1`, 5<<20) + `}`,
		"numbers": `{"schema":"seam.note/2","text":"","list":[1` + strings.Repeat(`,1`, 15<<20) + `]}`,
		"lists":   `{"schema":"seam.note/2","text":"","list":[[]` + strings.Repeat(`,[]`, 10<<20) + `]}`,
		"string":  `{"schema":"seam.note/2","text":"","list":[],"x":"` + strings.Repeat(`x`, 31<<20) + `"}`,
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_ = k.Decode(strings.NewReader(text), &note{})
		runtime.ReadMemStats(&after)
		// Without a file's size the buffer doubles: all that it has been.
		if took := after.TotalAlloc - before.TotalAlloc; took > 4*uint64(k.Bytes) {
			t.Errorf("%s: %d MiB for a file of %d", name, took>>20, len(text)>>20)
		}
	}
}
