package callgraph

import (
	"bytes"
	"strings"
	"testing"
)

const smallGraph = `graph: { title: "a.c"
node: { title: "a.c:inner" label: "inner\na.c:1:2\n16 bytes (static)\n0 dynamic objects" }
edge: { sourcename: "a.c:inner" targetname: "*renamed" label: "a.c:3:4" }
node: { title: "outer" label: "outer\na.c:2:2\n48 bytes (dynamic)\n1 dynamic objects\n p a.c:8:25" }
edge: { sourcename: "outer" targetname: "a.c:inner" label: "a.c:5:6" }
edge: { sourcename: "outer" targetname: "a.c:inner" label: "a.c:7:6" }
node: { title: "memset" label: "__builtin_memset\n<built-in>" shape : ellipse }
edge: { sourcename: "outer" targetname: "memset" }
node: { title: "_Zli2_mPKcm" label: "int operator\"\"_m\na.cc:2:2\n8 bytes (static)" }
}
`

func TestParseGraph(t *testing.T) {
	u, err := parseGraph([]byte(smallGraph))
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, f := range u.Funcs {
		got.WriteString(f.Name + " ")
		if f.Dynamic {
			got.WriteString("dynamic ")
		}
		got.WriteString(strings.Join(f.Calls, ",") + "\n")
	}
	want := "a.c:inner renamed\nouter dynamic a.c:inner,memset\n_Zli2_mPKcm \n"
	if got.String() != want {
		t.Errorf("got\n%swant\n%s", got.String(), want)
	}
	if u.Funcs[1].Stack != 48 {
		t.Errorf("outer takes %d bytes, want 48", u.Funcs[1].Stack)
	}
}

func TestParseGraphMistakes(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"not a graph", "hello\n", "line 1: not in a graph"},
		{"cut off", "graph: { title: \"a.c\"\n", "it ends in the middle"},
		{"unknown line", "graph: {\nhello\n}\n", "line 2: unknown text"},
		{"nested", "graph: {\ngraph: {\n", "line 2: a graph in a graph"},
		{"no name", "graph: {\nnode: { label: \"x\" }\n}\n", "line 2: a node without a name"},
		{"empty name", "graph: {\nnode: { title: \"\" }\n}\n", "line 2: a node without a name"},
		{"edge from nowhere", "graph: {\nedge: { sourcename: \"a\" targetname: \"b\" }\n}\n", "line 2: an edge from a function that the graph doesn't have"},
	} {
		if _, err := parseGraph([]byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

func TestReadAssembly(t *testing.T) {
	for _, c := range []struct {
		name, text string
		assembly   string
		aliases    map[string]string
	}{
		{"syscall", "outer:\n#APP\n# 3 \"a.c\" 1\n\tsyscall\n# 0 \"\" 2\n#NO_APP\n\tret\n", "syscall", nil},
		{"nothing inside", "outer:\n#APP\n\n#NO_APP\n\tcall f\n", "", nil},
		{"a loop", "outer:\n#APP\n1:\tpause; jmp 1b\n#NO_APP\n", "", nil},
		{"a jump away", "outer:\n#APP\n\tjmp elsewhere\n#NO_APP\n", "jmp", nil},
		{"with a prefix", "outer:\n#APP\n\tlock; xaddl %eax, (%rdi)\n\tnotrack jmp *%rax\n#NO_APP\n", "jmp", nil},
		{"arm64", "outer:\n// Start of user assembly\n// 5 \"a.c\" 1\n\tsvc #0\n// 0 \"\" 2\n// End of user assembly\n", "svc", nil},
		{"seldom part", "outer.cold:\n#APP\n\thlt\n#NO_APP\n", "hlt", nil},
		{"another function", "unknown:\n#APP\n\thlt\n#NO_APP\n", "", nil},
		{"alias", "\t.set\tother,outer\n", "", map[string]string{"other": "outer"}},
		{"alias of data", "\t.set\tother,table\n", "", nil},
		{"ifunc", "\t.type\tf, @gnu_indirect_function\n\t.set\tf,outer\n", "", map[string]string{"f": indirectCall}},
		{"ifunc, the other way", "\t.set\tf,outer\n\t.type\tf, %gnu_indirect_function\n", "", map[string]string{"f": indirectCall}},
		{"a long line", "\t.ascii \"" + strings.Repeat("x", 300_000) + "\"\nouter:\n#APP\n\tint $3\n#NO_APP\n", "int", nil},
	} {
		f := &function{Name: "outer"}
		u := &unit{Funcs: []*function{f}}
		if err := readAssembly(u, strings.NewReader(c.text)); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if f.Assembly != c.assembly || len(u.Aliases) != len(c.aliases) {
			t.Errorf("%s: found %q and %v, want %q and %v", c.name, f.Assembly, u.Aliases, c.assembly, c.aliases)
		}
		for name, of := range c.aliases {
			if u.Aliases[name] != of {
				t.Errorf("%s: %s is %q, want %q", c.name, name, u.Aliases[name], of)
			}
		}
	}
}

// FuzzGraph reads a graph and an assembly and links them. Nothing may crash or
// take more memory than the input explains.
func FuzzGraph(f *testing.F) {
	f.Add([]byte(smallGraph), []byte("outer:\n#APP\n\tsyscall\n#NO_APP\n\t.set x,inner\n"))
	f.Add([]byte("graph: {\nnode: { title: \"_cgo_0_Cfunc_f\" }\nedge: { sourcename: \"_cgo_0_Cfunc_f\" targetname: \"_cgo_0_Cfunc_f\" }\n}"), []byte(""))
	f.Fuzz(func(t *testing.T, graph, assembly []byte) {
		u, err := parseGraph(graph)
		if err != nil {
			return
		}
		if err := readAssembly(u, bytes.NewReader(assembly)); err != nil {
			t.Fatal(err)
		}
		p := link([]*unit{u, u})
		for name := range p.roots {
			r := p.prove(name)
			if r.Stack < 0 {
				t.Errorf("%s takes %d bytes of stack", name, r.Stack)
			}
			for _, x := range r.Findings {
				if len(x.Path) == 0 || x.Path[0] != name {
					t.Errorf("the way %q does not begin with %s", x.Path, name)
				}
			}
		}
	})
}

func TestExternals(t *testing.T) {
	list, err := readExternals(externalsText)
	if err != nil {
		t.Fatal(err)
	}
	count := map[Class]int{}
	for _, c := range list {
		count[c]++
	}
	for _, c := range []Class{Harmless, Allocates, Locks, Threads, Blocks, CallsBack, NoReturn} {
		if count[c] == 0 {
			t.Errorf("no function of class %s", c)
		}
	}
	for _, c := range []struct {
		name string
		want Class
	}{
		{"memcpy", Harmless}, {"__memcpy_chk", Harmless}, {"__builtin_memcpy", Harmless}, {"__vsnprintf_chk", Harmless},
		{"sinf", Harmless}, {"__isoc99_sscanf", Harmless}, {"__isoc23_strtol", Harmless}, {"__atomic_load_16", Harmless},
		{"__aarch64_ldadd8_acq_rel", Harmless}, {"malloc", Allocates}, {"__strdup", Allocates}, {"_Znwm", Allocates},
		{"pthread_mutex_lock", Locks}, {"pthread_cond_wait", Threads}, {"read", Blocks}, {"__read_chk", Blocks},
		{"open64", Blocks}, {"lseek64", Blocks}, {"__printf_chk", Blocks}, {"qsort", CallsBack}, {"abort", NoReturn},
		{"__stack_chk_fail", NoReturn}, {"longjmp", NoReturn}, {"my_function", Unknown}, {"", Unknown}, {"_chk", Unknown},
	} {
		if got := ClassOf(c.name); got != c.want {
			t.Errorf("%s is %s, want %s", c.name, got, c.want)
		}
	}
}

func TestReadExternalsMistakes(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"harmless\n", "externals.txt:1: want a class and a name"},
		{"# comment\nharmles f\n", `externals.txt:2: "harmles" is no class`},
		{"blocks f # why\nharmless f\n", "externals.txt:2: f stands here twice"},
	} {
		if _, err := readExternals(c.text); err == nil || err.Error() != c.want {
			t.Errorf("%q: error %v, want %s", c.text, err, c.want)
		}
	}
}
