package limits

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestParseNames(t *testing.T) {
	got, err := ParseNames([]string{"go1.24.13", "1.23.0", "1.24.13", "1.13.15", "1.20", "go1.27rc1"})
	if err != nil || strings.Join(got, " ") != "go1.24.13 go1.23.0 go1.13.15 go1.20 go1.27rc1" {
		t.Errorf("%q, %v", got, err)
	}
	for name, want := range map[string]string{
		"latest":        `"latest" is no version of Go; write go1.24.13`,
		"":              `"" is no version of Go`,
		"1.24":          "go1.24 is a language version, not a toolchain; write go1.24.0",
		"1.24.13/../..": "is no version of Go",
	} {
		if _, err := ParseNames([]string{name}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", name, err, want)
		}
	}
}

// Toolchains are found where they are put; those that are for other machines, broken or
// of no known version are there with the reason.
func TestToolchains(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the toolchains of this test are scripts for a shell")
	}
	o := here(t)
	alone(t, o)
	home, cache := os.Getenv("HOME"), t.TempDir()
	t.Setenv("GOMODCACHE", cache)
	put := func(root, script string) string {
		for _, dir := range []string{"bin", "src/runtime"} {
			if err := os.MkdirAll(filepath.Join(root, dir), 0o777); err != nil {
				t.Fatal(err)
			}
		}
		if script != "" {
			if err := os.WriteFile(filepath.Join(root, "bin", "go"), []byte("#!/bin/sh\n"+script), 0o777); err != nil {
				t.Fatal(err)
			}
		}
		return root
	}
	here := runtime.GOOS + "-" + runtime.GOARCH
	good := put(filepath.Join(home, "sdk", "go1.2.3"), "echo go version go1.2.3 x/y")
	put(filepath.Join(home, "sdk", "gotip"), "echo go version devel go1.99-1234567890 Mon x/y")
	put(filepath.Join(home, "sdk", "go1.2.4"), "")
	put(filepath.Join(home, "sdk", "go1.2.5"), "echo I am ill >&2; exit 1")
	put(filepath.Join(home, "sdk", "go1.2.6"), "echo what")
	put(filepath.Join(cache, "golang.org", "toolchain@v0.0.1-go1.2.7.plan9-sparc64"), "echo never")
	put(filepath.Join(cache, "golang.org", "toolchain@v0.0.1-go1.2.8."+here), "echo go version go1.2.8 x/y")
	if err := os.MkdirAll(filepath.Join(home, "sdk", "gopher"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(good, filepath.Join(home, "sdk", "go1.2")); err != nil {
		t.Fatal(err)
	}
	used := toolchain{version: "go1.3", root: t.TempDir(), inUse: true, goos: "x", goarch: "y", host: here}
	list, err := toolchains(t.Context(), o, used)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"go1.3": "", "go1.2.3": "", "go1.2.8": "", "go1.99-1234567890": "",
		"go1.2.4": "it does not run: ",
		"go1.2.5": "it does not run: go version: I am ill",
		"go1.2.6": `its version is not understood: "what"`,
		"go1.2.7": "it is for plan9/sparc64",
	}
	found := map[string]int{}
	last := ""
	for _, tc := range list {
		if strings.HasPrefix(tc.root, "/usr/local/") {
			continue // of this machine
		}
		why, ok := want[tc.version]
		if !ok || (tc.missing == "") != (why == "") || !strings.HasPrefix(tc.missing, why) {
			t.Errorf("%s in %s: %q, want %q", tc.version, tc.root, tc.missing, why)
		}
		if tc.goos != "x" || tc.goarch != "y" {
			t.Errorf("%s builds for %s/%s", tc.version, tc.goos, tc.goarch)
		}
		if found[tc.version]++; found[tc.version] > 1 {
			t.Errorf("%s appears twice", tc.version)
		}
		if last != "" && compareVersions(last, tc.version) > 0 {
			t.Errorf("%s comes after %s", tc.version, last)
		}
		last = tc.version
	}
	if len(found) != len(want) {
		t.Errorf("found %v", found)
	}
	o.Only = true
	if list, err := toolchains(t.Context(), o, used); err != nil || len(list) != 1 {
		t.Errorf("with --only: %+v, %v", list, err)
	}
}

// A toolchain that was named and can't be had is no reason to measure none.
func TestNamedToolchainMissing(t *testing.T) {
	o := here(t)
	alone(t, o)
	t.Setenv("GOPROXY", "off")
	o.Only, o.Named = true, []string{"go1.24.99"}
	list, err := toolchains(t.Context(), o, toolchain{version: "go1.26.8", inUse: true})
	if err != nil || len(list) != 2 || !list[0].named || !strings.HasPrefix(list[0].missing, "go env: ") {
		t.Fatalf("%+v, %v", list, err)
	}
	r := &Report{Toolchains: []Measured{{Version: "go1.24.99", Named: true, Missing: "gone"}, {Version: "go1.2", Missing: "old"}, {Version: "go1.26.8", InUse: true}}}
	if got := strings.Join(r.Failed(), "; "); got != "go1.24.99: gone" {
		t.Errorf("failed: %q", got)
	}
}
