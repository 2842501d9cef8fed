//go:build linux && (amd64 || arm64) && cgo && !race

package weldtest

import (
	"strings"
	"testing"
)

// A welded Go library is one for C as ever: opened at run time or linked, called
// from C's threads.
func TestLibrariesForC(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("long")
	}
	m := load(t, "lib")
	build := map[string]func(args ...string) result{"plain": m.plain, "welded": m.weld}
	cc := func(args ...string) {
		t.Helper()
		m.run(append([]string{"gcc", "-O1", "-Wall", "-x", "c", "host.c.txt", "-x", "none"}, args...)...).ok()
	}
	cc("-o", "dlopen", "-ldl", "-lpthread")
	for how, do := range build {
		do("build", "-buildmode=c-shared", "-o", how+"/libsum.so", ".").ok()
		do("build", "-buildmode=c-archive", "-o", how+"/sum.a", ".").ok()
		cc("-DLINKED", "-o", how+"/linked", "-L"+how, "-lsum", "-Wl,-rpath,"+m.path(how), "-lpthread")
		cc("-DLINKED", "-o", how+"/archive", how+"/sum.a", "-lpthread")
		allocs := map[string]string{"plain": "allocations: 1\n", "welded": "allocations: 0\n"}[how]
		for _, program := range [][]string{{"./dlopen", how + "/libsum.so"}, {how + "/linked"}, {how + "/archive"}} {
			if got := m.run(program...).ok().out; got != "501500 501500\n"+allocs {
				t.Errorf("%s, %q prints %q", how, program, got)
			}
		}
	}
}

// A plugin and its host are welded both, or none: the go command's own rule for
// packages that they share.
func TestPlugin(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("long")
	}
	m := load(t, "lib")
	for _, c := range []struct {
		name  string
		build func(...string) result
		want  string
	}{
		{"plain", m.plain, "42 6\nallocations: 1 1\n"},
		{"welded", m.weld, "42 6\nallocations: 0 0\n"},
	} {
		c.build("build", "-buildmode=plugin", "-o", c.name+".so", "./plug").ok()
		c.build("build", "-o", c.name, "./host").ok()
		if got := m.run("./"+c.name, c.name+".so").ok().out; got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if r := m.run("./plain", "welded.so"); r.code == 0 || !strings.Contains(r.out, "different version of package") {
		t.Errorf("a plain host takes a welded plugin\n%s", r.text())
	}
}
