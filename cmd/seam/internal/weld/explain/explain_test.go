//seam:test toolchains

package explain

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/experiment/call"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
	"github.com/seamgo/seam/cmd/seam/internal/machine"
	"github.com/seamgo/seam/cmd/seam/internal/text"
	"github.com/seamgo/seam/cmd/seam/internal/weld/calltrace"
	"github.com/seamgo/seam/cmd/seam/internal/weld/plan"
)

var update = flag.Bool("update", false, "rewrite the files in testdata")

// example is a module of testdata/travel, with what is known of it.
func example(t *testing.T) Options {
	t.Helper()
	if _, err := exec.LookPath("gcc"); err != nil && os.Getenv("CI") == "" {
		t.Skip("there is no C compiler")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/travel")); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"go.mod":        "module example.com/travel\n\ngo 1.25\n",
		"plain/p.go":    "package plain\n",
		"broken/b.go":   "package broken\n\n// int f(void) { return nope(; }\nimport \"C\"\n\nfunc F() { C.f() }\n",
		"idle/idle.go":  "package idle\n\nimport \"C\"\n",
		"v.2/v.go":      "package v\n\n// static int f(void) { return 1; }\nimport \"C\"\n\nfunc F() { C.f() }\n",
		"hexes/v4/h.go": "package hexes\n\n// static int f(void) { return 1; }\nimport \"C\"\n\nfunc F() { C.f() }\n",
		"tagged/t.go":   "//go:build special\n\npackage tagged\n\n// static int f(void) { return 1; }\nimport \"C\"\n\nfunc F() { C.f() }\n",
		"tagged/doc.go": "package tagged\n",
	} {
		name = filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	for name, value := range map[string]string{"GOWORK": "off", "GOFLAGS": "", "CGO_ENABLED": "1"} {
		t.Setenv(name, value)
	}
	cmd := exec.Command("go", "env", "-json", "GOTOOLDIR", "GOARCH")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Go: "go", Dir: dir, CgoEnabled: true}
	if err := json.Unmarshal(out, &o); err != nil {
		t.Fatal(err)
	}
	return o
}

// known adds a plan, a trace and a run of the lab.
func known(o Options) Options {
	const path = "example.com/travel"
	o.Plan = &plan.Plan{Name: "seam.plan", Entries: []plan.Entry{
		{Mode: plan.Leaf, Package: path, Func: "mix", Budget: 5 * time.Microsecond, Allow: 0.02, Comment: "proven: 2k calls", Line: 7},
		{Mode: plan.Cgo, Package: path, Func: "fails", Budget: plan.DefaultBudget, Allow: plan.DefaultAllow, Comment: "called rarely", Line: 8},
	}}
	stack := []calltrace.Frame{{Func: path + ".(*Thing).Mix", File: "travel.go", Line: 38}}
	o.Trace = &calltrace.File{Go: "go1.26.8", OS: "linux", Arch: "amd64", CPU: "a processor", Functions: []calltrace.Function{{
		Package: path, Name: "mix", Calls: 2000, TotalNS: 18300, P50NS: 9, P99NS: 12, P999NS: 35, MaxNS: 195, CrossingNS: 38.4, Examined: 2000, MaxThreads: 1,
		Callers: []calltrace.Caller{{Calls: 1900, NS: 90000, Stack: stack}, {Calls: 100, NS: 5000, Stack: stack}},
	}}}
	o.TraceName = "seam.trace"
	o.Lab = &result.Run{Started: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC),
		Machine: machine.Facts{CPU: "a processor", Go: "go1.26.8", GOARCH: o.GOARCH}, Experiments: []result.Experiment{{Name: "call"}}}
	for name, ns := range map[string]float64{
		labCgo: 22, labCgoPtr: 29, labNoescape: 24, labLeaf: 2.4, labSwitch: 2, labStruct: 2.3, labWrapper: 3, labRaw: 60, labSyscall: 76,
	} {
		e := &o.Lab.Experiments[0]
		e.Series = append(e.Series, result.Series{Name: name, Unit: "ns/op", Median: ns, Lo: ns * 0.99, Hi: ns * 1.01})
	}
	o.LabName = "seam.lab.json"
	return o
}

func mustExplain(t *testing.T, o Options, target string) *Doc {
	t.Helper()
	d, err := Explain(t.Context(), o, target)
	if err != nil {
		t.Fatalf("%s: %v", target, err)
	}
	return d
}

func textOf(t *testing.T, d *Doc, o text.Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := d.WriteText(&b, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var (
	// What differs between versions of Go: the package's hash, lines in
	// _cgo_gotypes.go, and numbers of types without a name.
	hash    = regexp.MustCompile(`_(cgo|seam)_[0-9a-f]{12}_`)
	line    = regexp.MustCompile(`_cgo_gotypes\.go:[0-9]+:[0-9]+`)
	unnamed = regexp.MustCompile(`(struct|union)___[0-9]+`)
)

func TestGolden(t *testing.T) {
	o := example(t)
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("the files are those of 64 bits")
	}
	for _, c := range []struct {
		file, target string
		known        bool
	}{
		{"overview", ".", false},
		{"overview-known", ".", true},
		{"mix", "..mix", true},
		{"bounded", "..mix", true},
		{"coro", "..each", true},
		{"fails", "example.com/travel.fails", true},
		{"both", "..both", false},
		{"malloc", "..malloc", false},
		{"cstring", "..CString", false},
		{"each", "..each", false},
		{"peek", "..peek", true},
		{"measure", "..measure", false},
	} {
		with := o
		if c.known {
			with = known(o)
		}
		if c.file == "coro" {
			with.Plan.Entries[0] = plan.Entry{Mode: plan.Coro, Package: "example.com/travel", Func: "each", Budget: plan.DefaultBudget, Line: 7}
		}
		if c.file == "bounded" {
			with.Plan.Threads = 64
			with.Plan.Entries[0] = plan.Entry{Mode: plan.Offload, Threads: 8, Group: "db", Package: "example.com/travel", Func: "mix", Line: 7}
		}
		got := textOf(t, mustExplain(t, with, c.target), text.Options{Width: 100})
		for i, l := range strings.Split(got, "\n") {
			if n := len([]rune(l)); n > 120 {
				t.Errorf("%s: line %d is %d wide: %s", c.file, i+1, n, l)
			}
		}
		got = strings.ReplaceAll(got, "if (ret == 0 &&", "if (ret == NULL &&") // Go 1.25
		got = unnamed.ReplaceAllString(got, "${1}___N")
		got = line.ReplaceAllString(hash.ReplaceAllString(got, "_${1}_HASH_"), "_cgo_gotypes.go:N:N")
		name := filepath.Join("testdata", c.file+".golden")
		if *update {
			if err := os.WriteFile(name, []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatalf("%v (go test -update writes it)", err)
		}
		if got != string(want) {
			g, w := strings.Split(got, "\n"), strings.Split(string(want), "\n")
			for i := range g {
				if i >= len(w) || g[i] != w[i] {
					t.Errorf("%s differs at line %d:\n got %s\n(go test -update rewrites it; look at the difference)", name, i+1, g[i])
					break
				}
			}
		}
	}
}

// TestNothing explains a function without arguments and result, of which versions
// of Go make different stubs.
func TestNothing(t *testing.T) {
	got := textOf(t, mustExplain(t, example(t), "..nothing"), text.Options{})
	for _, want := range []string{"arguments  0 bytes", "There is neither an argument nor a result", "_seam_slow(", "SEAM_WELD("} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
}

// TestGoString explains what calls no C.
func TestGoString(t *testing.T) {
	o := example(t)
	for _, c := range []struct {
		plan *plan.Plan
		want string
	}{
		{nil, `With the line "view example.com/travel.GoString" in seam.plan`},
		{&plan.Plan{Name: "p", Entries: []plan.Entry{{Mode: plan.View, Package: "example.com/travel", Func: "GoString", Line: 3}}}, "The plan has it a view (p:3)."},
	} {
		o.Plan = c.plan
		if got := textOf(t, mustExplain(t, o, "..GoString"), text.Options{}); !strings.Contains(got, c.want) {
			t.Errorf("no %q in:\n%s", c.want, got)
		}
	}
}

func TestColour(t *testing.T) {
	d := mustExplain(t, known(example(t)), "..mix")
	if s := textOf(t, d, text.Options{Width: 100}); strings.Contains(s, "\x1b") {
		t.Error("colours without being asked for")
	}
	if s := textOf(t, d, text.Options{Width: 100, Colour: true}); !strings.Contains(s, "\x1b[") {
		t.Error("no colours")
	}
}

func TestHTML(t *testing.T) {
	o := known(example(t))
	for _, target := range []string{".", "..mix", "..both", "..measure", "..nothing"} {
		d := mustExplain(t, o, target)
		d.Warnings = []string{`<img src="http://example.com">`}
		var b bytes.Buffer
		if err := d.WriteHTML(&b); err != nil {
			t.Fatal(err)
		}
		page := b.String()
		for _, bad := range []string{"<script", "<img", "<link", "<iframe", "@import", "url(", "src=\"", "href=\"", "ZgotmplZ"} {
			if strings.Contains(page, bad) {
				t.Errorf("%s: the page has %q", target, bad)
			}
		}
		if !strings.Contains(page, "&lt;img") {
			t.Errorf("%s: the warning is not there", target)
		}
		_, body, _ := strings.Cut(page, "</style>")
		x := xml.NewDecoder(strings.NewReader("<html><head>" + body))
		x.AutoClose, x.Entity = xml.HTMLAutoClose, xml.HTMLEntity
		for {
			_, err := x.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: not well-formed: %v", target, err)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	o := example(t)
	off := o
	off.CgoEnabled = false
	for _, c := range []struct {
		target, want string
		o            Options
	}{
		{"..mxi", "did you mean mix?", o},
		{"example.com/travel.peak", "did you mean peek", o},
		{"..something_else_entirely", "lists the 12 functions", o},
		{"..GoBytes", "makes no C call", o},
		{"", "is not a package", o},
		{"-x", "is not a package", o},
		{"./...", "one package is explained at a time", o},
		{"travel.go", "is a file", o},
		{"./none", "./none", o},
		{"./none.f", "neither a package ./none.f nor a package ./none", o},
		{"./plain", "calls no C", o},
		{"./plain.f", "calls no C", o},
		{"fmt.Println", "calls no C", o},
		{"./plain", "CGO_ENABLED=0", off},
		{"./idle", "calls no C function", o},
		{"./tagged.f", "calls no C", o},
		{"./broken.f", "b.go:3", o},
	} {
		if _, err := Explain(t.Context(), c.o, c.target); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got %v, want %q", c.target, err, c.want)
		}
	}
}

func TestTargets(t *testing.T) {
	o := example(t)
	special := o
	special.Flags = []string{"-tags=special"}
	for _, c := range []struct {
		target, title string
		o             Options
	}{
		{"./v.2", "How Go calls C here", o},
		{"./v.2.f", "How a call of f travels", o},
		{"hexes.f", "How a call of f travels", o},
		{"hexes/v4.f", "How a call of f travels", o},
		{"hexes", "How Go calls C here", o},
		{"example.com/travel/v.2.f", "How a call of f travels", o},
		{"./tagged.f", "How a call of f travels", special},
		{"..malloc", "How a call of malloc travels", o},
		{".._CMalloc", "How a call of malloc travels", o},
		{"net", "How Go calls C here", o},
	} {
		if d := mustExplain(t, c.o, c.target); d.Title != c.title {
			t.Errorf("%s: got %q, want %q", c.target, d.Title, c.title)
		}
	}
}

func TestStandardIsNotWelded(t *testing.T) {
	d := mustExplain(t, example(t), "net.getaddrinfo")
	if s := textOf(t, d, text.Options{}); !strings.Contains(s, "packages of the standard library are not welded") {
		t.Error(s)
	}
}

// load reads the example.
func loadExample(t *testing.T) *pkg {
	t.Helper()
	o := example(t)
	p, _, err := find(t.Context(), o, ".")
	if err != nil {
		t.Fatal(err)
	}
	objdir := filepath.Join(t.TempDir(), "obj")
	if err := gotool.Generate(t.Context(), p, objdir); err != nil {
		t.Fatal(err)
	}
	k, err := newPackage(o, p, objdir)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// TestOffsets asks the C compiler.
func TestOffsets(t *testing.T) {
	k := loadExample(t)
	command, env, err := k.Package.Compiler(t.Context(), k.objdir, false)
	if err != nil {
		t.Fatal(err)
	}
	check := func(shift int64) (n int, said string, err error) {
		src, err := os.ReadFile(filepath.Join(k.objdir, "travel.cgo2.c"))
		if err != nil {
			t.Fatal(err)
		}
		b := bytes.NewBuffer(src)
		for i := range k.gen.Gotypes.Stubs {
			s := &k.gen.Gotypes.Stubs[i]
			l, err := k.layout(s)
			if err != nil {
				t.Fatalf("%s: %v", s.GoName, err)
			}
			if l.Size == 0 {
				continue
			}
			_, w := k.gen.Wrapper(s)
			fmt.Fprintf(b, "struct probe%d {\n", i)
			for _, f := range w.Fields {
				fmt.Fprintln(b, f.Text)
			}
			fmt.Fprintf(b, "} __attribute__((__packed__));\n_Static_assert(sizeof(struct probe%d) == %d, \"%s\");\n", i, l.Size+shift, s.GoName)
			for _, m := range l.Members {
				if m.Kind == Padding {
					continue
				}
				n++
				fmt.Fprintf(b, "_Static_assert(__builtin_offsetof(struct probe%d, %s) == %d, \"%s\");\n", i, m.Name, m.Offset+shift, s.GoName)
				fmt.Fprintf(b, "_Static_assert(sizeof(((struct probe%d *)0)->%s) == %d, \"%s\");\n", i, m.Name, m.Size+shift, s.GoName)
			}
		}
		name := filepath.Join(k.objdir, "probe.c")
		if err := os.WriteFile(name, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(command[0], append(command[1:len(command):len(command)], "-w", "-fsyntax-only", name)...)
		cmd.Dir, cmd.Env = k.Package.Dir, append(os.Environ(), env...)
		out, err := cmd.CombinedOutput()
		return n, string(out), err
	}
	n, said, err := check(0)
	if err != nil || n < 20 {
		t.Errorf("%d members: %v\n%s", n, err, said)
	}
	if _, said, err := check(1); err == nil || strings.Count(said, "static assertion failed") < 2*n {
		t.Errorf("the compiler did not find wrong offsets: %v\n%s", err, said)
	}
}

// TestPointers compares our notion of what escapes with the Go compiler's.
func TestPointers(t *testing.T) {
	k := loadExample(t)
	c := compiler{"go", k.Options.Dir, nil, k.GOTOOLDIR}
	direct, err := c.compile(t.Context(), k.Package, k.objdir, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	all := parseFindings(direct)
	compared := 0
	for i := range k.gen.Gotypes.Stubs {
		s := &k.gen.Gotypes.Stubs[i]
		l, err := k.layout(s)
		if err != nil {
			t.Fatal(err)
		}
		leaks := map[string]bool{}
		for _, f := range about(all, direct, []string{s.GoName}).stub {
			if name, ok := strings.CutPrefix(f.Verdict, "leaking param: "); ok {
				leaks[name] = true
			}
		}
		for _, m := range l.Members {
			if m.Kind == Argument {
				compared++
				if want := m.Pointers && !s.NoEscape; leaks[m.Name] != want {
					t.Errorf("%s: %s %s escapes: compiler says %t, we say %t", s.GoName, m.Name, m.GoType, leaks[m.Name], want)
				}
			}
		}
	}
	if compared < 15 {
		t.Errorf("only %d arguments compared", compared)
	}
}

// TestFallback compares the direct way to the compiler with the go command's.
func TestFallback(t *testing.T) {
	k := loadExample(t)
	find := func(c compiler) (list []string) {
		out, err := c.decisions(t.Context(), k.Package, k.objdir)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range about(parseFindings(out), out, []string{"_Cfunc_both"}).calls {
			list = append(list, f.Verdict)
		}
		return list
	}
	const want = "[moved to heap: a]"
	if got := fmt.Sprint(find(compiler{"go", k.Options.Dir, nil, k.GOTOOLDIR})); got != want {
		t.Errorf("direct: %s", got)
	}
	if got := fmt.Sprint(find(compiler{"go", k.Options.Dir, nil, t.TempDir()})); got != want {
		t.Errorf("go build: %s", got)
	}
}

func TestLabNames(t *testing.T) {
	have := map[string]bool{}
	for _, c := range call.Experiment.Cases(lab.Quick) {
		have[c.Name] = true
	}
	for _, name := range []string{labCgo, labCgoPtr, labNoescape, labLeaf, labSwitch, labStruct, labWrapper, labRaw, labSyscall} {
		if !have[name] {
			t.Errorf("the lab has no series %s", name)
		}
	}
}

func TestPrices(t *testing.T) {
	p := prices{known(Options{}).Lab}
	for _, c := range []struct{ got, want string }{
		{prices{}.whole(labCgo), notMeasured},
		{prices{}.step(labCgo, labLeaf), notMeasured},
		{prices{}.rest(), notMeasured},
		{p.whole(labCgo), "22.0 ns (21.8–22.2 ns)"},
		{p.step(labSwitch, ""), "2.00 ns"},
		{p.step(labSyscall, labRaw), "16.0 ns"},
		{p.step(labRaw, labSyscall), noise},
		{p.rest(), "3.00 ns"}, // 22 - 2 - 0.3 - 0.7 - 16
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
	p.run.Experiments[0].Series = []result.Series{
		{Name: labStruct, Unit: "ns/op", Median: 2.2, Lo: 1, Hi: 3},
		{Name: labSwitch, Unit: "ns/op", Median: 2, Lo: 1, Hi: 3},
		{Name: labCgo, Unit: "ns/op", NotMeasured: "no cgo"},
	}
	if got := p.step(labStruct, labSwitch); !strings.HasSuffix(got, noise) {
		t.Errorf("intervals that overlap: %q", got)
	}
	if got := p.whole(labCgo); got != notMeasured {
		t.Errorf("a series without a figure: %q", got)
	}
}
