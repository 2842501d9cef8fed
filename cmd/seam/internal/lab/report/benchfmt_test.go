package report

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"

	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

// parse reads a benchfmt file and fails on anything that isn't a result.
func parse(t *testing.T, b []byte) []*benchfmt.Result {
	t.Helper()
	var all []*benchfmt.Result
	r := benchfmt.NewReader(bytes.NewReader(b), "test")
	for r.Scan() {
		switch rec := r.Result().(type) {
		case *benchfmt.Result:
			all = append(all, rec.Clone())
		case *benchfmt.SyntaxError:
			t.Error(rec)
		}
	}
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestBenchfmtReadsBack(t *testing.T) {
	run := fullRun()
	var buf bytes.Buffer
	if err := WriteBenchfmt(&buf, run); err != nil {
		t.Fatal(err)
	}
	type key struct{ name, unit, round string }
	want := map[key][]result.Sample{} // of each process and series, for its one line
	for _, e := range run.Experiments {
		for _, s := range e.Series {
			for _, x := range s.Samples {
				k := key{s.Name, s.Unit, fmt.Sprint(x.Round)}
				want[k] = append(want[k], x)
			}
		}
	}
	config := map[string]string{
		result.KeyCores: fmt.Sprint(run.Machine.Cores), result.KeyProcs: fmt.Sprint(run.Machine.GOMAXPROCS),
		result.KeyKernel: run.Machine.Kernel, result.KeyVirtual: run.Machine.Virtual, result.KeyGovernor: run.Machine.Scaling,
		result.KeyMode: run.Mode, result.KeyBases: strings.Join(run.Bases(), " "),
		"goos": "linux", "goarch": "amd64", "cpu": "AMD EPYC 7B13", "pkg": benchfmtPkg,
		result.KeyGo: "go1.26.8", result.KeySeam: "v0.1.0", result.KeyLeaf: "assembly", result.KeyCommit: run.Commit,
	}
	// benchstat makes a table for each configuration: there must be one.
	for _, r := range parse(t, buf.Bytes()) {
		if n := len(r.Config); n != 4 {
			t.Fatalf("%s has %d configuration keys, want goos, goarch, cpu and pkg: %v", r.Name, n, r.Config)
		}
	}
	facts := bytes.ReplaceAll(buf.Bytes(), []byte("\n"+result.FactPrefix), []byte("\n"))
	names := map[string]bool{}
	for _, r := range parse(t, facts) {
		for k, v := range config {
			if got := r.GetConfig(k); got != v {
				t.Fatalf("%s: %s is %q, want %q", r.Name, k, got, v)
			}
		}
		if len(r.Values) != 1 {
			t.Fatalf("%s: %d values on a line", r.Name, len(r.Values))
		}
		v := r.Values[0]
		value, unit := v.Value, v.Unit
		if v.OrigUnit != "" {
			value, unit = v.OrigValue, v.OrigUnit
		}
		k := key{r.Name.String(), unit, r.GetConfig(result.KeyRound)}
		if len(want[k]) == 0 {
			t.Fatalf("%v is there twice, or was not measured", k)
		}
		var values []float64
		n := 0
		for _, x := range want[k] {
			values = append(values, x.Value)
			n += max(1, x.N)
		}
		slices.Sort(values)
		half := len(values) / 2
		median := values[half]
		if len(values)%2 == 0 {
			median = (values[half-1] + values[half]) / 2
		}
		if math.Abs(value-median) > 1e-9*math.Abs(median) || n != r.Iters {
			t.Fatalf("%v: read %d of %v, want %d of %v", k, r.Iters, value, n, median)
		}
		delete(want, k)
		names[k.name] = true
	}
	for k := range want {
		t.Errorf("%v is not in the file", k)
	}
	for _, name := range []string{"Call/via=cgo-noescape", "Switch/kind=goroutine/ws=0", "Grid/work=10/kind=fold/via=leaf", "Spawn/kind=thread"} {
		if !names[name] {
			t.Errorf("%s did not survive", name)
		}
	}
	if names["Call/via=perf"] {
		t.Error("a case that was not measured has a figure")
	}
}

func TestBenchfmtOfHostileRun(t *testing.T) {
	var a, b bytes.Buffer
	if err := WriteBenchfmt(&a, hostileRun()); err != nil {
		t.Fatal(err)
	}
	parse(t, a.Bytes())
	WriteBenchfmt(&b, hostileRun())
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("two files of one run differ")
	}
}

func TestBenchfmtWithoutSamples(t *testing.T) {
	run := &result.Run{Experiments: []result.Experiment{{Series: []result.Series{{Name: "Call/via=go", Unit: "ns/op", Median: 1.5}}}}}
	var buf bytes.Buffer
	if err := WriteBenchfmt(&buf, run); err != nil {
		t.Fatal(err)
	}
	if rs := parse(t, buf.Bytes()); len(rs) != 1 || rs[0].Values[0].OrigValue != 1.5 {
		t.Errorf("got %s", buf.String())
	}
}
