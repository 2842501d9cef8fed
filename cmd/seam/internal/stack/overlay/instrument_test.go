package overlay

import (
	"encoding/json"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
)

// goroot is the Go that runs the test.
func goroot(t *testing.T) (root, version string) {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT", "GOVERSION").Output()
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(out))
	return fields[0], fields[1]
}

func source(t *testing.T) string {
	t.Helper()
	root, _ := goroot(t)
	src, err := os.ReadFile(filepath.Join(root, "src", "runtime", "stack.go"))
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}

func TestInstrument(t *testing.T) {
	src := source(t)
	changed, err := Instrument([]byte(src))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.ParseFile(token.NewFileSet(), "stack.go", changed, 0); err != nil {
		t.Fatal(err)
	}
	// Positions in tracebacks stay true.
	before, after := strings.Split(src, "\n"), strings.Split(string(changed), "\n")
	if len(before) != len(after) {
		t.Fatalf("%d lines became %d", len(before), len(after))
	}
	begins, ends := 0, 0
	for i := range after {
		begins += strings.Count(after[i], "seamBegin(")
		ends += strings.Count(after[i], "seamEnd(")
		if before[i] == after[i] {
			continue
		}
		// But for what was inserted, a line is as it was; the clearing of freed stacks is gone.
		if !strings.Contains(after[i], "seam") && !strings.Contains(before[i], "stackDebug ") && !strings.Contains(before[i], "memclrNoHeapPointers(v, n) // for testing") {
			t.Errorf("line %d became %q, was %q", i+1, after[i], before[i])
		}
	}
	if n := strings.Count(string(changed), "seamOverflow();"); n != 1 {
		t.Errorf("overflows are logged in %d places", n)
	}
	if begins != len(events) || ends != begins {
		t.Errorf("%d beginnings and %d ends of events, want %d of each", begins, ends, len(events))
	}
}

// A Go whose file is another is told what it lacks.
func TestInstrumentRefuses(t *testing.T) {
	src := source(t)
	for _, c := range []struct{ name, old, new, want string }{
		{"the constant has another value", "stackDebug       = 0", "stackDebug       = 2", "the constant stackDebug = 0"},
		{"the constant is gone", "stackDebug       = 0", "otherName        = 0", "the constant stackDebug = 0"},
		{"another condition", "if stackDebug >= 1 || sp < gp.stack.lo {", "if sp < gp.stack.lo {", `prints "runtime: newstack sp="`},
		{"another text", `print("copystack gp="`, `print("moving gp="`, `prints "copystack gp="`},
		{"no growth told", `print("stack grow done\n")`, `print("grown\n")`, `prints "stack grow done"`},
		{"another variable", "preempt := stackguard0 == stackPreempt", "stop := stackguard0 == stackPreempt", "the variable preempt"},
		{"another limit", "if newsize > maxstacksize || newsize > maxstackceiling {", "if newsize > limit {", "comparison of newsize with maxstacksize"},
		{"no Go", "package runtime", "pakage runtime", "not Go"},
	} {
		changed := strings.Replace(src, c.old, c.new, 1)
		if changed == src {
			t.Errorf("%s: the Go at hand has no %q", c.name, c.old)
			continue
		}
		if _, err := Instrument([]byte(changed)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error is %v, want one with %q", c.name, err, c.want)
		}
	}
}

func TestWrite(t *testing.T) {
	root, version := goroot(t)
	own := filepath.Join(t.TempDir(), "own.json")
	write(t, own, `{"Replace":{"/src/a.go":"/tmp/b.go","/src/gone.go":""}}`)
	for _, user := range []string{"", own} {
		dir := t.TempDir()
		name, err := Write(dir, root, version, user)
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var o gotool.Overlay
		if err := json.Unmarshal(text, &o); err != nil {
			t.Fatal(err)
		}
		for _, base := range []string{"stack.go", "seamstack.go"} {
			replacement := o.Replace[filepath.Join(root, "src", "runtime", base)]
			if info, err := os.Stat(replacement); err != nil || info.Size() == 0 || filepath.Ext(replacement) == ".go" {
				t.Errorf("%s is replaced by %q: %v", base, replacement, err)
			}
		}
		if _, kept := o.Replace["/src/gone.go"]; user != "" && (o.Replace["/src/a.go"] != "/tmp/b.go" || !kept) {
			t.Errorf("the user's overlay is lost in %v", o.Replace)
		}
	}
}

func TestWriteRefuses(t *testing.T) {
	root, version := goroot(t)
	dir := t.TempDir()
	file := func(name, text string) string {
		name = filepath.Join(dir, name)
		write(t, name, text)
		return name
	}
	other := filepath.Join(dir, "other")
	write(t, filepath.Join(other, "src", "runtime", "stack.go"), "package runtime\n\nconst stackDebug = 0\n")
	for _, c := range []struct{ name, root, user, want string }{
		{"no sources", filepath.Join(dir, "nothing"), "", "was installed without its sources"},
		{"another runtime", other, "", `it lacks the line that prints "runtime: newstack sp="`},
		{"no such overlay", root, filepath.Join(dir, "none.json"), "none.json"},
		{"an overlay that is no JSON", root, file("bad.json", "Replace"), "bad.json"},
		{"an overlay that does the same", root, file("same.json", `{"Replace":{"`+filepath.Join(root, "src/runtime/stack.go")+`":"x"}}`), "leave that out"},
	} {
		if _, err := Write(t.TempDir(), c.root, version, c.user); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error is %v, want one with %q", c.name, err, c.want)
		}
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func FuzzInstrument(f *testing.F) {
	f.Add("package runtime\nconst ( stackDebug = 0 )\nfunc newstack() { preempt := x == y; if stackDebug >= 1 || a { print(\"runtime: newstack sp=\") } }")
	f.Add("package p\nfunc f() { if stackDebug > 0 { print(\"stackalloc \", n); println() } }")
	f.Add("package p\nfunc f() { if stackDebug > 0 || a && // or\n b { print(\"x\", // y\n n) } }")
	f.Fuzz(func(t *testing.T, src string) {
		out, err := Instrument([]byte(src))
		if err != nil {
			return
		}
		if _, err := parser.ParseFile(token.NewFileSet(), "stack.go", out, 0); err != nil {
			t.Errorf("%q becomes %q: %v", src, out, err)
		}
	})
}
