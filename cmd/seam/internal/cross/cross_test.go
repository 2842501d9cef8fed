package cross

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
)

func target(t *testing.T, name string, static bool, glibc string) Target {
	t.Helper()
	x, err := ParseTarget(name, static, glibc)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func TestParseTarget(t *testing.T) {
	for _, c := range []struct {
		target string
		static bool
		glibc  string
		want   string
	}{
		{"arm64", false, "", "want a system and a machine, such as linux/arm64"},
		{"plan9/amd64", false, "", "seam cross builds for Linux, Windows and FreeBSD (linux/386, linux/amd64,"},
		{"linux/mips", false, "", "no C compiler for it is known to seam cross (want linux/386,"},
		{"windows/arm", false, "", "(want windows/386, windows/amd64, windows/arm64)"},
		{"freebsd/arm64", false, "", "(want freebsd/amd64)"},
		{"darwin/arm64", false, "", "build on a Mac"},
		{"windows/amd64", false, "2.17", "--glibc is for Linux"},
		{"freebsd/amd64", true, "", "--static is for Linux and Windows"},
		{"linux/arm64", true, "2.17", "exclude each other"},
		{"linux/arm64", false, "2", "want a version such as 2.17"},
		{"linux/arm64", false, "2.17; rm", "want a version such as 2.17"},
	} {
		if _, err := ParseTarget(c.target, c.static, c.glibc); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// machineWith is a machine on which there are these commands, and Zig in a package of Python
// if folder isn't "". It is also the version of a zig on PATH if it begins with 0.
func machineWith(folder string, commands ...string) finder {
	return finder{
		host: "linux/amd64",
		look: func(name string) (string, bool) { return name, slices.Contains(commands, name) },
		ask: func(argv ...string) (string, bool) {
			switch {
			case argv[len(argv)-1] == "version" && strings.HasPrefix(folder, "0."):
				return folder, true
			case argv[len(argv)-1] == "version":
				return "0.17.1", true
			case folder != "":
				return folder, true
			}
			return "No module named ziglang", false
		},
	}
}

func TestFind(t *testing.T) {
	const arm64, amd64 = "linux/arm64", "linux/amd64"
	for _, c := range []struct {
		machine finder
		target  Target
		cc, cxx string
		note    bool
	}{
		{machineWith("", "zig", "aarch64-linux-gnu-gcc"), target(t, arm64, false, ""), "zig cc -target aarch64-linux-gnu -fno-sanitize=undefined", "zig c++ -target aarch64-linux-gnu -fno-sanitize=undefined", false},
		{machineWith("", "zig"), target(t, arm64, false, "2.17"), "zig cc -target aarch64-linux-gnu.2.17 -fno-sanitize=undefined", "zig c++ -target aarch64-linux-gnu.2.17 -fno-sanitize=undefined", false},
		{machineWith("", "zig"), target(t, "linux/arm", true, ""), "zig cc -target arm-linux-musleabihf -fno-sanitize=undefined -static", "zig c++ -target arm-linux-musleabihf -fno-sanitize=undefined -static", false},
		{machineWith("/a b/ziglang", "python3", "/a b/ziglang/zig"), target(t, arm64, false, ""), "'/a b/ziglang/zig' cc -target aarch64-linux-gnu -fno-sanitize=undefined", "'/a b/ziglang/zig' c++ -target aarch64-linux-gnu -fno-sanitize=undefined", false},
		{machineWith("", "python3", "aarch64-linux-gnu-gcc", "gcc"), target(t, arm64, false, ""), "aarch64-linux-gnu-gcc", "aarch64-linux-gnu-g++", false},
		{machineWith("", "aarch64-linux-gnu-gcc"), target(t, arm64, false, "2.17"), "aarch64-linux-gnu-gcc", "aarch64-linux-gnu-g++", true},
		{machineWith("", "aarch64-linux-gnu-gcc", "musl-gcc"), target(t, arm64, true, ""), "aarch64-linux-gnu-gcc -static", "aarch64-linux-gnu-g++ -static", true},
		{machineWith("", "gcc", "musl-gcc"), target(t, amd64, true, ""), "musl-gcc -static", "musl-g++ -static", true},
		{machineWith("", "x86_64-linux-musl-gcc", "x86_64-linux-musl-g++", "musl-gcc"), target(t, amd64, true, ""), "x86_64-linux-musl-gcc -static", "x86_64-linux-musl-g++ -static", false},
		{machineWith("", "gcc"), target(t, amd64, false, ""), "gcc", "g++", false},
		{machineWith("", "gcc", "i686-w64-mingw32-gcc"), target(t, "windows/386", true, ""), "i686-w64-mingw32-gcc -static", "i686-w64-mingw32-g++ -static", false},
		{machineWith("", "zig", "x86_64-w64-mingw32-gcc"), target(t, "windows/amd64", false, ""), "zig cc -target x86_64-windows-gnu -fno-sanitize=undefined", "zig c++ -target x86_64-windows-gnu -fno-sanitize=undefined", false},
		{machineWith("", "zig"), target(t, "freebsd/amd64", false, ""), "zig cc -target x86_64-freebsd-none -fno-sanitize=undefined", "zig c++ -target x86_64-freebsd-none -fno-sanitize=undefined", false},
	} {
		got, err := c.machine.find(c.target)
		if err != nil {
			t.Errorf("%+v: %v", c.target, err)
			continue
		}
		if cc := strings.ReplaceAll(got.CC, `"`, "'"); cc != c.cc || strings.ReplaceAll(got.CXX, `"`, "'") != c.cxx || (got.Note != "") != c.note {
			t.Errorf("%+v: %+v, want %s, %s", c.target, *got, c.cc, c.cxx)
		}
	}
	for _, c := range []struct {
		machine finder
		target  Target
	}{
		{machineWith(""), target(t, amd64, false, "")},
		{machineWith("", "gcc", "musl-gcc"), target(t, arm64, true, "")},
		{machineWith("", "python3"), target(t, arm64, false, "")},
		{machineWith("", "gcc", "aarch64-linux-gnu-gcc"), target(t, "windows/arm64", false, "")},
		{machineWith("0.14.1", "zig"), target(t, "freebsd/amd64", false, "")},
	} {
		_, err := c.machine.find(c.target)
		if err == nil || !strings.Contains(err.Error(), "no C compiler for "+c.target.String()) || !strings.Contains(err.Error(), "pip install ziglang") {
			t.Errorf("%+v: %v", c.target, err)
		}
	}
}

func TestGiven(t *testing.T) {
	here := &gotool.Env{GOHOSTOS: "linux", GOHOSTARCH: "amd64", CXX: "g++"}
	for _, c := range []struct {
		target   Target
		cxx      string
		wantCXX  string
		wantNote bool
	}{
		{target(t, "linux/arm64", false, ""), "far-g++", "far-g++", false},
		{target(t, "linux/arm64", false, ""), "", "g++", true},
		{target(t, "linux/amd64", true, ""), "", "g++ -static", false},
	} {
		got := c.target.Given(here, "'/a b/cc' -O1", c.cxx)
		wantCC := "'/a b/cc' -O1"
		if c.target.Static {
			wantCC += " -static"
		}
		if got.CC != wantCC || got.CXX != c.wantCXX || (got.Note != "") != c.wantNote {
			t.Errorf("%+v, CXX=%s: %+v", c.target, c.cxx, *got)
		}
	}
	found := &Compiler{Name: "far-gcc", CC: "far-gcc -static", CXX: "far-g++ -static"}
	target(t, "linux/arm64", true, "").GivenCXX(found, "'/a b/c++'")
	if found.CC != "far-gcc -static" || found.CXX != "'/a b/c++' -static" || found.Note == "" {
		t.Errorf("%+v", *found)
	}
}

func TestParseAndArgs(t *testing.T) {
	for _, c := range []struct{ static, goflags, line, want string }{
		{"", "", "go build ./x", "go build ./x"},
		{"", "", "seam weld -q -- go build ./x", "self weld -q -- go build ./x"},
		{"", "", "/usr/bin/seam weld go build", "self weld -- go build"},
		{"static", "", "go build ./x", "go build -ldflags=-linkmode=external ./x"},
		{"static", "", "go build -ldflags=-s ./x", "go build -ldflags=-s -linkmode=external ./x"},
		{"static", "-ldflags=-w", "go build ./x", "go build -ldflags=-w -linkmode=external ./x"},
		{"static", "", "go build -ldflags=--linkmode=internal ./x", "go build -ldflags=--linkmode=internal -linkmode=external ./x"},
		{"static", "", "seam weld -- go test -c ./x", "self weld -- go test -ldflags=-linkmode=external -c ./x"},
	} {
		b, err := Parse(target(t, "linux/arm64", c.static != "", ""), strings.Fields(c.line))
		if err != nil {
			t.Errorf("%s: %v", c.line, err)
			continue
		}
		args, err := b.Args("self", c.goflags)
		if got := strings.Join(args, " "); err != nil || got != c.want {
			t.Errorf("%s: %s, %v; want %s", c.line, got, err, c.want)
		}
	}
	for line, want := range map[string]string{
		"":                                "no go command",
		"make":                            "not the go command",
		"seam weld -- go test ./...":      "go test -c",
		"seam trace -- go build":          `"seam trace" can't stand in front`,
		"env A=1 go build":                "can't stand in front",
		"go vet":                          `verb "vet"`,
		"go build -buildmode=c-archive":   "makes no program",
		"go install example.com/x@latest": "fetch its source",
		"seam weld --compare -- go run .": "would run what it builds on this machine",
	} {
		if _, err := Parse(target(t, "linux/arm64", false, ""), strings.Fields(line)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", line, err, want)
		}
	}
	if _, err := gotool.SplitQuoted(join([]string{"a b", "-c"})); err != nil {
		t.Error(err)
	}
}

func TestEmulator(t *testing.T) {
	for _, c := range []struct {
		tool, target string
		static       bool
		prefix, root string // QEMU_LD_PREFIX, and the folder that is there
		want, error  string
	}{
		{"qemu-aarch64", "linux/arm64", false, "", "/usr/aarch64-linux-gnu/lib", "qemu-aarch64 -L /usr/aarch64-linux-gnu", ""},
		{"qemu-arm-static", "linux/arm", false, "", "/usr/arm-linux-gnueabihf/lib", "qemu-arm-static -L /usr/arm-linux-gnueabihf", ""},
		{"qemu-ppc64le", "linux/ppc64le", true, "", "", "qemu-ppc64le", ""},
		{"qemu-aarch64", "linux/arm64", false, "/sysroot", "", "qemu-aarch64", ""},
		{"qemu-aarch64", "linux/arm64", false, "", "", "", "use --static, or set QEMU_LD_PREFIX"},
		{"", "linux/arm64", false, "", "", "", "qemu-aarch64 isn't there"},
		{"", "linux/amd64", false, "", "", "", ""},
		{"", "linux/386", false, "", "", "", ""},
		{"wine", "windows/amd64", false, "", "", "wine", ""},
		{"", "windows/amd64", false, "", "", "", "wine isn't there"},
		{"wine", "windows/arm64", false, "", "", "", "run that on the target"},
		{"qemu-x86_64", "freebsd/amd64", false, "", "", "", "run that on the target"},
	} {
		got, err := machineWith("", c.tool).emulator(target(t, c.target, c.static, ""), func(string) string { return c.prefix }, func(folder string) bool { return folder == c.root })
		if strings.Join(got, " ") != c.want || (err == nil) != (c.error == "") || err != nil && !strings.Contains(err.Error(), c.error) {
			t.Errorf("%+v: %q, %v", c, got, err)
		}
	}
}

func TestBinary(t *testing.T) {
	found := versions([]elf.ImportedSymbol{
		{Name: "pow", Version: "GLIBC_2.29", Library: "libm.so.6"},
		{Name: "open", Version: "GLIBC_2.2.5", Library: "libc.so.6"},
		{Name: "stat", Version: "GLIBC_2.33", Library: "libc.so.6"},
		{Name: "fstat", Version: "GLIBC_2.33", Library: "libc.so.6"},
		{Name: "x", Version: "GLIBC_PRIVATE", Library: "libc.so.6"},
		{Name: "own"},
	})
	if len(found) != 2 || found[0].Version != "2.33" || strings.Join(found[0].Symbols, " ") != "fstat stat" || found[1].Version != "2.29" {
		t.Errorf("%+v", found)
	}
	for _, c := range []struct {
		binary Binary
		target Target
		want   string
	}{
		{Binary{GOARCH: "arm64", Static: true}, target(t, "linux/arm64", true, ""), ""},
		{Binary{GOARCH: "amd64", Machine: "EM_X86_64"}, target(t, "linux/arm64", false, ""), "it is for EM_X86_64, not for linux/arm64"},
		{Binary{GOARCH: "arm64", Needs: []string{"libc.so.6"}, Interpreter: "/lib/ld.so"}, target(t, "linux/arm64", true, ""), "it isn't static: it needs libc.so.6, /lib/ld.so"},
		{Binary{GOARCH: "arm64", Versions: found}, target(t, "linux/arm64", false, "2.28"), "it needs glibc 2.33, which is newer than 2.28, for fstat, stat"},
		{Binary{GOARCH: "arm64", Needs: []string{"libc.so.6"}}, target(t, "linux/arm64", true, ""), "it isn't static: it needs libc.so.6"},
		{Binary{GOARCH: "arm64", Versions: found}, target(t, "linux/arm64", false, "2.33"), ""},
		{Binary{GOOS: "freebsd", GOARCH: "arm64"}, target(t, "linux/arm64", false, ""), "it is for freebsd, not for linux/arm64"},
		{Binary{GOARCH: "amd64"}, target(t, "windows/amd64", false, ""), "it is no program of Windows"},
		{Binary{GOOS: "windows", GOARCH: "amd64", Foreign: []string{"libz.dll"}}, target(t, "windows/amd64", true, ""), "it isn't static: it needs libz.dll, which"},
		{Binary{GOOS: "windows", GOARCH: "amd64", Foreign: []string{"libz.dll"}}, target(t, "windows/amd64", false, ""), ""},
	} {
		c.binary.compare(c.target)
		if got := strings.Join(c.binary.Wrong, "; "); !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%+v: %s, want %s", c.binary, got, c.want)
		}
	}
	if !newer("2.17", "2.3.4") || newer("2.17", "2.17") || newer("2.2.5", "2.3") || !newer("2.17.1", "2.17") {
		t.Error("versions are compared as texts")
	}
}

func TestProgramName(t *testing.T) {
	for importPath, want := range map[string]string{"a/b": "b", "a/b/v2": "b", "a/v1": "v1", "v2": "v2", "example.com/tool/v12": "tool"} {
		if got := programName(importPath); got != want {
			t.Errorf("%s: %s, want %s", importPath, got, want)
		}
	}
}

// TestVersionWithoutSymbol: relative relocations in packed form need glibc 2.36 though every symbol
// of the program is older.
func TestVersionWithoutSymbol(t *testing.T) {
	dir := t.TempDir()
	source, program := filepath.Join(dir, "p.c"), filepath.Join(dir, "p")
	if err := os.WriteFile(source, []byte("static int n; int *at[] = {&n, &n, &n, &n}; int main(void) { return *at[0]; }\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("gcc", "-fPIE", "-pie", "-Wl,-z,pack-relative-relocs", "-o", program, source).CombinedOutput()
	if err != nil || strings.Contains(string(out), "pack-relative-relocs") {
		t.Skipf("this linker doesn't pack relocations: %v %s", err, out)
	}
	goarch := runtime.GOARCH
	b, err := target(t, "linux/"+goarch, false, "2.35").Look(program)
	if err != nil {
		t.Fatal(err)
	}
	if want := "it needs glibc 2.36, which is newer than 2.35, for GLIBC_ABI_DT_RELR"; !slices.Contains(b.Wrong, want) {
		t.Errorf("%+v, want %q", b, want)
	}
	if b, err = target(t, "linux/"+goarch, false, "2.36").Look(program); err != nil || len(b.Wrong) > 0 {
		t.Errorf("%+v, %v", b, err)
	}
}
