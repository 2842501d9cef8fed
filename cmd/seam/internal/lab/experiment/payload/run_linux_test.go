package payload

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/labtest"
	"github.com/seamgo/seam/internal/testenv"
)

func bench() *lab.Bench { return lab.NewBench(lab.Quick, 1) }

// tested are the libraries that tests build programs with. For jsonv2 the standard library
// would have to be compiled, where it is not the default.
var tested = []string{libStd, libGo, libRapid, libSimd, libNlohmann}

// buildAll builds all programs at once: the compilers take most of these tests' time.
var buildAll = sync.OnceValue(func() map[string]error {
	failed := map[string]error{}
	list := []string{libNlohmann, libSimd, libRapid, libStd, libGo} // the slow ones first
	for _, lib := range list {
		_, failed[lib] = programs.Get(context.Background(), lab.Full, lib, list, build)
	}
	return failed
})

// helper starts a library's program, or skips the test where it can't be built for lack of
// the library or the network.
func helper(t *testing.T, lib string) *worker {
	t.Helper()
	testenv.Builds(t)
	if err := buildAll()[lib]; err != nil {
		for _, missing := range []string{"there is none", "is not here", "no C++ compiler", modulePin} {
			if strings.Contains(err.Error(), missing) {
				t.Skip(err)
			}
		}
		t.Fatal(err)
	}
	w, err := hire(t.Context(), bench(), lib)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.leave)
	return w
}

// each runs a test for each library and way.
func each(t *testing.T, libs []string, f func(t *testing.T, w *worker, via string)) {
	for _, lib := range libs {
		for _, via := range viasOf(lib) {
			t.Run(lib+"/"+via, func(t *testing.T) { f(t, helper(t, lib), via) })
		}
	}
}

// messages that all libraries answer alike; the programs compare with encoding/json.
var messages = []struct{ what, text string }{
	{"escapes", `{"id":1,"name":"\"\\\/\b\f\n\r\t","note":"\u0000\u001f\u0041\u00e9"}`},
	{"surrogates", `{"name":"\ud83d\ude00\uD834\uDD1E","note":"😀𝄞é中"}`},
	{"numbers", `{"id":-9223372036854775808,"total":9223372036854775807,"price":1.7976931348623157e308}`},
	{"small numbers", `{"id":0,"price":5e-324,"items":[{"price":0.1},{"price":-0.0},{"price":1e-7},{"price":2.2250738585072014E-308},{"price":123456789012345678}]}`},
	{"digits", `{"price":0.30000000000000004,"items":[{"price":9007199254740993},{"price":3.141592653589793238462643},{"price":1e22},{"price":1e23}]}`},
	{"nothing", `{}`},
	{"nulls", `{"id":null,"name":null,"note":null,"price":null,"paid":null,"items":null}`},
	{"no items", `{"id":7,"items":[]}`},
	{"white space", " \t\r\n{ \"id\" : 1 , \"items\" : [ { \"qty\" : 2 } , { } ] , \"paid\" : true } \n"},
	{"escaped keys", `{"\u0069d":5,"na\u006de":"x","items":[{"\u0071ty":3}]}`},
	{"unknown fields", `{"a":[1,{"b":[true,null,"x",{}]},-1.5e3],"id":3,"items":[{"c":{"qty":9},"qty":1,"d":[]}],"z":{"id":4,"items":[{"qty":5}]}}`},
	{"other order", `{"items":[{"gift":true,"price":1.5,"qty":4,"sku":"x"}],"paid":true,"id":1}`},
	{"a value twice", `{"id":1,"id":2,"name":"a","name":"b"}`},
	{"deep", `{"a":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `,"id":6}`},
	{"deep objects", `{"a":` + strings.Repeat(`{"a":`, 200) + "1" + strings.Repeat("}", 200) + `,"id":6}`},
	{"a long string", `{"name":"` + strings.Repeat(`é\n`, 10000) + `"}`},
	{"many items", `{"items":[` + strings.Repeat(`{"sku":"x\"","qty":3,"price":0.25},`, 8000) + `{"qty":1}]}`},
}

func TestEveryWayAnswersAsEncodingJSON(t *testing.T) {
	each(t, tested, func(t *testing.T, w *worker, via string) {
		for _, m := range messages {
			for _, tight := range []bool{false, true} {
				// Twice: the second time there is memory to use again.
				if _, err := w.ask(order{Do: "answer", Via: via, Input: []byte(m.text), N: 2, Tight: tight}); err != nil {
					t.Errorf("%s (tight: %v): %.500v", m.what, tight, err)
				}
			}
		}
		for _, n := range []int{128, 300, 1024, 16384, 100_000, limit} {
			a, err := w.ask(order{Do: "answer", Via: via, Bytes: n})
			if err != nil {
				t.Errorf("%d bytes: %.500v", n, err)
			} else if len(a.Message) != n {
				t.Errorf("a message of %d bytes has %d", n, len(a.Message))
			}
		}
	})
}

// limit is the largest message of the programs.
const limit = 1 << 20

func TestMalformedMessagesAreErrors(t *testing.T) {
	malformed := []string{
		"", " ", "{", "nul", "[", `"`, `{"id"`, `{"id":}`, `{"id":1`, `{"id":1,}`, `{"id":1]`, `{,}`, `{"id" 1}`, `{id:1}`,
		`{"id":1}x`, `{"id":1}{}`, `{"id":1}]`, `{"id":1.5}`, `{"id":"1"}`, `{"id":true}`, `{"id":9223372036854775808}`, `{"id":1e400}`,
		`{"name":1}`, `{"name":{}}`, `{"name":["x"]}`, `{"paid":1}`, `{"paid":tru}`, `{"paid":"true"}`, `{"price":"1"}`, `{"price":.5}`, `{"price":1e}`, `{"price":-}`, `{"price":true}`,
		`{"items":1}`, `{"items":{}}`, `{"items":[1]}`, `{"items":[[]]}`, `{"items":["x"]}`, `{"items":[{"qty":"1"}]}`, `{"items":[{"qty":1}`, `{"items":[{"qty":1},]}`,
		`{"name":"x`, `{"name":"\`, `{"name":"\x"}`, `{"name":"\u12"}`, "{\"name\":\"a\nb\"}", "{\"name\":\"a\x00b\"}", "{\"id\":1\x00}", "{\"id\":1}\x00",
		`{"zz":[1,2,{"a":tru}]}`, `{"zz":[1 2]}`, `{"zz":nulx}`, `[]`, `[{"id":1}]`, `1`, `"x"`, `true`,
		`{"a":` + strings.Repeat("[", 50_000), strings.Repeat("[", 100_000), `{"a":` + strings.Repeat(`{"a":`, 50_000),
		`{"a":` + strings.Repeat("[", 50_000) + strings.Repeat("]", 50_000) + `}`,
	}
	each(t, []string{libStd, libRapid, libSimd, libNlohmann}, func(t *testing.T, w *worker, via string) {
		for _, text := range malformed {
			if deep := strings.HasSuffix(text, "]}"); deep && len(text) > 50_000 && w.lib == libNlohmann {
				continue // which has no limit, and needs no stack
			}
			_, err := w.ask(order{Do: "refuse", Via: via, Input: []byte(text), N: 2})
			if err != nil {
				t.Errorf("%.60q: %.300v", text, err)
			}
		}
		if _, err := w.ask(order{Do: "answer", Via: via, Bytes: 1024}); err != nil {
			t.Errorf("after all that: %v", err)
		}
	})
}

// resident is what a program has in memory.
func resident(t *testing.T, w *worker) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(w.child.PID()), "statm"))
	if err != nil {
		t.Fatal(err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(text))[1])
	if err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}

func TestNothingLeaks(t *testing.T) {
	const calls, most = 8_000, 8 << 20 // a leak of each message would be 16 MB
	malformed := []byte(`{"items":[` + strings.Repeat(`{"qty":1},`, 200))
	each(t, []string{libRapid}, func(t *testing.T, w *worker, via string) { // the ways are those of all
		run := func(n int) {
			for _, o := range []order{{Do: "refuse", Via: via, Input: malformed, N: n}, {Do: "time", Via: via, Bytes: 2048, N: n}} {
				if _, err := w.ask(o); err != nil {
					t.Fatal(err)
				}
			}
		}
		run(calls / 4)
		before := resident(t, w)
		run(calls)
		if grown := resident(t, w) - before; grown > most {
			t.Errorf("%d calls leave %d bytes", 2*calls, grown)
		}
	})
}

func TestCallsAtTheSameTime(t *testing.T) {
	each(t, tested, func(t *testing.T, w *worker, via string) {
		if _, err := w.ask(order{Do: "answer", Via: via, Bytes: 1024, Users: 8, N: 100}); err != nil {
			t.Error(err)
		}
	})
}

func TestInPlaceAllocatesNothing(t *testing.T) {
	each(t, []string{libRapid, libSimd}, func(t *testing.T, w *worker, via string) {
		for _, n := range sizes(lab.Full) {
			a, err := w.ask(order{Do: "allocate", Via: via, Bytes: n, N: 200})
			if err != nil {
				t.Fatal(err)
			}
			switch copies := via == viaCopy || via == viaView; {
			case copies && (a.Allocs < 1 || a.Bytes < float64(n)):
				t.Errorf("%d bytes: %v allocations, %v bytes, though the answer is copied", n, a.Allocs, a.Bytes)
			case !copies && a.Allocs >= 0.5: // the run-time's own are some in 200
				t.Errorf("%d bytes: %v allocations, %v bytes", n, a.Allocs, a.Bytes)
			}
		}
	})
}

func TestTimedCasesAndParts(t *testing.T) {
	helper(t, libStd)
	helper(t, libSimd)
	before := labtest.Leftovers(t)
	for _, k := range []kind{{libStd, viaGo}, {libSimd, viaLeaf}, {libSimd, viaCopy}} {
		op, err := start(t.Context(), bench(), 128, k.lib, k.via)
		if err != nil {
			t.Fatalf("%v: %v", k, err)
		}
		if took := op.Time(op.N); took <= 0 || op.N < 1 {
			t.Errorf("%v: %d answers take %v", k, op.N, took)
		}
		op.Close()
	}
	list, err := probeParts(t.Context(), bench(), 128, libSimd)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for _, m := range list {
		seen[m.Name]++
		if m.Unit != unitTime || m.Label == "" || strings.HasSuffix(m.Name, "/part=work") && m.Value <= 0 {
			t.Errorf("metric %+v", m)
		}
	}
	for _, via := range vias {
		for _, part := range parts {
			if n := partName(128, libSimd, via, part); seen[n] < 2 {
				t.Errorf("%s: %d times", n, seen[n])
			}
		}
	}
	if seen[tightName(128, libSimd)] < 2 {
		t.Error("what slack is worth is not among the parts")
	}
	labtest.NoMoreThan(t, before)
}

func TestAllocationsOfEveryCase(t *testing.T) {
	helper(t, libStd)
	list, err := probeAllocations(t.Context(), bench())
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]float64{}
	for _, m := range list {
		seen[m.Name+" "+m.Unit] = m.Value
	}
	for _, lib := range libs(lab.Quick) {
		for _, via := range viasOf(lib) {
			if _, ok := seen[name(128, lib, via)+" "+unitAllocs]; ok != (buildAll()[lib] == nil) {
				t.Errorf("%s via %s: counted is %v", lib, via, ok)
			}
		}
	}
}

func TestHTTP(t *testing.T) {
	helper(t, libStd)
	before := labtest.Leftovers(t)
	list, err := probeHTTP(t.Context(), bench(), 128)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for _, m := range list {
		seen[m.Name+" "+m.Unit]++
		if m.Unit == unitRate && (m.Value <= 0 || strings.HasSuffix(m.Name, fixedRate) && m.Value > 10_000.5) {
			t.Errorf("metric %+v", m)
		}
	}
	n := turns(lab.Quick)
	if got := seen[controlName(128)+" "+unitLoss]; got != n {
		t.Errorf("%d controls, want %d", got, n)
	}
	for _, k := range served(lab.Quick, 128) {
		if buildAll()[k.lib] != nil {
			continue
		}
		for _, unit := range []string{unitRate, unitMedian, unitTail, unitCPU} {
			if got := seen[loadName(128, k.lib, k.via, saturation)+" "+unit]; got != n {
				t.Errorf("%v: %d times %s at saturation, want %d", k, got, unit, n)
			}
		}
		for _, unit := range []string{unitRate, unitMedian, unitTail} {
			if got := seen[loadName(128, k.lib, k.via, fixedRate)+" "+unit]; got != n {
				t.Errorf("%v: %d times %s at the fixed rate, want %d", k, got, unit, n)
			}
		}
		if got := seen[loadName(128, k.lib, k.via, saturation)+" "+unitLoss]; got != n && k.lib != libStd {
			t.Errorf("%v: %d losses", k, got)
		}
	}
	labtest.NoMoreThan(t, before)
}

func TestServerAnswersAreChecked(t *testing.T) {
	w := helper(t, libStd)
	s, err := sit(t.Context(), bench(), 128, kind{libStd, viaGo})
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	message := s.ask.text[bytes.Index(s.ask.text, []byte("\r\n\r\n"))+4:]
	if err := s.links[0].send(s.ask, true); err != nil {
		t.Error(err)
	}
	other := bytes.Replace(s.ask.answer, []byte("Zo"), []byte("Za"), 1)
	for _, tt := range []struct {
		what string
		r    request
		want string
	}{
		{"another answer", post(viaGo, message, other), "the server answers"},
		{"a longer one", post(viaGo, message, append(other, ' ')), "the server answers"},
		{"malformed", post(viaGo, []byte(`{"id":`), nil), "400 Bad Request"},
		{"an unknown way", post("none", message, nil), "404 Not Found"},
	} {
		if err := s.links[1].send(tt.r, true); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", tt.what, err)
		}
	}
	if err := s.links[1].send(s.ask, true); err != nil {
		t.Errorf("after that: %v", err)
	}
	if _, err := w.ask(order{Do: "answer", Via: "none", Bytes: 128}); err == nil || !strings.Contains(err.Error(), "not called via none") {
		t.Errorf("an unknown way: %v", err)
	}
}

func TestBodySize(t *testing.T) {
	for head, want := range map[string]int{
		"HTTP/1.1 200 OK\r\nContent-Length: 12\r\n":                12,
		"HTTP/1.1 200 OK\r\nA: b\r\nContent-Length: 0\r\nC: d\r\n": 0,
		"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n":                -1,
		"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n":       -1,
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n":        -1,
	} {
		if got, err := bodySize([]byte(head)); err == nil && got != want || (err != nil) != (want < 0) {
			t.Errorf("%q: %d, %v", head, got, err)
		}
	}
}

func TestWhyNotMeasured(t *testing.T) {
	empty := t.TempDir()
	tool := func(name, script string) string {
		dir := t.TempDir()
		testenv.WriteProgram(t, filepath.Join(dir, name), "#!/bin/sh\n"+script+"\n")
		return filepath.Join(dir, name)
	}
	t.Run("no go command", func(t *testing.T) {
		t.Setenv("PATH", empty)
		skipped(t, func() error { _, err := build(t.Context(), libStd); return err }, "go command, and there is none")
	})
	for _, tt := range []struct{ what, compiler, want string }{
		{"no compiler", filepath.Join(empty, "g++"), "no C++ compiler (Debian: g++)"},
		{"none told", "", "go env CXX is empty"},
		{"a broken one", tool("g++", "echo 'fatal error: broken' >&2; exit 1"), "does not work: g++: fatal error: broken"},
		{"no library", tool("g++", "cat >/dev/null"), "RapidJSON is not installed: no <rapidjson/reader.h> (Debian: rapidjson-dev)"},
	} {
		t.Run(tt.what, func(t *testing.T) {
			skipped(t, func() error { return haveHeader(t.Context(), tt.compiler, libRapid) }, tt.want)
		})
	}
	for lib, pkg := range map[string]string{libRapid: "rapidjson-dev", libSimd: "libsimdjson-dev", libNlohmann: "nlohmann-json3-dev"} {
		if headers[lib].debian != pkg {
			t.Errorf("%s: package %s", lib, headers[lib].debian)
		}
	}
	t.Run("no network", func(t *testing.T) {
		testenv.Builds(t)
		t.Setenv("GOMODCACHE", t.TempDir())
		t.Setenv("GOPROXY", "off")
		shared := cachedElsewhere(t)
		defer shared()
		skipped(t, func() error { _, err := build(t.Context(), libGo); return err }, "can't build the program with "+modulePin)
	})
}

// cachedElsewhere gives the test a cache of programs of its own.
func cachedElsewhere(t *testing.T) func() {
	old := os.Getenv("XDG_CACHE_HOME")
	os.Setenv("XDG_CACHE_HOME", t.TempDir())
	return func() { os.Setenv("XDG_CACHE_HOME", old) }
}

func skipped(t *testing.T, f func() error, want string) {
	t.Helper()
	err := f()
	var nm *lab.NotMeasured
	if !errors.As(err, &nm) || !strings.Contains(nm.Reason, want) || strings.Contains(nm.Reason, "\n") {
		t.Errorf("error is %v, want one line with %q", err, want)
	}
}

func TestBuildEndsWhenAsked(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(fmt.Errorf("enough"))
	if _, err := build(ctx, libStd); err == nil || !strings.Contains(err.Error(), "enough") && !strings.Contains(err.Error(), "there is none") {
		t.Errorf("error is %v", err)
	}
}
