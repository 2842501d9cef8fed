package cli

import (
	_ "embed"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

// crossed makes a module whose program calls C and C++, with a folder for what is built.
func crossed(t *testing.T) {
	t.Helper()
	testenv.Builds(t)
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("builds on amd64 for arm64")
	}
	testenv.Foreign(t, "aarch64-linux-gnu-g++", "qemu-aarch64")
	t.Chdir(t.TempDir())
	for _, variable := range []string{"CC", "CXX", "GOFLAGS", "GOOS", "GOARCH"} {
		t.Setenv(variable, "")
	}
	writeFile(t, "go.mod", "module example.com/far\n\ngo 1.25\n")
	writeFile(t, "add.cpp", "#include <vector>\n#include <stdexcept>\nextern \"C\" int add(int a, int b) {\n\tstd::vector<int> v{a, b};\n"+
		"\ttry { return v.at(2); } catch (const std::out_of_range &) { return v[0] + v[1]; }\n}\n")
	writeFile(t, "main.go", "package main\n\n// int add(int a, int b);\nimport \"C\"\n\nimport \"runtime\"\n\nfunc main() { println(runtime.GOARCH, C.add(40, 2)) }\n")
}

// emulated runs a program for arm64.
func emulated(t *testing.T, program string) string {
	t.Helper()
	out, err := exec.Command("qemu-aarch64", "-L", "/usr/aarch64-linux-gnu", program).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", program, err, out)
	}
	return strings.TrimSpace(string(out))
}

func TestCross(t *testing.T) {
	crossed(t)
	t.Run("dynamic", func(t *testing.T) {
		c := seam(t, "cross", "--target", "linux/arm64", "--json", "far.json", "--", "go", "build", ".")
		c.must(t, exitOK, "", "far: arm64, needs ")
		if got := emulated(t, "./far"); got != "arm64 42" {
			t.Errorf("it says %q", got)
		}
		text, err := os.ReadFile("far.json")
		if err != nil {
			t.Fatal(err)
		}
		var r struct {
			Schema   string
			Binaries []struct {
				GOARCH   string
				Static   bool
				Needs    []string
				Versions []struct{ Library, Version string }
			}
		}
		if err := json.Unmarshal(text, &r); err != nil {
			t.Fatal(err)
		}
		if r.Schema != "seam.cross/1" || len(r.Binaries) != 1 || r.Binaries[0].GOARCH != "arm64" || r.Binaries[0].Static ||
			!slices.Contains(r.Binaries[0].Needs, "libc.so.6") || len(r.Binaries[0].Versions) == 0 {
			t.Errorf("%s", text)
		}
	})
	t.Run("static", func(t *testing.T) {
		c := seam(t, "cross", "--target", "linux/arm64", "--static", "--", "go", "build", "-o", "out/", ".")
		c.must(t, exitOK, "", filepath.Join("out", "far")+": arm64, static: needs no shared library")
		if got := emulated(t, "out/far"); got != "arm64 42" {
			t.Errorf("it says %q", got)
		}
	})
	t.Run("welded", func(t *testing.T) {
		writeFile(t, "seam.plan", "leaf example.com/far.add\n")
		c := seam(t, "cross", "--target", "linux/arm64", "--", "seam", "weld", "--", "go", "build", "-o", "welded")
		c.must(t, exitOK, "", "welded: arm64, needs ")
		if got := emulated(t, "./welded"); got != "arm64 42" {
			t.Errorf("it says %q", got)
		}
	})
	t.Run("run", func(t *testing.T) {
		c := seam(t, "cross", "--target", "linux/arm64", "--", "go", "run", ".")
		c.must(t, exitOK, "", "arm64 42")
		c.must(t, exitOK, "", "run by qemu-aarch64 -L /usr/aarch64-linux-gnu")
		writeFile(t, "main_test.go", "package main\n\nimport \"testing\"\n\nfunc TestMain(*testing.M) { main() }\n")
		c = seam(t, "cross", "--target", "linux/arm64", "--static", "--", "go", "test", "-v", "-vet=off", ".")
		c.must(t, exitOK, "", "run by qemu-aarch64;")
		if !strings.Contains(c.out+c.errout, "arm64 42") {
			t.Errorf("the test hasn't run: %s%s", c.out, c.errout)
		}
	})
	t.Run("another compiler than the target's", func(t *testing.T) {
		testenv.Tool(t, "gcc")
		t.Setenv("CC", "gcc")
		t.Setenv("CXX", "g++")
		if c := seam(t, "cross", "--target", "linux/arm64", "--", "go", "build", "."); c.code == exitOK {
			t.Errorf("gcc for amd64 builds for arm64:\n%s%s", c.out, c.errout)
		}
	})
	t.Run("nothing to check", func(t *testing.T) {
		if err := os.Mkdir("two", 0o777); err != nil {
			t.Fatal(err)
		}
		writeFile(t, "two/two.go", "package main\n\nfunc main() {}\n")
		seam(t, "cross", "--target", "linux/arm64", "--", "go", "build", "./two", ".").must(t, exitFailed, "", "use -o DIR/")
	})
}

// For Windows the same commands; make soak runs what they build, by wine.
func TestCrossWindows(t *testing.T) {
	crossed(t)
	testenv.Tool(t, "x86_64-w64-mingw32-gcc")
	t.Setenv("PATH", withoutZig(t))
	if err := os.Remove("add.cpp"); err != nil { // mingw's C++ is a package of its own
		t.Fatal(err)
	}
	writeFile(t, "add.c", "int add(int a, int b) { return a + b; }\n")
	seam(t, "cross", "--target", "windows/amd64", "--static", "--", "go", "build", ".").must(t, exitOK, "", "far.exe: amd64, needs only what is a part of Windows: KERNEL32.dll")
	if os.Getenv("SEAM_SOAK") == "" {
		return
	}
	testenv.Tool(t, "wine")
	t.Setenv("WINEDEBUG", "-all")
	seam(t, "cross", "--target", "windows/amd64", "--", "go", "run", ".").must(t, exitOK, "", "amd64 42")
}

// withoutZig is PATH with the compilers of this test alone.
func withoutZig(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"go", "x86_64-w64-mingw32-gcc", "wine"} {
		if path, err := exec.LookPath(name); err == nil {
			if err := os.Symlink(path, filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

// What GOARM says holds for C too, or it is said that it doesn't: Debian's libraries for
// hard-float ARM are for ARMv7.
func TestCrossARM(t *testing.T) {
	crossed(t)
	testenv.Tool(t, "arm-linux-gnueabihf-g++")
	for goarm, want := range map[string]struct {
		code int
		says string
	}{"7": {exitOK, "far: arm (ARMv7), needs "}, "6": {exitFinding, "it has code for ARMv7, and GOARM=6 is for ARMv6"}} {
		t.Setenv("GOARM", goarm)
		c := seam(t, "cross", "--target", "linux/arm", "--", "go", "build", ".")
		if text := strings.Join(strings.Fields(c.errout), " "); c.code != want.code || !strings.Contains(text, want.says) {
			t.Errorf("GOARM=%s: code %d, want %d and %q\n%s", goarm, c.code, want.code, want.says, c.errout)
		}
	}
}

func TestCrossMistakes(t *testing.T) {
	t.Setenv("GOARM", "9")
	for want, args := range map[string][]string{
		"want a system and a machine":              {"--target", "arm64", "--", "go", "build"},
		"would run what it builds on this machine": {"--target", "linux/arm64", "--", "seam", "weld", "--", "go", "run", "."},
		"exclude each other":                       {"--target", "linux/arm64", "--static", "--glibc", "2.17", "--", "go", "build"},
		"GOARM=9: seam cross knows 5, 6, 7":        {"--target", "linux/arm", "--", "go", "build"},
	} {
		seam(t, append([]string{"cross"}, args...)...).must(t, exitUsage, "", want)
	}
}

//go:embed testdata/crosspackages.go.txt
var packages string

// Packages that many programs use, as their authors release them: C in Go's module cache, by
// the compiler that is there.
func TestCrossPackages(t *testing.T) {
	testenv.Soak(t)
	crossed(t)
	t.Setenv("GOFLAGS", "-mod=mod")
	for _, name := range []string{"add.cpp", "main.go"} {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	writeFile(t, "main.go", packages)
	get := strings.Fields("get github.com/mattn/go-sqlite3@v1.14.32 github.com/uber/h3-go/v4@v4.1.0 github.com/DataDog/zstd@v1.5.7 github.com/yanyiwu/gojieba@v1.4.5")
	if out, err := exec.Command("go", get...).CombinedOutput(); err != nil {
		t.Fatalf("go get: %v\n%s", err, out)
	}
	for _, flags := range [][]string{nil, {"--static"}} {
		args := append(append([]string{"cross", "--target", "linux/arm64"}, flags...), "--", "go", "build", ".")
		seam(t, args...).must(t, exitOK, "", "far: arm64")
		if got := emulated(t, "./far"); got != "sqlite 5050\nzstd 10000\nh3 89283090b37ffff\njieba [我 来到 北京 清华大学]" {
			t.Errorf("%v: it says\n%s", flags, got)
		}
	}
}
