//seam:test native

package payload

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/progcache"
)

func init() { progcache.Patient = true }

func TestNamesAreFixed(t *testing.T) {
	cxxVias := "cgo-copy view fill registered leaf"
	all := map[string]string{"encoding-json": "go", "jsonv2": "go", "go-json": "go", "rapidjson": cxxVias, "simdjson": cxxVias, "nlohmann": cxxVias}
	for mode, m := range map[lab.Mode]struct{ bytes, libs, parts string }{
		lab.Quick:  {"128", "encoding-json go-json rapidjson simdjson", "rapidjson"},
		lab.Normal: {"128 1024 16384", "encoding-json jsonv2 go-json rapidjson simdjson nlohmann", "rapidjson simdjson"},
		lab.Full:   {"128 1024 16384", "encoding-json jsonv2 go-json rapidjson simdjson nlohmann", "rapidjson simdjson"},
	} {
		var want, got []string
		for _, n := range strings.Fields(m.bytes) {
			for _, lib := range strings.Fields(m.libs) {
				for _, via := range strings.Fields(all[lib]) {
					want = append(want, "Payload/bytes="+n+"/lib="+lib+"/via="+via)
				}
			}
		}
		want = append(want, "Payload/what=allocations")
		for _, n := range strings.Fields(m.bytes) {
			for _, lib := range strings.Fields(m.parts) {
				want = append(want, "Payload/what=parts/bytes="+n+"/lib="+lib)
			}
			want = append(want, "Payload/what=http/bytes="+n)
		}
		for _, c := range Experiment.Cases(mode) {
			if (c.Start == nil) == (c.Probe == nil) || c.Setup != nil || c.Label == "" {
				t.Errorf("bad case %+v", c)
			}
			if c.Base != strings.HasSuffix(c.Name, "lib=rapidjson/via=cgo-copy") {
				t.Errorf("%s: base is %v", c.Name, c.Base)
			}
			got = append(got, c.Name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%v: cases are %v, want %v", mode, got, want)
		}
	}
}

func TestLeafIsForShortCalls(t *testing.T) {
	for _, tt := range []struct {
		bytes int
		kind
		long bool
	}{
		{128, kind{libNlohmann, viaLeaf}, false}, {16384, kind{libNlohmann, viaLeaf}, true},
		{16384, kind{libNlohmann, viaFill}, false}, {16384, kind{libRapid, viaLeaf}, false},
	} {
		if err := tooLong(tt.bytes, tt.lib, tt.via); (err != nil) != tt.long {
			t.Errorf("%d %v: %v", tt.bytes, tt.kind, err)
		}
	}
}

// What is built depends on nothing that changes from run to run.
func TestModuleIsStable(t *testing.T) {
	for _, lib := range libs(lab.Full) {
		files, err := module(lib)
		if err != nil {
			t.Fatal(err)
		}
		again, err := module(lib)
		if err != nil || !maps.Equal(files, again) || progcache.KeyOfFiles(files) != progcache.KeyOfFiles(again) {
			t.Errorf("%s: the module differs from one time to the next (%v)", lib, err)
		}
		for _, name := range []string{"go.mod", "program/main.go", "program/message.go"} {
			if files[name] == "" {
				t.Errorf("%s: no %s", lib, name)
			}
		}
		for _, name := range []string{"leaf/leaf.go", "leaf/internal/viacgo/enter.c", "internal/abi/abi.go", "internal/crossing/crossing.go", "mem/pool.go", "include/seam/mem.h", "include/include.go"} {
			if (files[name] != "") != cxx(lib) {
				t.Errorf("%s: %s has %d bytes", lib, name, len(files[name]))
			}
		}
		for name, text := range files {
			if strings.HasSuffix(name, "_test.go") {
				t.Errorf("%s is among the files of the program", name)
			}
			if strings.HasPrefix(name, "program/") && !strings.HasPrefix(text, "//go:build payload_") {
				t.Errorf("%s could be taken for a part of the tool", name)
			}
		}
		if hasSum := files["go.sum"] != ""; hasSum != (lib == libGo) || strings.Contains(files["go.mod"], "require") != hasSum {
			t.Errorf("%s: go.mod is %q, go.sum %q", lib, files["go.mod"], files["go.sum"])
		}
	}
	if !strings.Contains(goModGo, modulePin) || !strings.Contains(goSumGo, modulePin) {
		t.Error("the pinned module is another")
	}
}

func TestGoMinor(t *testing.T) {
	for version, want := range map[string]int{"go1.26.8": 26, "go1.25": 25, "go1.27rc1": 27, "go1.9": 9, "devel go1.28-abc": 28, "devel": 1 << 20, "": 1 << 20} {
		if got := goMinor(version); got != want {
			t.Errorf("%q: %d, want %d", version, got, want)
		}
	}
}

func TestPartsAddUp(t *testing.T) {
	piece := map[string]float64{"work": 500, "copy-in": 3, "copy-out": 5, "malloc-in": 14, "malloc-out": 12, "make-out": 50, "pool": 30}
	for via, want := range map[string][]float64{ // in the order of parts
		viaCopy:       {500, 13, 76, 160, 51},
		viaView:       {500, 10, 62, 160, 68},
		viaFill:       {500, 0, 0, 160, 140},
		viaRegistered: {500, 0, 30, 160, 110},
		viaLeaf:       {500, 0, 0, 160, 140},
	} {
		p := takeApart(via, 800, 160, piece)
		sum := 0.0
		for i, part := range parts {
			sum += p[part]
			if p[part] != want[i] {
				t.Errorf("%s: %s is %v, want %v", via, part, p[part], want[i])
			}
		}
		if sum != 800 {
			t.Errorf("%s: the parts of 800 ns are %v ns", via, sum)
		}
	}
	if p := takeApart(viaLeaf, 400, 5, piece); p[partRest] != -105 {
		t.Errorf("a rest below zero is %v", p[partRest])
	}
}

// A fakeClock goes on when somebody sleeps or a request is made.
type fakeClock struct{ t time.Duration }

func (c *fakeClock) now() time.Duration    { return c.t }
func (c *fakeClock) until(t time.Duration) { c.t = max(c.t, t) }

const us = time.Microsecond

func TestPaceCountsFromWhenARequestIsDue(t *testing.T) {
	for _, tt := range []struct {
		what   string
		first  int
		take   []time.Duration // of the requests; the last is that of all others too
		give   time.Duration
		want   []float64 // latencies in µs
		unsent int
		end    time.Duration
	}{
		{"in time", 0, []time.Duration{30 * us}, time.Second, []float64{30, 30, 30, 30}, 0, 1630 * us},
		{"the second sender", 1, []time.Duration{30 * us}, time.Second, []float64{30, 30, 30, 30}, 0, 1730 * us},
		// They are due every 200 µs. One takes 500 µs: those behind it wait, and say so.
		{"one is late", 0, []time.Duration{500 * us, 30 * us}, time.Second, []float64{500, 330, 160, 30}, 0, 1630 * us},
		{"all are late", 0, []time.Duration{300 * us}, time.Second, []float64{300, 400, 500, 600}, 0, 2200 * us},
		{"it gives up", 0, []time.Duration{600 * us}, 1900 * us, []float64{600, 1000}, 2, 2200 * us},
		{"no processor until then", 0, []time.Duration{30 * us}, 0, []float64{30}, 3, 1030 * us},
	} {
		c := &fakeClock{}
		n := 0
		s := schedule{start: 1000 * us, interval: 100 * us, requests: 8, step: 2, give: tt.give}
		r, err := s.pace(c, tt.first, func() error {
			c.t += tt.take[min(n, len(tt.take)-1)]
			n++
			return nil
		})
		var got []float64
		for _, ns := range r.latency {
			got = append(got, ns/1000)
		}
		if err != nil || !slices.Equal(got, tt.want) || r.unsent != tt.unsent || r.end != tt.end {
			t.Errorf("%s: latencies %v, %d unsent, end %v (%v)", tt.what, got, r.unsent, r.end, err)
		}
	}
}

func TestPaceSplitsTheScheduleAmongSenders(t *testing.T) {
	for _, step := range []int{1, 3, 8} {
		sent := 0
		for first := range step {
			s := schedule{interval: 100 * us, requests: 10, step: step, give: time.Second}
			if _, err := s.pace(&fakeClock{}, first, func() error { sent++; return nil }); err != nil {
				t.Fatal(err)
			}
		}
		if sent != 10 {
			t.Errorf("%d senders make %d requests of 10", step, sent)
		}
	}
}

func TestFloodGoesOnUntilTheEnd(t *testing.T) {
	c := &fakeClock{t: 5 * us}
	r, err := flood(c, 100*us, func() error { c.t += 30 * us; return nil })
	if err != nil || !slices.Equal(r.latency, []float64{30000, 30000, 30000, 30000}) || r.end != 125*us {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err := flood(c, 100*us, func() error { return nil }); err != nil || len(r.latency) != 1 {
		t.Errorf("without a processor until the end: %+v, %v", r, err)
	}
}

func TestSendersReportErrors(t *testing.T) {
	broken := errors.New("broken")
	fail := func() error { return broken }
	if _, err := flood(&fakeClock{}, time.Second, fail); !errors.Is(err, broken) {
		t.Errorf("flood: %v", err)
	}
	if _, err := (schedule{requests: 1, step: 1, give: time.Second}).pace(&fakeClock{}, 0, fail); !errors.Is(err, broken) {
		t.Errorf("pace: %v", err)
	}
}
