package lab

import (
	"strings"
	"testing"
)

func TestReadEventsRefuses(t *testing.T) {
	for _, tt := range []struct{ line, want string }{
		{`{`, "unexpected end of JSON"},
		{`{"kind":"begin"}`, "without the name of a case"},
		{`{"kind":"wave","case":"a"}`, `unknown kind "wave"`},
		{`{"kind":"metric","case":"a"}`, "needs a value"},
		{`{"kind":"profile","case":"a"}`, "no profile"},
		{`{"kind":"profile","case":"a","profile":{"name":"p","unit":"ns","frames":[{"parent":0}]}}`, "parent is 0"},
		{`{"kind":"samples","case":"a","samples":[{"value":"x"}]}`, "cannot unmarshal"},
	} {
		err := readEvents(strings.NewReader(`{"kind":"begin","case":"a"}`+"\n"+tt.line+"\n"), func(event) {})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", tt.line, err, tt.want)
		}
	}
}

// Whatever a worker sends, the parent makes a result of it or an error.
func FuzzEvents(f *testing.F) {
	f.Add([]byte(`{"kind":"samples","case":"base","samples":[{"block":0,"n":1,"value":3}]}` + "\n" + `{"kind":"done"}`))
	f.Add([]byte(`{"kind":"metric","case":"probe","metric":{"name":"x","unit":"B","value":1e308}}`))
	f.Add([]byte(`{"kind":"profile","case":"probe","profile":{"name":"p","unit":"ns","kinds":["k"],"frames":[{"function":"f","parent":-1,"value":1},{"parent":0}]}}`))
	f.Add([]byte(`{"kind":"fail","case":"base","reason":"why"}` + "\n" + `{"kind":"probed","case":"probe","seconds":-1}`))
	f.Add([]byte(`{"kind":"samples","case":"probe","control":true,"samples":[{"block":-1,"value":-0}]}`))
	f.Fuzz(func(t *testing.T, sent []byte) {
		b := newCollector(probing("e", "probe"), Quick)
		a := newSchedule(Quick, []Experiment{b.Experiment}, 1)
		_ = readEvents(strings.NewReader(string(sent)), func(e event) {
			if e.Kind == evProbed {
				a.probed("e", e.Case, seconds(e.Seconds))
			}
			_ = b.add(0, e)
		})
		a.next("e")
		if e, _ := b.summarise(1, false); len(e.Series) == 0 {
			t.Error("a result without series")
		}
	})
}
