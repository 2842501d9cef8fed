package symbols

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

const source = `
namespace a { struct B { int f(int n); }; }
static volatile int sink;
static inline __attribute__((always_inline)) void inlined(int n) {
	sink = n; // line 5
}
__attribute__((noinline)) int a::B::f(int n) {
	inlined(n * 3); // line 8
	return sink;
}
extern "C" int plain(int n) { return a::B().f(n) + 1; }
template <class F> static inline __attribute__((always_inline)) void apply(F f) { f(); }
extern "C" void lambda(int n) { apply([n] { sink = n; }); }
`

func library(t *testing.T, flags ...string) string {
	t.Helper()
	testenv.Tool(t, "g++")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "s.cc"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("g++", append([]string{"-shared", "-fPIC", "-O2", "-o", "s.so", "s.cc"}, flags...)...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return filepath.Join(dir, "s.so")
}

// addresses are those of all instructions of a function, nearly.
func addresses(t *testing.T, name, symbol string) (list []uint64) {
	t.Helper()
	f, err := elf.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	symbols, err := f.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range symbols {
		if s.Name == symbol {
			for at := s.Value; at < s.Value+s.Size; at++ {
				list = append(list, at)
			}
		}
	}
	if len(list) == 0 {
		t.Fatalf("no %s", symbol)
	}
	return list
}

// Lines and inlined functions are found in every version of DWARF.
func TestFrames(t *testing.T) {
	t.Parallel()
	for _, flags := range [][]string{{"-g", "-gdwarf-5"}, {"-g", "-gdwarf-4"}, {"-g", "-gz"}} {
		name := library(t, flags...)
		m, err := Open(name)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(filepath.Dir(name), "s.cc")
		want := []Frame{{"inlined", file, 5}, {"a::B::f", file, 8}}
		found := false
		for _, at := range addresses(t, name, "_ZN1a1B1fEi") {
			frames := m.Frames(at)
			if len(frames) == 0 || frames[len(frames)-1].Func != "a::B::f" {
				t.Fatalf("%v: %+v", flags, frames)
			}
			found = found || slices.Equal(frames, want)
		}
		if !found {
			t.Errorf("%v: no address of f is %+v", flags, want)
		}
	}
}

// What -gsplit-dwarf leaves in the file are lines.
func TestSplit(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"-gdwarf-5", "-gdwarf-4"} {
		name := library(t, "-g", version, "-gsplit-dwarf")
		m, err := Open(name)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(filepath.Dir(name), "s.cc")
		for _, at := range addresses(t, name, "_ZN1a1B1fEi") {
			if got := m.Frames(at); len(got) != 1 || got[0].Func != "a::B::f" || got[0].File != file || got[0].Line == 0 {
				t.Errorf("%s: %#x: %+v", version, at, got)
			}
		}
	}
}

// What strip has split off is found by its name, also where the library has another name now, and
// is the one that belongs to it.
func TestDebugLink(t *testing.T) {
	t.Parallel()
	testenv.Tool(t, "objcopy")
	name := library(t, "-g")
	at := addresses(t, name, "_ZN1a1B1fEi")[0]
	dir := filepath.Dir(name)
	split := filepath.Join(dir, "split.debug")
	for _, args := range [][]string{{"--only-keep-debug", name, split}, {"--strip-all", "--add-gnu-debuglink=" + split, name}} {
		if out, err := exec.Command("objcopy", args...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	other := filepath.Join(t.TempDir(), "other")
	if err := os.Link(name, other); err != nil {
		t.Fatal(err)
	}
	check := func(what string, lines bool) {
		t.Helper()
		m, err := OpenAs(other, name)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Frames(at); len(got) == 0 || (got[len(got)-1].Line != 0) != lines {
			t.Errorf("%s: %+v", what, got)
		}
	}
	check("beside", true)
	if err := os.Mkdir(filepath.Join(dir, ".debug"), 0o700); err != nil {
		t.Fatal(err)
	}
	hidden := filepath.Join(dir, ".debug", "split.debug")
	if err := os.Rename(split, hidden); err != nil {
		t.Fatal(err)
	}
	check("in .debug", true)
	text, err := os.ReadFile(hidden)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(hidden, append(text, 0), 0o600); err != nil {
		t.Fatal(err)
	}
	check("of another build", false)
}

// What debuginfod has fetched is found by the build ID.
func TestDebuginfod(t *testing.T) {
	testenv.Tool(t, "objcopy")
	name := library(t, "-g", "-Wl,--build-id")
	at := addresses(t, name, "_ZN1a1B1fEi")[0]
	cache := t.TempDir()
	t.Setenv("DEBUGINFOD_CACHE_PATH", cache)
	before, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	split := filepath.Join(cache, before.BuildID, "debuginfo")
	if err := os.Mkdir(filepath.Dir(split), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"--only-keep-debug", name, split}, {"--strip-all", name}} {
		if out, err := exec.Command("objcopy", args...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	for _, c := range []struct {
		cache string
		lines bool
	}{{cache, true}, {t.TempDir(), false}} {
		t.Setenv("DEBUGINFOD_CACHE_PATH", c.cache)
		m, err := Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Frames(at); len(got) == 0 || (got[len(got)-1].Line != 0) != c.lines {
			t.Errorf("%s: %+v", c.cache, got)
		}
	}
}

// Without DWARF there are names; in a stripped library those that it exports.
func TestSymbolsAlone(t *testing.T) {
	t.Parallel()
	name := library(t, "-s")
	m, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	at := addresses(t, name, "plain")
	for address, want := range map[uint64][]Frame{at[0]: {{Func: "plain"}}, at[len(at)-1]: {{Func: "plain"}}, 1: nil} {
		if got := m.Frames(address); !slices.Equal(got, want) {
			t.Errorf("%#x: %+v, want %+v", address, got, want)
		}
	}
}

// A file that breaks off, or whose bytes are others, names less and harms nothing.
func TestHostileFiles(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(library(t, "-g"))
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "x")
	for i := range 200 {
		broken := slices.Clone(text)
		if i%2 == 0 {
			broken = broken[:len(broken)*i/200]
		} else {
			for at := i; at < len(broken); at += 97 + i {
				broken[at] ^= byte(1 + i)
			}
		}
		if err := os.WriteFile(name, broken, 0o600); err != nil {
			t.Fatal(err)
		}
		m, err := Open(name)
		if err != nil {
			continue
		}
		for at := uint64(0x1000); at < 0x1400; at += 16 {
			m.Frames(at)
		}
	}
}

// A template of a lambda has no name for the linker.
func TestTemplates(t *testing.T) {
	t.Parallel()
	name := library(t, "-g")
	m, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, at := range addresses(t, name, "lambda") {
		for _, f := range m.Frames(at) {
			found = found || f.Func == "apply"
		}
	}
	if !found {
		t.Error("no apply in lambda")
	}
}

func TestDemangle(t *testing.T) {
	for name, want := range map[string]string{
		"memcpy": "memcpy", "_ZN1a1B1fEi": "a::B::f", "_ZSt4sortIPiEvT_S1_": "std::sort", "_Znot": "_Znot",
		"_RNvC6_123foo3bar": "123foo::bar", "memcpy@plt": "memcpy@plt", "_ZN1a1B1fEi@plt": "a::B::f@plt",
		// rustc 1.95, by its two schemes: a generic function, a method of a trait, one for a generic type.
		"_RINvNtCseYcK7jax6Gi_5rusty6shapes4eachNCNvB4_10rust_areas0EB4_":                                    "rusty::shapes::each",
		"_RNvXNtCseYcK7jax6Gi_5rusty6shapesNtB2_6CircleNtB2_4Area4area":                                      "<rusty::shapes::Circle as rusty::shapes::Area>::area",
		"_RNvXs_NtCseYcK7jax6Gi_5rusty6shapesINtB4_4PairNtB4_6CircleENtB4_4Area4areaB6_":                     "<rusty::shapes::Pair as rusty::shapes::Area>::area",
		"_ZN5rusty6shapes4each17h2dfd6eb9cc71aad3E":                                                          "rusty::shapes::each",
		"_ZN61_$LT$rusty..shapes..Circle$u20$as$u20$rusty..shapes..Area$GT$4area17hc95634a7d50302fcE":        "<rusty::shapes::Circle as rusty::shapes::Area>::area",
		"_ZN68_$LT$rusty..shapes..Pair$LT$T$GT$$u20$as$u20$rusty..shapes..Area$GT$4area17h1cb0398c945d471eE": "<rusty::shapes::Pair<T> as rusty::shapes::Area>::area",
	} {
		if got := Demangle(name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}
