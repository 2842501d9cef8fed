package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const file = `{"schema": "seam.lab/1", "experiments": [
 {"name": "call", "series": [
  {"name": "Call/via=leaf", "unit": "ns/op", "median": 2.5, "lo": 2.4, "hi": 2.6},
  {"name": "Call/via=cgo", "unit": "ns/op", "median": 25, "lo": 24, "hi": 26}],
  "comparisons": [{"name": "Call/via=leaf", "base": "Call/via=go", "unit": "ns/op", "ratio": 2.5, "lo": 2.4, "hi": 2.6}]},
 {"name": "payload", "series": [
  {"name": "Payload/bytes=128/lib=rapidjson/via=leaf", "unit": "allocs/op", "median": 0},
  {"name": "Payload/bytes=128/lib=rapidjson/via=leaf/part=crossing", "unit": "ns/op", "median": 5},
  {"name": "Payload/bytes=128/lib=rapidjson/via=leaf/part=work", "unit": "ns/op", "median": 495},
  {"name": "Payload/bytes=128/lib=rapidjson/via=leaf/load=saturation", "unit": "loss-%", "median": -13, "lo": -24.5, "hi": 2.25}],
  "comparisons": [{"name": "Payload/bytes=128/lib=rapidjson/via=leaf", "base": "Payload/bytes=128/lib=rapidjson/via=cgo-copy", "unit": "ns/op", "ratio": 0.58, "lo": 0.55, "hi": 0.62}]}]}`

func TestGoals(t *testing.T) {
	code, out, err := on(t, file)
	if code != exitMissed || err == nil || err.Error() != "1 of 6 goals are missed" {
		t.Errorf("code %d and %v, want one goal missed of the six that were measured", code, err)
	}
	for _, want := range []string{
		"a leaf call, to a cgo call ≤0.143× 0.100× reached",
		"a leaf call, to a Go call ≤1.800× 2.500× 2.400× to 2.600× missed",
		"RapidJSON by leaf, to cgo with copies ≤0.650× 0.580× 0.550× to 0.620× reached",
		"its allocations ≤0 0 reached",
		"its crossing's share of the call ≤1.500 % 1 % reached",
		"its loss of requests to pure Go ≤0 % -13 % -24.500 % to 2.250 % neither proven",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("got\n%s\nwant %q", out, want)
		}
	}
}

// The goals of rings that a run has figures for, and no others.
func TestRingGoals(t *testing.T) {
	code, out, err := on(t, `{"schema": "seam.lab/1", "experiments": [{"name": "ring", "series": [
  {"name": "Ring/mode=inproc/peer=go/size=64/op=throughput/via=seam", "unit": "ns/op", "median": 40, "lo": 39, "hi": 51},
  {"name": "Ring/mode=xproc/peer=go/size=64/op=rtt-park/via=seam", "unit": "p50-ns", "median": 6000},
  {"name": "Ring/mode=xproc/peer=go/size=64/op=rtt-park/via=unix", "unit": "p50-ns", "median": 8000},
  {"name": "Ring/mode=xproc/peer=go/size=64/op=rtt/rate=100/via=seam", "unit": "p99-ns", "median": 90000},
  {"name": "Ring/mode=xproc/peer=go/size=64/op=rtt/rate=100/via=unix", "unit": "p99-ns", "median": 60000},
  {"name": "Ring/mode=xproc/peer=go/size=64/op=rtt/rate=100/via=unix/again", "unit": "p99-ns", "median": 66000},
  {"name": "Ring/mode=xproc/peer=c/what=idle/via=seam", "unit": "%", "median": 0.05},
  {"name": "Ring/mode=xproc/peer=python/size=64/op=rtt-spin/via=seam", "unit": "p50-ns", "median": 12000}]}]}`)
	if code != exitMissed || err == nil || err.Error() != "1 of 5 goals are missed" {
		t.Errorf("code %d and %v, want one of five goals missed", code, err)
	}
	for _, want := range []string{
		"a record ≤50 ns 40 ns 39 ns to 51 ns neither proven",
		"to a Unix socket: p50 ≤0.800× 0.750× reached",
		"and p99 ≤1× 1.500× missed",
		"and p99 1.100× process", // of a second socket, of which nothing is wanted
		"process (c) ≤0.100 % 0.050 % reached",
		"to Python ≤25 µs 12 µs reached",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("got\n%s\nwant %q", out, want)
		}
	}
}

func TestNoGoalIsNotAllGoals(t *testing.T) {
	for what, text := range map[string]string{
		"another schema": strings.Replace(file, "lab/1", "lab/2", 1),
		"no goal's case": `{"schema": "seam.lab/1", "experiments": []}`,
		"cut short":      file[:len(file)/2],
	} {
		if code, out, err := on(t, text); code != exitFailed || err == nil || out != "" {
			t.Errorf("%s: code %d, %v and %q", what, code, err, out)
		}
	}
	if code, err := run(nil, new(bytes.Buffer)); code != exitUsage || err == nil {
		t.Errorf("without a file: code %d and %v", code, err)
	}
}

// on runs the command on a file, and returns its table with single spaces.
func on(t *testing.T, text string) (code int, out string, err error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	code, err = run([]string{path}, &b)
	return code, strings.Join(strings.Fields(b.String()), " "), err
}
