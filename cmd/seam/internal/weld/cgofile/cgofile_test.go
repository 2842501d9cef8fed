package cgofile

import (
	"bytes"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

// toolchains are the versions of Go whose cgo is looked at; "" is the one at hand.
func toolchains() []string { return append([]string{""}, testenv.OtherVersions()...) }

// generate runs the cgo of a toolchain on the package in testdata.
func generate(t testing.TB, toolchain string) string {
	t.Helper()
	testenv.Tool(t, "gcc")
	dir := t.TempDir()
	cmd := exec.Command("go", "tool", "cgo", "-objdir", dir, "-importpath", "example.com/calls", "--", "calls.go")
	cmd.Dir = filepath.Join("testdata", "calls")
	cmd.Env = append(os.Environ(), "GOTOOLCHAIN="+toolchain)
	if toolchain == "" {
		cmd.Env = os.Environ()
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", toolchain, err, out)
	}
	return dir
}

func load(t testing.TB, toolchain string) *Generated {
	t.Helper()
	g, err := Load(generate(t, toolchain))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestFunctions(t *testing.T) {
	const want = `_CMalloc func(uint64) unsafe.Pointer
add func(_Ctype_int, _Ctype_int) _Ctype_int
calls_back func(_Ctype_int) _Ctype_int
fails func(_Ctype_int) _Ctype_int
fails_void func(_Ctype_int)
fill func(*_Ctype_char, _Ctype_int) noescape nocallback
free func(unsafe.Pointer)
make func(_Ctype_int) struct{a _Ctype_int; b _Ctype_double}
name func() *_Ctype_char
next func(uint32) uint32
not func(_Ctype__Bool) _Ctype__Bool
nothing func()
print_int func(*_Ctype_char, _Ctype_int) _Ctype_int
take func(struct{a _Ctype_int; b _Ctype_double}, *struct{a _Ctype_int; b _Ctype_double}, struct{c _Ctype_char}, _Ctype_either, *unsafe.Pointer, _Ctype_uchar) _Ctype_int
through func(*[0]byte, _Ctype_int) _Ctype_int callback
`
	for _, toolchain := range toolchains() {
		var b strings.Builder
		for _, f := range load(t, toolchain).Functions() {
			b.WriteString(f.Name + " " + f.Signature())
			for word, is := range map[string]bool{" noescape nocallback": f.NoEscape && f.NoCallback, " callback": f.TakesCallback(), " REASON " + f.Reason: f.Reason != ""} {
				if is {
					b.WriteString(word)
				}
			}
			b.WriteByte('\n')
		}
		if got := b.String(); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", toolchain, got, want)
		}
	}
}

// The hash of a signature stands in plans that people commit.
func TestPointersInResults(t *testing.T) {
	g, err := ParseGotypes([]byte(`package p
type _Ctype_int int32
type _Ctype_ref = *_Ctype_int
type _Ctype_pair struct { a _Ctype_int; _ [4]byte; b [3]_Ctype_int }
type _Ctype_link struct { n _Ctype_int; next *_Ctype_link }
type _Ctype_text struct { s [20]_Ctype_char }
type _Ctype_char int8
type _Ctype_either [16]byte
type _Ctype_number [4]byte
type _Ctype_tagged struct { tag _Ctype_int; u [8]byte }
type _Ctype_loop _Ctype_loop
type _Ctype_void [0]byte
`))
	if err != nil {
		t.Fatal(err)
	}
	for source, want := range map[string][2]bool{
		"_Ctype_int": {}, "_Ctype_pair": {}, "_Ctype_text": {}, "_Ctype_number": {}, "_Ctype_void": {}, "uintptr": {}, "complex128": {},
		"_Ctype_ref": {true, false}, "*_Ctype_int": {true, false}, "unsafe.Pointer": {true, false}, "_Ctype_link": {true, false},
		"*[0]byte": {true, false}, "string": {true, false}, "[]byte": {true, true}, "_Ctype_not_known": {true, false},
		"_Ctype_either": {false, true}, "_Ctype_tagged": {false, true}, "_Ctype_loop": {true, true},
	} {
		expr, err := parser.ParseExpr(source)
		if err != nil {
			t.Fatal(err)
		}
		if has, hides := g.pointers(expr, 0); has != want[0] || hides != want[1] {
			t.Errorf("%s: %v, %v, want %v", source, has, hides, want)
		}
	}
}

func TestSigStays(t *testing.T) {
	f := Function{Params: []string{"_Ctype_int", "*_Ctype_char"}, Result: "_Ctype_int"}
	if f.Sig() != "067e5456" {
		t.Errorf("the hash of %s has become %s: every plan says that all has changed", f.Signature(), f.Sig())
	}
	g := f
	g.Result = ""
	if g.Sig() == f.Sig() {
		t.Error("the result does not count")
	}
}

func TestEveryStubHasItsWrapper(t *testing.T) {
	for _, toolchain := range toolchains() {
		g := load(t, toolchain)
		errno := 0
		for i := range g.Gotypes.Stubs {
			s := &g.Gotypes.Stubs[i]
			file, w := g.Wrapper(s)
			if w == nil || s.Reason != "" {
				t.Errorf("%s: %s: %q", toolchain, s.GoName, s.Reason)
				continue
			}
			if s.Errno {
				errno++
			}
			if !strings.Contains(file.Text(w), s.Symbol+"(void *v)") {
				t.Errorf("%s: the wrapper's text is\n%s", s.GoName, file.Text(w))
			}
			if !strings.Contains(g.Gotypes.Text(s), "func "+s.GoName+"(") {
				t.Errorf("%s: the stub's text is\n%s", s.GoName, g.Gotypes.Text(s))
			}
			// cgo follows the stack where there is a result, and malloc's
			// wrapper never does.
			if moved := len(w.topOfStack) == 2; moved != (s.Result != "" && s.Name != Malloc) {
				t.Errorf("%s: follows the stack: %v", s.GoName, moved)
			}
		}
		if errno != 3 {
			t.Errorf("%s: %d stubs with errno, want 3", toolchain, errno)
		}
		if len(g.Exports) != 1 || g.Exports[0].Name != "goCalled" {
			t.Errorf("%s: exports are %v", toolchain, g.Exports)
		}
	}
}

// What is rewritten has to be Go and C again, and nothing else may change.
func TestRewrite(t *testing.T) {
	for _, toolchain := range toolchains() {
		g := load(t, toolchain)
		before := g.Gotypes.Bytes()
		if !bytes.Equal(before, g.Gotypes.Src) {
			t.Fatal("without a change the text differs")
		}
		for i := range g.Gotypes.Stubs {
			s := &g.Gotypes.Stubs[i]
			g.Gotypes.InsertDecl(s, "var _decl_"+s.GoName+" byte\n\n")
			g.Gotypes.DropEscape(s)
			if i%2 == 0 {
				g.Gotypes.Enclose(s, "_ = 0\n\t", "\n\t_ = 1")
			} else if !s.Errno {
				g.Gotypes.ReplaceCall(s, "_ = 2")
			}
			file, w := g.Wrapper(s)
			file.DropTopOfStack(w)
			file.Outer(w, "inner_"+w.Symbol, "\n/* outer "+w.Symbol+" */\n")
		}
		for _, w := range g.Wrappers {
			w.Insert("/* inserted */\n")
		}
		g.Gotypes.Append("\nvar _appended byte\n")
		if name := g.Gotypes.ImportCgo(); name == "" {
			t.Error("no import of runtime/cgo")
		}
		if err := g.Save(); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(g.Dir, "_cgo_gotypes.go"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parser.ParseFile(token.NewFileSet(), "", text, 0); err != nil {
			t.Errorf("%s: %v", toolchain, err)
		}
		if bytes.Contains(text, []byte("_Cgo_always_false {")) {
			t.Errorf("%s: something still escapes", toolchain)
		}
		c, err := os.ReadFile(filepath.Join(g.Dir, "calls.cgo2.c"))
		if err != nil {
			t.Fatal(err)
		}
		_, c, _ = bytes.Cut(c, []byte("/* inserted */\n"))
		if len(c) == 0 || bytes.Contains(c, []byte("_cgo_topofstack")) {
			t.Errorf("%s: wrappers are\n%s", toolchain, c)
		}
		check := exec.Command("gcc", "-fsyntax-only", "-I", g.Dir, filepath.Join(g.Dir, "calls.cgo2.c"))
		if out, err := check.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", toolchain, err, out)
		}
	}
}

func TestUnknownFormsAreLeftAlone(t *testing.T) {
	const head = "package p\n\nimport \"unsafe\"\n\nvar _cgo_00_Cfunc_f = unsafe.Pointer(nil)\n\n//go:cgo_unsafe_args\n"
	for _, c := range []struct{ name, body string }{
		{"another call", "_cgo_runtime_cgocall(other(), uintptr(unsafe.Pointer(&p0)))\n\treturn"},
		{"another argument", "_cgo_runtime_cgocall(_cgo_00_Cfunc_f, uintptr(unsafe.Pointer(&p1)))\n\treturn"},
		{"a statement more", "_cgo_runtime_cgocall(_cgo_00_Cfunc_f, uintptr(unsafe.Pointer(&p0)))\n\tp0 = 1\n\treturn"},
		{"no return", "_cgo_runtime_cgocall(_cgo_00_Cfunc_f, uintptr(unsafe.Pointer(&p0)))"},
		{"nocallback that is not ended", "_Cgo_no_callback(true)\n\t_cgo_runtime_cgocall(_cgo_00_Cfunc_f, uintptr(unsafe.Pointer(&p0)))\n\treturn"},
	} {
		g, err := ParseGotypes([]byte(head + "func _Cfunc_f(p0 int, p1 int) (r1 int) {\n\t" + c.body + "\n}\n"))
		if err != nil {
			t.Fatal(err)
		}
		if len(g.Stubs) != 1 || g.Stubs[0].Reason == "" {
			t.Errorf("%s: taken for a stub we know: %+v", c.name, g.Stubs)
		}
	}
	w := ParseWrappers("x.c", []byte("\n#define _cgo_msan_write(addr, sz)\n\nCGO_NO_SANITIZE_THREAD\nvoid\n_cgo_00_Cfunc_f(void *v)\n{\n"+
		"\t_cgo_tsan_acquire();\n\tf(_cgo_topofstack());\n\t_cgo_tsan_release();\n}\n"))
	if len(w.List) != 1 || w.List[0].Reason == "" {
		t.Errorf("an unknown wrapper was taken: %+v", w.List)
	}
}

func FuzzGotypes(f *testing.F) {
	if dir := generate(f, ""); dir != "" {
		text, err := os.ReadFile(filepath.Join(dir, "_cgo_gotypes.go"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte("package p\nfunc _Cfunc_f() (r1 int) { return }"))
	f.Fuzz(func(t *testing.T, src []byte) {
		g, err := ParseGotypes(src)
		if err != nil {
			return
		}
		for i := range g.Stubs {
			if s := &g.Stubs[i]; s.Reason == "" {
				g.DropEscape(s)
				g.ReplaceCall(s, "x()")
			}
		}
		g.Bytes()
	})
}

func FuzzWrappers(f *testing.F) {
	dir := generate(f, "")
	for _, name := range []string{"calls.cgo2.c", "_cgo_export.c"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		w := ParseWrappers("x", src)
		for i := range w.List {
			if x := &w.List[i]; x.Reason == "" {
				w.DropTopOfStack(x)
				w.Outer(x, "inner", "")
			}
		}
		w.Bytes()
		for _, e := range ParseExports(src) {
			if e.Entered > len(src) {
				t.Errorf("%+v is outside", e)
			}
		}
	})
}
