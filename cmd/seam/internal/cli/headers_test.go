package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/internal/testenv"
)

func TestHeaders(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	c := seam(t, "headers", dir)
	if c.code != exitOK {
		t.Fatalf("exit code %d: %s", c.code, c.errout)
	}
	for _, name := range []string{"coro.h", "coro_switch.h", "token.h", "lock.h", "offload.h", "ring.h", "listen.h", "publish.h"} {
		path := filepath.Join(dir, "seam", name)
		if text, err := os.ReadFile(path); err != nil || !strings.Contains(string(text), "/* seam/"+name+": ") {
			t.Errorf("%s: %v, begins %.40q", path, err, text)
		}
		if !strings.Contains(c.out, path+"\n") {
			t.Errorf("the output does not name %s:\n%s", path, c.out)
		}
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if c := seam(t, "headers", file); c.code != exitFailed || !strings.Contains(c.errout, "headers: ") {
		t.Errorf("a file in place of the folder: exit code %d, %s", c.code, c.errout)
	}
}

// usesHeaders is a program of every header that C and C++ include by themselves.
const usesHeaders = `#include <seam/publish.h>
#include <seam/coro.h>
#include <seam/offload.h>
#include <seam/mem.h>
int main(void) {
	seam_ring_subscriber s;
	return seam_ring_subscribe(&s, "/nowhere/at/all", 0, 0) == SEAM_RING_EAGAIN ? 0 : 1;
}
`

// What --install writes is what pkg-config and CMake need, also after the prefix was moved.
func TestHeadersInstalled(t *testing.T) {
	testenv.OtherProgram(t)
	cmake, pkgConfig, cc := testenv.Tool(t, "cmake"), testenv.Tool(t, "pkg-config"), testenv.Tool(t, "cc")
	dir := t.TempDir()
	if c := seam(t, "headers", "--install", filepath.Join(dir, "first")); c.code != exitOK {
		t.Fatalf("exit code %d: %s", c.code, c.errout)
	}
	prefix := filepath.Join(dir, "a prefix")
	if err := os.Rename(filepath.Join(dir, "first"), prefix); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"c.c": usesHeaders, "cxx.cc": usesHeaders, "CMakeLists.txt": `cmake_minimum_required(VERSION 3.10)
project(p C CXX)
find_package(seam CONFIG REQUIRED)
find_package(seam 0.0.0 CONFIG REQUIRED)
add_executable(c c.c)
add_executable(cxx cxx.cc)
target_link_libraries(c PRIVATE seam::headers)
target_link_libraries(cxx PRIVATE seam::headers)
`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	run := func(argv ...string) string {
		t.Helper()
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PKG_CONFIG_PATH="+filepath.Join(prefix, "lib", "pkgconfig"), "CMAKE_PREFIX_PATH="+prefix)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", strings.Join(argv, " "), err, out)
		}
		return string(out)
	}
	flags, err := gotool.SplitQuoted(strings.ReplaceAll(strings.TrimSpace(run(pkgConfig, "--cflags", "--libs", "seam")), `\ `, "\x00"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range flags {
		flags[i] = strings.ReplaceAll(flags[i], "\x00", " ")
	}
	run(append([]string{cc, "-Wall", "-Werror", "-o", "by-pkg-config", "c.c"}, flags...)...)
	run(filepath.Join(dir, "by-pkg-config"))
	run(cmake, "-S", ".", "-B", "build")
	run(cmake, "--build", "build")
	run(filepath.Join(dir, "build", "c"))
	run(filepath.Join(dir, "build", "cxx"))
}

func TestInstalledVersion(t *testing.T) {
	for version, want := range map[string]string{"v1.2.3": "1.2.3", "v1.2.3-0.2026": "1.2.3", "(devel) abc": "0.0.0", "unknown": "0.0.0"} {
		if text := installed(version)["lib/pkgconfig/seam.pc"]; !strings.Contains(text, "\nVersion: "+want+"\n") {
			t.Errorf("%s: %s", version, text)
		}
	}
}
