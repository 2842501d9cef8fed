//seam:test race

package prof

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
	"github.com/xeipuuv/gojsonschema"

	"github.com/seamgo/seam/cmd/seam/internal/text"
)

// recorded is a profile as a program writes it: Go calls C, of which nothing is known.
func recorded(t *testing.T) []byte {
	t.Helper()
	m := &profile.Mapping{ID: 1, Start: 0x1000, Limit: 0x2000, File: "/no/such/program"}
	f := &profile.Function{ID: 1, Name: "main.main", SystemName: "main.main", Filename: "main.go"}
	c := &profile.Location{ID: 1, Mapping: m, Address: 0x1100}
	g := &profile.Location{ID: 2, Mapping: m, Address: 0x1200, Line: []profile.Line{{Function: f, Line: 7}}}
	p := &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}},
		PeriodType: &profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, Period: 10, TimeNanos: 1e18, DurationNanos: 1e9,
		Mapping: []*profile.Mapping{m}, Function: []*profile.Function{f}, Location: []*profile.Location{c, g},
		Sample: []*profile.Sample{
			{Location: []*profile.Location{c, g}, Value: []int64{3, 30}, Label: map[string][]string{"request": {"a"}}},
			{Location: []*profile.Location{g}, Value: []int64{1, 10}},
		},
	}
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	return head(40, b.Bytes())
}

// head is a piece as a program writes it.
func head(cpu uint64, profile []byte) []byte {
	text := binary.LittleEndian.AppendUint64(nil, cpu)
	return append(binary.LittleEndian.AppendUint64(text, uint64(len(profile))), profile...)
}

func read(t *testing.T, text []byte) *Profile {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "77-1.prof"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Equal stacks of several pieces are one; what a process could not end is noted.
func TestRead(t *testing.T) {
	one := recorded(t)
	p := read(t, slices.Concat(one, one))
	if p.Total(0) != 80 || len(p.Stacks) != 2 || len(p.Gaps) != 0 || p.Count != 1 {
		t.Errorf("%d ns in %d stacks of %d processes, gaps %q", p.Total(0), len(p.Stacks), p.Count, p.Gaps)
	}
	if got := p.Frames[p.Stacks[0].Frames[0]]; got != (Frame{Func: "[program]", Kind: C}) {
		t.Errorf("unknown C is %+v", got)
	}
	if got := p.Frames[p.Stacks[0].Frames[1]]; got != (Frame{"main.main", "main.go", 7, Go}) {
		t.Errorf("Go is %+v", got)
	}
	for n := 1; n < len(one); n += 13 {
		if p := read(t, slices.Concat(one, one[:n])); p.Total(0) != 40 || len(p.Gaps) != 1 {
			t.Errorf("with %d bytes of a second piece: %d ns, gaps %q", n, p.Total(0), p.Gaps)
		}
	}
	garbage := head(5, []byte("hello"))
	if p := read(t, slices.Concat(garbage, one)); p.Total(0) != 40 || len(p.Gaps) != 1 {
		t.Errorf("behind garbage: %d ns, gaps %q", p.Total(0), p.Gaps)
	}
	huge := binary.LittleEndian.AppendUint64(head(0, nil)[:8], 1<<63)
	if p := read(t, slices.Concat(one, huge)); p.Total(0) != 40 || len(p.Gaps) != 1 {
		t.Errorf("before a length of 2^63: %d ns, gaps %q", p.Total(0), p.Gaps)
	}
}

// Every format has all of the time.
func TestFormats(t *testing.T) {
	p := read(t, recorded(t))
	var b bytes.Buffer
	if err := p.WritePprof(&b); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "cpu.pprof")
	if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	again, err := Load(name)
	if err != nil {
		t.Fatal(err)
	}
	if again.Total(0) != 40 || len(again.Stacks) != 2 || again.Frames[0] != p.Frames[0] || again.Stacks[0].Labels["request"][0] != "a" {
		t.Errorf("read again: %+v of %+v", again.Stacks, again.Frames)
	}

	b.Reset()
	if err := p.WriteFolded(&b); err != nil || b.String() != "main.main 10\nmain.main;[program] 30\n" {
		t.Errorf("folded: %q, %v", b.String(), err)
	}

	scope := readSpeedscope(t, p)
	if x := scope.Profiles[0]; x.EndValue != 40 || len(x.Samples) != 2 || scope.Shared.Frames[x.Samples[0][0]].Name != "main.main" {
		t.Errorf("speedscope: %+v", scope)
	}

	b.Reset()
	if err := p.WriteText(&b, TextOptions{Options: text.Options{Width: 100}}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"40.0 ns of CPU time in 1.00 s", "Go 25.0 %, C 75.0 %.", "main.main", "[program]"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in:\n%s", want, b.String())
		}
	}

	b.Reset()
	if err := p.WriteHTML(&b, "</script><b>", nil); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"script-src &#39;sha256-", `"names":["main.main","[program]"]`, `"values":[[40,30],[0,0],[0,0]]`, "&lt;b&gt;"} {
		if !strings.Contains(b.String(), want) && !strings.Contains(b.String(), strings.ReplaceAll(want, "&#39;", "'")) {
			t.Errorf("no %q in the page", want)
		}
	}
}

// Names are whatever the sources of C, C++ and Rust make of them.
func TestForeignNames(t *testing.T) {
	p := New(CPU, Wall)
	p.Program = "/a b/c"
	hard := []string{"operator new(unsigned long)", "std::map<int, std::string>::operator[](int const&) 7", "f;g", "two\nlines", "<T as core::fmt::Debug>::fmt", "\xff\xfe", `"\`, " ", ""}
	want := int64(0)
	for i, name := range hard {
		p.Add([]Frame{{Func: name, Kind: C}, {Func: "main.main", File: "main.go", Line: 3}}, nil, int64(i+1), 5)
		want += int64(i + 1)
	}
	p.Add(nil, nil, 100, 0) // a stack of which nothing is known
	want += 100
	p.AddCrossings()
	readSpeedscope(t, p)

	// What flamegraph.pl and inferno read: frames that a semicolon separates, a space, a number.
	var b bytes.Buffer
	if err := p.WriteFolded(&b); err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`^(?:main\.main;[^;]+|\[unknown\]) ([0-9]+)$`)
	sum := int64(0)
	for text := range strings.Lines(b.String()) {
		m := line.FindStringSubmatch(strings.TrimSuffix(text, "\n"))
		if m == nil {
			t.Errorf("not a folded stack: %q", text)
			continue
		}
		n, _ := strconv.ParseInt(m[1], 10, 64)
		sum += n
	}
	if sum != want {
		t.Errorf("folded stacks have %d ns, want %d:\n%s", sum, want, b.String())
	}
}

// readSpeedscope reads what is written for speedscope, by the types of its format
// (src/lib/file-format-spec.ts there), and what it checks itself when it imports a file.
func readSpeedscope(t *testing.T, p *Profile) (scope speedscope) {
	t.Helper()
	var b bytes.Buffer
	if err := p.WriteSpeedscope(&b); err != nil {
		t.Fatal(err)
	}
	const schema = `{
		"type": "object", "required": ["$schema", "shared", "profiles"], "additionalProperties": false,
		"properties": {
			"$schema": {"enum": ["https://www.speedscope.app/file-format-schema.json"]},
			"name": {"type": "string"}, "exporter": {"type": "string"}, "activeProfileIndex": {"type": "number"},
			"shared": {
				"type": "object", "required": ["frames"], "additionalProperties": false,
				"properties": {"frames": {"type": "array", "items": {
					"type": "object", "required": ["name"], "additionalProperties": false,
					"properties": {"name": {"type": "string"}, "file": {"type": "string"}, "line": {"type": "number"}, "col": {"type": "number"}}
				}}}
			},
			"profiles": {"type": "array", "minItems": 1, "items": {
				"type": "object", "required": ["type", "name", "unit", "startValue", "endValue", "samples", "weights"], "additionalProperties": false,
				"properties": {
					"type": {"enum": ["sampled"]}, "name": {"type": "string"},
					"unit": {"enum": ["none", "nanoseconds", "microseconds", "milliseconds", "seconds", "bytes"]},
					"startValue": {"type": "number"}, "endValue": {"type": "number"},
					"samples": {"type": "array", "items": {"type": "array", "items": {"type": "integer", "minimum": 0}}},
					"weights": {"type": "array", "items": {"type": "number", "minimum": 0}}
				}
			}}
		}
	}`
	result, err := gojsonschema.Validate(gojsonschema.NewStringLoader(schema), gojsonschema.NewBytesLoader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range result.Errors() {
		t.Errorf("speedscope: %s", e)
	}
	if err := json.Unmarshal(b.Bytes(), &scope); err != nil {
		t.Fatal(err)
	}
	for of, x := range scope.Profiles {
		sum := x.StartValue
		for _, w := range x.Weights {
			sum += w
		}
		if len(x.Samples) != len(x.Weights) || sum != x.EndValue || sum != p.Total(of) {
			t.Errorf("speedscope: %s has %d stacks, %d weights with the sum %d, and ends at %d of %d", x.Name, len(x.Samples), len(x.Weights), sum, x.EndValue, p.Total(of))
		}
		for _, stack := range x.Samples {
			for _, frame := range stack {
				if frame >= len(scope.Shared.Frames) {
					t.Errorf("speedscope: frame %d of %d", frame, len(scope.Shared.Frames))
				}
			}
		}
	}
	return scope
}

// An empty profile is one too.
func TestNothing(t *testing.T) {
	p := read(t, nil)
	var b bytes.Buffer
	for _, err := range []error{p.WritePprof(&b), p.WriteFolded(&b), p.WriteSpeedscope(&b), p.WriteHTML(&b, "x", nil), p.WriteText(&b, TextOptions{})} {
		if err != nil {
			t.Error(err)
		}
	}
	if !strings.Contains(b.String(), "No samples") || p.Next("x", "x", false) != "" {
		t.Errorf("%s", b.String())
	}
}

func TestKinds(t *testing.T) {
	for _, c := range []struct {
		name, file string
		want       Kind
	}{
		{"main.main", "/src/main.go", Go}, {"runtime.memmove", "/go/src/runtime/memmove_amd64.s", Go}, {"main.T.f", "<autogenerated>", Go}, {"gogo", "/go/src/runtime/asm_amd64.s", Go}, {"gogo", "/src/gogo.s", C},
		{"inner", "/src/main.go", C}, {"inner.constprop.0", "/src/main.go", C}, {"memcpy", "", C}, {"f.cold", "", C}, {"[libz.so.1]", "", C},
		{"a::b", "/src/a.c", CXX}, {"f", "/src/a.cc", CXX}, {"std::sort", "", CXX},
		{"a::b", "/src/lib.rs", Rust}, {"f", "/src/lib.rs", Rust}, {"<T as core::fmt::Debug>::fmt", "", Rust}, {"a::b::{{closure}}", "", Rust}, {"core::ptr::drop_in_place", "", Rust}, {"std::rt::lang_start", "", Rust}, {"a::<lambda()>::operator()", "", CXX}, {"f{{", "", C},
		{"main._Cfunc_GoString", "_cgo_gotypes.go", Go}, {"runtime.cgocall", "/go/src/runtime/cgocall.go", Crossing}, {"main._Cfunc_f", "_cgo_gotypes.go:50", Crossing}, {"_cgo_abc_Cfunc_f", "cgo-gcc-prolog", Crossing},
		{"runtime.futex", "/go/src/runtime/sys_linux_amd64.s", Kernel}, {"internal/runtime/syscall.Syscall6", "/go/src/internal/runtime/syscall/asm_linux_amd64.s", Kernel},
	} {
		if got := kindOf(c.name, c.file); got != c.want {
			t.Errorf("%s in %s is %v, want %v", c.name, c.file, got, c.want)
		}
	}
}

// A function that is new, one that is gone, and what is called otherwise in another build.
func TestDiff(t *testing.T) {
	frame := func(name string) []Frame { return []Frame{{Func: name, Kind: kindOf(name, "")}} }
	before, now := New(CPU), New(CPU)
	before.Add(frame("main.old"), nil, 50)
	before.Add(frame("_cgo_0123456789ab_Cfunc_f"), nil, 50)
	now.Add(frame("main.fresh"), nil, 2)
	now.Add(frame("_cgo_ba9876543210_Cfunc_f"), nil, 8)
	want := []Change{
		{"main.old", "", Go, 0.5, 0, 0.3},
		{"_cgo_ba9876543210_Cfunc_f", "", Crossing, 0.5, 0.8, 0.3},
		{"main.fresh", "", Go, 0, 0.2, 0.1},
	}
	got := Diff(before, now)
	if len(got) != len(want) {
		t.Fatalf("%+v", got)
	}
	for i, c := range got {
		c.Before, c.Now, c.Noise = math.Round(c.Before*10)/10, math.Round(c.Now*10)/10, math.Round(c.Noise*10)/10
		if c != want[i] {
			t.Errorf("%+v, want %+v", c, want[i])
		}
	}
	var b bytes.Buffer
	if err := now.WriteDiff(&b, before, TextOptions{Options: text.Options{Width: 100}}); err != nil || !strings.Contains(b.String(), "-50.0") {
		t.Errorf("%v:\n%s", err, b.String())
	}
	b.Reset()
	if err := now.WriteHTML(&b, "x", before); err != nil || !strings.Contains(b.String(), `"before":[0.5,0]`) {
		t.Errorf("%v: the page has no old shares", err)
	}
}

// The time of a crossing is what is between the call and its function, at whatever depth of
// the runtime.
func TestCrossings(t *testing.T) {
	p := New(CPU)
	stack := func(names ...string) (list []Frame) {
		for _, name := range names {
			list = append(list, Frame{Func: name, Kind: kindOf(name, "")})
		}
		return list
	}
	p.Add(stack("runtime.exitsyscall", "runtime.cgocall", "main._Cfunc_f", "main.main"), nil, 1)
	p.Add(stack("runtime.cgocall", "main._Cfunc_f", "main.main"), nil, 2)
	p.Add(stack("f", "_cgo_0123456789ab_Cfunc_f", "runtime.cgocall", "main._Cfunc_f", "main.main"), nil, 4)
	p.Add(stack("runtime.cgocallback", "_cgoexp_0123456789ab_goBack", "f", "main.main"), nil, 16)
	p.Add(stack("runtime.mallocgc", "main.goBack", "runtime.cgocallback", "f", "runtime.cgocall", "main._Cfunc_f"), nil, 8)
	p.AddCrossings()
	if p.Total(0) != 31 || p.Total(1) != 19 {
		t.Errorf("%d ns of %d are crossings", p.Total(1), p.Total(0))
	}
	want := []Call{{"f", "goBack", 16}, {"main.main", "C.f", 3}}
	if got := p.Calls(); !slices.Equal(got, want) {
		t.Errorf("they are %+v, want %+v", got, want)
	}
}

// What may be a leaf is what was seen neither to call Go nor to wait.
func TestLeaves(t *testing.T) {
	stack := func(names ...string) (list []Frame) {
		for _, name := range names {
			list = append(list, Frame{Func: name, Kind: kindOf(name, "")})
		}
		return list
	}
	p := New(CPU, Wall)
	for _, f := range []string{"quick", "slower", "back", "waits", "nested"} {
		p.Add(stack("runtime.cgocall", "main._Cfunc_"+f, "main.main"), nil, int64(20+len(f)), 0)
	}
	p.Add(stack("main.goBack", "runtime.cgocallback", "_cgoexp_0123456789ab_goBack", "back", "runtime.cgocall", "main._Cfunc_back", "main.main"), nil, 1, 0)
	p.Add(stack("runtime.cgocall", "main._Cfunc_quick", "main.inner", "_cgoexp_0123456789ab_inner", "nested", "main._Cfunc_nested", "main.main"), nil, 1, 0)
	p.Add(stack("read", "waits", "_cgo_0123456789ab_Cfunc_waits", "runtime.cgocall", "main._Cfunc_waits", "main.main"), nil, 0, 1)
	want := []Call{{Callee: "C.quick", Own: 26}, {Callee: "C.slower", Own: 26}}
	if got := p.Leaves(); !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	part := "C.quick (20.3 %), C.slower (20.3 %) neither called Go nor waited here and may be leaves: seam trace -- go test . && seam plan"
	if next := p.Next("go test .", "go test .", true); !strings.Contains(next, part) {
		t.Errorf("%q has no %q", next, part)
	}
}

// Samples stand for the CPU time that the kernel counted, unless chance explains the
// difference.
func TestScale(t *testing.T) {
	of := []*profile.Profile{{Period: 10}}
	for _, c := range []struct {
		cpu, sampled int64
		want         float64
	}{
		{4000, 1000, 4}, {1400, 1000, 1}, {900, 1000, 1}, {4000, 290, 1}, {4000, 0, 1}, {math.MaxInt64, 1000, float64(math.MaxInt64) / 1000},
	} {
		if got := scaleOf(c.cpu, c.sampled, of); got != c.want {
			t.Errorf("%d ns of %d: %v, want %v", c.sampled, c.cpu, got, c.want)
		}
	}
}

// What stands for C in tracebacks is left out where C or the way to it is there. A call that seam
// weld has changed is a crossing to the function that is called, and no leaf to be.
func TestWelded(t *testing.T) {
	stack := func(names ...string) (list []Frame) {
		for _, name := range names {
			list = append(list, Frame{Func: name, Kind: kindOf(name, "x.go")})
		}
		return list
	}
	const standIn = "runtime/cgo.seamWeldedFunctionCalledGo"
	inC := append([]Frame{{Func: "add", Kind: C}}, stack(standIn, "main._Cfunc_add", "main.sum", "main.main")...)
	onTheWay := stack("runtime/cgo.SeamCall", standIn, "main._Cfunc_add", "main.sum", "main.main")
	calledBack := stack("main.goBack", "runtime/cgo.seamDirect", "runtime/cgo.seamLate", "runtime/cgo.seamCFunctionCallsGo", "main._Cfunc_each", "main.main")
	p := New(CPU)
	p.Add(withoutStandIns(inC), nil, 80)
	p.Add(withoutStandIns(onTheWay), nil, 20)
	p.Add(withoutStandIns(calledBack), nil, 1)
	p.AddCrossings()
	for _, f := range p.Frames {
		if f.Func == standIn {
			t.Errorf("%s is there", standIn)
		}
	}
	if want := []Call{{"main.sum", "C.add", 20}}; !slices.Equal(p.Calls(), want) {
		t.Errorf("crossings: %+v, want %+v", p.Calls(), want)
	}
	if got := p.Ends(); got.Cut != 0 || got.Goroutine != 101 {
		t.Errorf("ends: %+v", got)
	}
	if got, want := p.Next("go test -toolexec x .", "go test .", true), "functions that seam weld has made cheaper already"; !strings.Contains(got, want) || strings.Contains(got, "seam trace") {
		t.Errorf("%q has no %q", got, want)
	}
	p.Add(stack("runtime.cgocall", "main._Cfunc_other", "main.main"), nil, 10)
	if got, want := p.Next("go test -toolexec x .", "go test .", true), "C.other (9.0 %) called no Go here and may be leaves: seam trace -- go test . && seam plan"; !strings.Contains(got, want) {
		t.Errorf("%q has no %q", got, want)
	}
}
