package callgraph

import (
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

// Which calls through pointers may be of Go: by a member that Go or C set to a Go
// function, by a table, by a variable; and by others not.
func TestHooks(t *testing.T) {
	testenv.OtherProgram(t)
	p, objdir := module(t, "hooks")
	r := mustProve(t, p, objdir, Options{})
	for name, want := range map[string]string{
		"insert":   "changed",
		"deep":     "changed",
		"less":     "compare",
		"entry":    "entries",
		"choice":   "f",
		"drop_arg": "",
		"plain":    "",
		"open_db":  "",
	} {
		f := r.Functions[name]
		if f == nil {
			t.Errorf("%s is not known", name)
			continue
		}
		x, ok := f.Hooks()
		if ok != (want != "") || x.Name != want {
			t.Errorf("%s: a hook %q by %s, want %q", name, x.Name, x.CallPath(), want)
		}
		if _, bad := f.CallsGo(); bad != (want != "" && name != "deep") {
			t.Errorf("%s: calling Go is %v", name, bad)
		}
	}
}

// What isn't a dump is read, too.
func FuzzReadPointers(f *testing.F) {
	f.Add("int run (struct db * d, int (*<T1>) (int) g)\n[a.c:1:2] gimple_bind <\n  static int (*t) (int)[2] = {.x=f, &g};\n  [a.c:3:4] gimple_call <_1, D.2, [a.c:1:1] &d->in[n].x, \"a, >\">\n  gimple_assign <addr_expr, MEM[(int *)p].f, g, NULL, NULL>\n  gimple_return <p[3]>\n>\n")
	f.Add("x ()\ngimple_bind <\n  gimple_assign <a, ], ), }, (>\n  gimple_call <*, ]], [[>\n")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := readPointers(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range p.Moves {
			if int(n) >= len(p.Places) {
				t.Fatal("a move of a place that is none")
			}
		}
	})
}
