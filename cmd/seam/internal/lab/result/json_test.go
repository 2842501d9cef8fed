package result

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/machine"
)

func example() *Run {
	return &Run{
		Seam: "v0.1.0", Commit: "abc+dirty", Mode: "quick", Seed: 1<<63 + 1, Rounds: 2, Leaf: "assembly",
		Started: time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC), Seconds: 1.5,
		Machine: machine.Facts{CPU: "AMD <EPYC> & co", Cores: 2, Kernel: "Linux 6", GOOS: "linux", GOARCH: "amd64", Go: "go1.26", GOMAXPROCS: 2, Load: -1},
		Experiments: []Experiment{{
			Name: "call", Title: "a call", About: "about", Articles: []int{1}, Sources: []Source{{Number: 1, Author: "someone", Title: "a title", Year: "2020", URL: "https://example.org", Go: "Go 1.14", Machine: "i7"}}, Rounds: 2,
			Series: []Series{
				{Name: "Call/via=go", Unit: "ns/op", Label: "Go", Median: 2, Lo: 1, Hi: 3, Outliers: 1,
					Reference: &Reference{Value: 0.29, Source: 1},
					Samples:   []Sample{{0, 0, 10, 1, false}, {1, 0, 10, 3, true}}},
				{Name: "Call/via=cgo", Unit: "ns/op", Label: "cgo", NotMeasured: "built without cgo"},
			},
			Yardsticks:  []string{"Call/via=go"},
			Comparisons: []Comparison{{"Call/via=leaf", "Call/via=go", "ns/op", 1.6, 1.5, 1.7, 12, "slower", 1.06, true}},
			Controls:    []Comparison{{"Call/via=go", "Call/via=go (again)", "ns/op", 1.01, 0, 0, 1, "unproven", 0, false}},
			Headlines:   []Headline{{"Call/via=go", "ns/op", "a call"}},
			Findings:    []string{"finding"}, Notes: []string{"note"},
			Profiles: []Profile{{Name: "Call/what=profile", Label: "calls", Unit: "ns", Kinds: []string{"Go", "C"}, Frames: []Frame{
				{Function: "main.main", Parent: -1, Value: 5}, {Function: "C.f", Parent: 0, Kind: 1, Value: 3.5}}}},
		}},
	}
}

func encode(t *testing.T, r *Run) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.Encode(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestEncodeThenDecode(t *testing.T) {
	want := example()
	text := encode(t, want)
	got, err := Decode(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	if again := encode(t, got); again != text {
		t.Errorf("decoded and encoded again it differs:\n%s\n%s", again, text)
	}
	for _, part := range []string{"{\n \"schema\": \"seam.lab/1\",\n", "AMD <EPYC> & co", `"seed": 9223372036854775809`} {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in\n%s", part, text)
		}
	}
}

func TestEncodeWritesNoNull(t *testing.T) {
	r := new(Run)
	text := encode(t, r)
	if !strings.Contains(text, `"experiments": []`) {
		t.Error(text)
	}
	if r.Experiments != nil {
		t.Error("Encode changed the run")
	}
}

// inconsistent are changes that make the example a run no reader should see.
var inconsistent = []struct {
	name   string
	change func(*Run)
	want   string // part of the error
}{
	{"seconds", func(r *Run) { r.Seconds = math.Inf(1) }, "run: seconds is +Inf"},
	{"load", func(r *Run) { r.Machine.Load = math.NaN() }, "load is NaN"},
	{"rounds", func(r *Run) { r.Rounds = -1 }, "rounds is -1"},
	{"no experiment name", func(r *Run) { r.Experiments[0].Name = "" }, "experiment 0"},
	{"experiment twice", func(r *Run) { r.Experiments = append(r.Experiments, r.Experiments[0]) }, `"call" is empty or not the first`},
	{"median", func(r *Run) { r.Experiments[0].Series[0].Median = math.NaN() }, "experiment call: series Call/via=go (ns/op): median is NaN"},
	{"interval", func(r *Run) { r.Experiments[0].Series[0].Lo = 2.5 }, "not within its interval [2.5, 3]"},
	{"sample", func(r *Run) { r.Experiments[0].Series[0].Samples[1].Value = math.Inf(-1) }, "sample 1: value is -Inf"},
	{"round", func(r *Run) { r.Experiments[0].Series[0].Samples[1].Round = -2 }, "round is -2"},
	{"outliers", func(r *Run) { r.Experiments[0].Series[0].Outliers = 2 }, "outliers is 2, but 1 samples"},
	{"name with a space", func(r *Run) { r.Experiments[0].Series[0].Name = "a b" }, "without spaces"},
	{"no unit", func(r *Run) { r.Experiments[0].Series[0].Unit = "" }, "without spaces"},
	{"series twice", func(r *Run) { r.Experiments[0].Series[1] = r.Experiments[0].Series[0] }, "appears twice"},
	{"reference", func(r *Run) { r.Experiments[0].Series[0].Reference.Value = math.NaN() }, "reference is NaN"},
	{"not measured, with samples", func(r *Run) { r.Experiments[0].Series[0].NotMeasured = "why" }, "yet with 2 samples"},
	{"verdict", func(r *Run) { r.Experiments[0].Comparisons[0].Verdict = "better" }, `verdict "better"`},
	{"ratio", func(r *Run) { r.Experiments[0].Comparisons[0].Ratio = -1 }, "below 0"},
	{"ratio outside", func(r *Run) { r.Experiments[0].Comparisons[0].Ratio = 2 }, "not within its interval"},
	{"blocks", func(r *Run) { r.Experiments[0].Controls[0].Blocks = -1 }, "control"},
	{"yardstick", func(r *Run) { r.Experiments[0].Yardsticks = []string{"Call/via=none"} }, `yardstick "Call/via=none" is no series`},
	{"no base", func(r *Run) { r.Experiments[0].Comparisons[0].Base = "" }, "need a name"},
}

func TestInconsistentRunsAreRefused(t *testing.T) {
	for _, c := range inconsistent {
		r := example()
		c.change(r)
		var b bytes.Buffer
		err := r.Encode(&b)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: Encode says %v, want %q", c.name, err, c.want)
		}
		if b.Len() > 0 {
			t.Errorf("%s: Encode wrote %d bytes of a bad run", c.name, b.Len())
		}
		text, err := json.Marshal(r)
		if err != nil {
			continue // JSON has no such value
		}
		text = append([]byte(`{"schema":"seam.lab/1",`), text[1:]...)
		if _, err := Decode(bytes.NewReader(text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: Decode says %v, want %q", c.name, err, c.want)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	good := encode(t, example())
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"nothing", " \n", []string{"empty", "seam lab --json FILE"}},
		{"no JSON", "BenchmarkX 1 2 ns/op\n", []string{"line 1, column 1"}},
		{"a list", "[]", []string{"line 1"}},
		{"null", "null", []string{"no schema", "not a run of seam lab"}},
		{"other JSON", `{"a": 1}`, []string{"no schema", "not a run of seam lab", "seam lab --json FILE"}},
		{"schema of another kind", `{"schema": 1}`, []string{"no schema", "not a run of seam lab"}},
		{"later schema", `{"schema": "seam.lab/2", "experiments": 7}`, []string{`seam.lab/2`, `this version of seam reads "seam.lab/1"`, "make it again"}},
		{"other program", `{"schema": "acme/1"}`, []string{`acme/1`, `not "seam.lab/1"`, "seam lab --json FILE"}},
		{"a very long schema", `{"schema": "` + strings.Repeat("x", 1000) + `"}`, []string{"schema is", `not "seam.lab/1"`}},
		{"cut short", good[:len(good)/2], []string{"cut off"}},
		{"cut short by a brace", strings.TrimSpace(good)[:len(good)-2], []string{"cut off"}},
		{"more behind it", good + "{}", []string{"line "}},
		{"number too large", strings.Replace(good, `"seconds": 1.5`, `"seconds": 1e999`, 1), []string{"line 6", "1e999"}},
		{"other type", strings.Replace(good, `"rounds": 2`, `"rounds": "2"`, 1), []string{"line 9"}},
		{"deep nesting", `{"schema":` + strings.Repeat("[", 20000), []string{"read lab run"}},
	} {
		run, err := Decode(strings.NewReader(c.text))
		if err == nil {
			t.Errorf("%s: read %+v", c.name, run)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q lacks %q", c.name, err, want)
			}
		}
		if len(err.Error()) > 400 {
			t.Errorf("%s: the message is %d bytes long", c.name, len(err.Error()))
		}
	}
}

func TestDecodeReadsNewFieldsOfTheSameVersion(t *testing.T) {
	text := strings.Replace(encode(t, example()), `"mode"`, `"colour": "green", "mode"`, 1)
	if _, err := Decode(strings.NewReader(text)); err != nil {
		t.Error(err)
	}
}

func TestDecodeBoundsItsInput(t *testing.T) {
	text := encode(t, example())
	k := runs
	k.Bytes = int64(len(text))
	if _, err := decode(strings.NewReader(text), k); err != nil {
		t.Error(err)
	}
	k.Bytes--
	if _, err := decode(strings.NewReader(text), k); err == nil || !strings.Contains(err.Error(), "larger than") {
		t.Errorf("%v, want it refused", err)
	}
}

func FuzzDecode(f *testing.F) {
	var b bytes.Buffer
	if err := example().Encode(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte(`{"schema":"seam.lab/1"}`))
	f.Add([]byte(`{"schema":"seam.lab/1","experiments":[{"name":"x","series":[{"name":"y","unit":"ns/op","samples":[{}]}]}]}`))
	f.Add([]byte(`{"schema":"seam.lab/2"}`))
	f.Add([]byte("null"))
	f.Fuzz(func(t *testing.T, data []byte) {
		run, err := Decode(bytes.NewReader(data))
		if err != nil {
			return
		}
		// What is read can be written, and reads as the same.
		var b bytes.Buffer
		if err := run.Encode(&b); err != nil {
			t.Fatalf("read, but not to be written: %v", err)
		}
		again, err := Decode(&b)
		if err != nil {
			t.Fatalf("written, but not to be read: %v", err)
		}
		var c, d bytes.Buffer
		if run.Encode(&c) != nil || again.Encode(&d) != nil || c.String() != d.String() {
			t.Fatal("a second round differs")
		}
	})
}
