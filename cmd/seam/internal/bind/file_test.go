//go:build linux

package bind

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"modernc.org/cc/v4"
)

const least = "package p\nheader store.h\nlib libstore.so\n"

// What is wrong in a bind.seam is told with its place, and with what to write.
func TestFileErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                                     "there is no line package",
		"package p\nheader a.h":                "there is no line lib, which needs libraries with their version",
		"# bind.seam 2\n" + least:              "b.seam:1:13: version \"2\" of the format; this seam knows version 1",
		least + "heder a.h":                    "b.seam:4:1: \"heder\" is no word that begins a line (package, via",
		least + "fnc f":                        "did you mean func?",
		least + "func":                         "b.seam:4:5: func needs a C function",
		least + "package q":                    "package stands in line 1 already",
		least + "via wasm":                     "packages are made via dl or via cgo",
		least + "match (":                      "b.seam:4:7: error parsing regexp",
		least + "header a\"b.h":                "a name has letters",
		least + "link */":                      "a flag no quotes",
		least + "rename a b":                   "want a C name and an exported Go name",
		least + "offload:0 f":                  "offload has a bound from 1 to 10000",
		least + "leaf:3 f":                     "is no word that begins a line",
		least + "park f stack=3GiB":            "b.seam:4:14: \"3GiB\" is not the size of a stack (from 16KiB to 8MiB",
		least + "park f stack=8KiB":            "is not the size of a stack",
		least + "park f stack=-1MiB":           "is not the size of a stack",
		least + "coro f stak=1MiB":             "b.seam:4:8: \"stak=1MiB\": only lines of coro, park and session have an option",
		least + "leaf f stack=1MiB":            "only lines of coro, park and session have an option",
		least + "park f stack=1MiB stack=1MiB": "stack= appears twice",
		least + "park stack=1MiB":              "is no C function",
		least + "park":                         "park needs functions: park PQ*",
		least + "func f errno":                 "errno stands in the line of an error",
		least + "error e ok=0 context":         "unknown option \"context\"",
		least + "func f result=text":           "text refers to the parameter that is its length: text:LENGTH",
		least + "version f":                    "\"f\" is not FUNCTION=CONSTANT or FUNCTION=CONSTANT:UNIT",
		least + "version f=A:0":                "is not FUNCTION=CONSTANT",
		least + "version f=A\nversion f=A":     "version stands in line 4 already",
		least + "leaf a-b":                     "b.seam:4:6: \"a-b\" is no C function",
		least + "handle store":                 "want a C type and an exported Go name",
		least + "handle a A\nhandle a B":       "a or B is a handle already, in line 4",
		least + "handle a A fre=b":             "a handle has free=FUNCTION",
		least + "error e":                      "want either ok= or fail=",
		least + "error e ok=0 fail=-1":         "want either ok= or fail=",
		least + "error e ok=x+y":               "ok= has integers or C's constants",
		least + "error e ok=0 text=f":          "want a call, as text=sqlite3_errmsg(self)",
		least + "error e ok=0 text=f(g(":       "want a call",
		least + "error e ok=0 tekst=f()":       "did you mean text?",
		least + "func f x=strin":               "b.seam:4:10: \"strin\" is not what x may be (string, string?, text,",
		least + "func f result=string,ignore":  "unknown option of string",
		least + "func f x=room":                "room refers to a parameter: room:LENGTH",
		least + "func f x=string x=out":        "x= appears twice",
		least + "func f result=error:e":        "b.seam:4:15: there is no line error e",
		least + "func f x=const:a+b":           "want nil, an integer or one of C's constants",
		least + "func f* as=X":                 "as= gives one function an exported Go name",
		least + "func f\nfunc f":               "f has a line already, line 4",
		least + "func f x=string,free=g":       "free= is for strings and bytes that C returns",
		least + "func f\x01":                   "a character that isn't text (U+0001)",
		least + strings.Repeat("x\n", 50):      "too many mistakes",
	} {
		if _, err := ParseFile("b.seam", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// storeUnit is what a compiler sees of testdata/store.
func storeUnit(t testing.TB) *unit {
	targets, _ := Targets(t.Context())
	at := slices.IndexFunc(targets, func(x Target) bool { return x.Arch == runtime.GOARCH })
	u, err := read(t.Context(), targets[at], Options{Headers: []string{"testdata/store/store.h"}})
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// generateStore makes a package of testdata/store as a bind.seam says.
func generateStore(u *unit, f *File) (*Result, []error) {
	o := f.Options()
	o.Command = "seam bind"
	g := generate(u, o, nil, nil)
	if len(g.errs) > 0 {
		return nil, g.errs
	}
	r := &Result{Files: map[string][]byte{}, Targets: []string{u.target.Arch}, Refused: g.refused}
	if err := write(r, o, []*generator{g}); err != nil {
		return nil, []error{err}
	}
	return r, nil
}

// Where a bind.seam contradicts the header, that is told with what the header has.
func TestContradictions(t *testing.T) {
	needCompiler(t)
	u := storeUnit(t)
	const handles = "handle store Store free=store_close\n"
	for text, want := range map[string]string{
		"func store_nme":                                                     "b.seam:4:6: no function store_nme is bound; did you mean store_name?",
		"leaf nothing_*":                                                     "b.seam:4:6: no function nothing_* is bound",
		"rename nothing Nothing":                                             "the headers declare nothing of that name",
		"handle nothing Nothing":                                             "b.seam:4:8: the headers declare no type nothing",
		"handle store_kind Kind":                                             "a handle is a struct of C's, or a pointer to one",
		"handle store Store free=store_nothing":                              "store_nothing, which ends Store, is not among the functions",
		"handle store Store free=store_put":                                  "store_put takes no store alone",
		"version store_none=STORE_OK":                                        "store_none, which tells the version, is not among the functions",
		"version store_live=STORE_NONE":                                      "the headers have no constant STORE_NONE",
		"version store_text=STORE_OK":                                        "store_text takes arguments",
		"version store_live=STORE_OK":                                        "store_live returns a number: say by how much it grows with each major version, as store_live=STORE_OK:1000000",
		"version store_live=STORE_OK:100":                                    "",
		"func store_put valu=string":                                         "it has no parameter valu; it has s, key, value, n",
		"func store_put 5=string":                                            "it has no parameter 5",
		"func store_put key=string 2=string":                                 "parameter 2 is described twice",
		"func store_put n=string":                                            "parameter n is uint64 in Go, and no string",
		"func store_put value=bytes:key":                                     "key is *byte in Go, and no length",
		"func store_put value=bytes:n n=bool":                                "n is described, and another parameter refers to it",
		"func store_put n=number":                                            "parameter n is uint64 in Go, and no void *",
		"func store_put value=number":                                        "",
		"func store_put key=out":                                             "", // a byte that C writes
		"func store_put n=out":                                               "parameter n is uint64 in Go, and no address of a value",
		"func store_put s=out:owned":                                         "s is Store in Go, and no handle that bind.seam declares",
		"func store_put n=const:nil":                                         "nil is no uint64",
		"func store_put n=const:STORE_NONE":                                  "the headers have no constant STORE_NONE",
		"func store_put key=callback:value":                                  "parameter key is no function",
		"func store_each f=callback:s":                                       "s is *Store in Go, and no void * that C hands on",
		"func store_each f=callback:data:2":                                  "parameter 2 of the callback is *byte in Go, and no void *",
		"func store_each f=callback:data,kept":                               "the function has none as its first parameter",
		"func store_free result=string":                                      "it has no result",
		"func store_put result=string":                                       "its result is int32 in Go, and no string",
		"func store_put result=owned":                                        "its result is int32 in Go, and no handle",
		"func store_name result=string,free=store_put":                       "store_put takes more than an address",
		"func store_size result=text:1":                                      "its result is uint64 in Go, and no string",
		"func store_name result=text:store_size(s,s)":                        "store_size(s,s): s is *Store in Go",
		"func store_dump result=text:store_size(s,upper),free=store_free":    "",
		"func store_name result=bytes:n":                                     "n is no parameter of it; it has s",
		"func store_error_name n=const:-1 result=bytes:n":                    "n is uint64 in Go, and no length",
		"func store_error_name n=const:STORE_FULL result=bytes:n":            "n is uint64 in Go, and no length",
		"func store_error_name n=const:7 result=bytes:n":                     "",
		"func store_name result=bytes:store_put(s)":                          "store_put(s): the function takes 4 arguments",
		"func store_get result=bytes:n":                                      "n is *uint64 in Go, and no length",
		"error e fail=nil\nfunc store_put result=error:e":                    "its result is int32 in Go, and never nil",
		"error e fail=negative\nfunc store_name result=error:e":              "its result is *byte in Go, and never negative",
		"error e ok=0 text=store_text(self)\nfunc store_live result=error:e": "there is no handle that self could be",
		"error e ok=0 text=store_live()\nfunc store_live result=error:e":     "store_live returns int32 in Go, and no string",
		"func store_c*\nfunc store_co*":                                      "store_copy matches this line and line 4",
		"leaf store_c*\ncgo store_co*":                                       "store_copy matches this line and line 4, which differ",
		"via cgo\noffload:3 store_put":                                       "", // a bound of package dl's
		"park store_put":                                                     "b.seam:4:6: park runs C as a coroutine of package coro, which takes cgo: write via cgo, or cgo store_put",
		"via cgo\npark store_nme":                                            "no function store_nme is bound",
		"via cgo\npark store_*\nsession store_put*\ncoro store_pu*":          "store_put matches this line and line 5, which differ",
		"via cgo\npark store_put\nhandle store Runner":                       "the package has a name Runner already",
		"func store_dot as=Load":                                             "the name Load is taken: the package itself has it",
		"handle store Load":                                                  "the package has a name Load already",
		"error e ok=0\nhandle store Error":                                   "the package has a name Error already",
		handles + "func store_parent":                                        "its result is a handle of Store: say result=owned",
		handles + "func store_try out=out":                                   "out is a handle of Store: say out:owned",
	} {
		f, err := ParseFile("b.seam", []byte(least+text))
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		_, errs := generateStore(u, f)
		found := want == "" && len(errs) == 0
		for _, err := range errs {
			found = found || want != "" && strings.Contains(err.Error(), want)
		}
		if !found {
			t.Errorf("%q: %v, want %q", text, errs, want)
		}
	}
}

// FuzzFile checks that whatever a bind.seam says of a library is refused with a reason, or
// makes a package that Go's type checker takes.
func FuzzFile(f *testing.F) {
	needCompiler(f)
	u := storeUnit(f)
	said, err := os.ReadFile("testdata/store/bind.seam")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(said)
	for line := range strings.Lines(string(said)) {
		if strings.HasPrefix(line, "func ") {
			f.Add([]byte(least + "handle store Store free=store_close\nhandle session Session free=session_free\nerror code ok=0\nerror message fail=-1\nerror open fail=nil errno\nerror read fail=negative\nerror next ok=0,1\nerror size fail=store_is_error(result)\n" + line))
		}
	}
	f.Add([]byte(least + "handle store Store\nfunc store_try name=out result=bool context")) // a byte that an error leaves 0
	check := checker(f, u)
	f.Fuzz(func(t *testing.T, src []byte) {
		file, err := ParseFile("b.seam", src)
		if err != nil || len(file.Headers) != 1 {
			return
		}
		check(t, file, src)
	})
}

// checker returns a function that makes a package as a file says, and has Go check its types. It
// reports whether there is one.
func checker(f testing.TB, u *unit) func(t *testing.T, file *File, src []byte) bool {
	fset := token.NewFileSet()
	// What the go command has compiled, since reading sources takes longer than an input may.
	paths := []string{"list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}"}
	for _, i := range imports {
		_, path, _ := strings.Cut(i[1], `"`)
		path, _, _ = strings.Cut(path, `"`)
		paths = append(paths, path)
	}
	out, err := exec.Command("go", paths...).Output()
	if err != nil {
		f.Fatal(err)
	}
	exports := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		exports[path] = file
	}
	known := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	for path := range exports {
		if path != "unsafe" {
			if _, err := known.Import(path); err != nil {
				f.Fatal(err)
			}
		}
	}
	return func(t *testing.T, file *File, src []byte) bool {
		r, errs := generateStore(u, file)
		if len(errs) > 0 {
			if strings.Contains(errs[0].Error(), "a bug") {
				t.Fatalf("%v\n%s", errs, src)
			}
			return false
		}
		var files []*ast.File
		for name, text := range r.Files {
			parsed, err := parser.ParseFile(fset, filepath.Base(name), text, 0)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, parsed)
		}
		cfg := types.Config{Importer: known, FakeImportC: true}
		if _, err := cfg.Check("p", fset, files, nil); err != nil {
			t.Fatalf("%v\n%s", err, src)
		}
		return true
	}
}

// Files of random words, of which more make sense than of what a fuzzer tries.
func TestRandomFiles(t *testing.T) {
	needCompiler(t)
	u := storeUnit(t)
	check := checker(t, u)
	var funcs []*cc.FunctionType
	var names []string
	for _, d := range u.declarations() {
		if ft, ok := d.Type().(*cc.FunctionType); ok && !d.inline {
			funcs, names = append(funcs, ft), append(names, d.Name())
		}
	}
	seed := uint64(time.Now().UnixNano())
	defer func() {
		if t.Failed() {
			t.Log("seed", seed)
		}
	}()
	r := rand.New(rand.NewPCG(seed, 0))
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	made := 0
	const tries = 300
	for range tries {
		var b strings.Builder
		b.WriteString(least + "handle store Store" + pick(" free=store_close", "") + "\nhandle session Session free=session_free\n" +
			"error a ok=STORE_OK" + pick("", " errno") + "\nerror b fail=nil text=store_message(self)\nerror c fail=negative text=store_text(result)\nerror d fail=" + pick("-1", "7", "STORE_FULL", "store_is_error(result) text=store_error_name(result)") + " errno\n" +
			pick("", "leaf store_*\n", "offload:3 store_*\n", "via cgo\n", "via cgo\noffload:3 *\n", "via cgo\ncoro *\n", "via cgo\npark store_*\n", "via cgo\nsession store_t*\n"))
		at := r.IntN(len(funcs))
		b.WriteString("func " + names[at])
		n := len(funcs[at].Parameters())
		for i := range n {
			other := strconv.Itoa(1 + r.IntN(n))
			if k := pick("", "", "", "string", "string?", "text:"+other, "bytes:"+other, "room:"+other, "out", "out:owned", "out:borrowed", "out:string", "out:string,free=store_free", "const:nil", "const:-1", "const:STORE_MORE", "const:STORE_FULL", "const:99999999999", "callback:"+other, "callback:"+other+",kept", "destroy:"+other, "nullable", "taken", "bool", "number"); k != "" {
				b.WriteString(" " + strconv.Itoa(i+1) + "=" + k)
			}
		}
		e := pick("a", "b", "c", "d")
		if k := pick("", "", "string", "string,free=store_free", "string,error:"+e, "bytes:1", "bytes:store_size(self,1)", "text:1", "text:2,free=store_free", "owned", "owned,error:"+e, "borrowed", "error:"+e, "error:"+e, "error:"+e, "bool", "ignore"); k != "" {
			b.WriteString(" result=" + k)
		}
		b.WriteString(pick("", " as=Named") + pick("", " context") + "\n")
		file, err := ParseFile("b.seam", []byte(b.String()))
		if err != nil {
			t.Fatalf("%v\n%s", err, b.String())
		}
		if check(t, file, []byte(b.String())) {
			made++
		}
	}
	if made < 5 {
		t.Errorf("only %d of %d files made a package", made, tries)
	}
	t.Logf("%d of %d files made a package", made, tries)
}
