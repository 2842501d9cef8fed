//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// Every package is tested natively. A package whose tests prove something new in another
// way says so in one of its test files, above the package clause:
//
//	//seam:test race nocgo
//
// needs are the words for that.
var needs = map[string]string{
	"native":     "only natively, for all its goroutines",
	"race":       "with the race detector",
	"nocgo":      "without cgo, where it has other code or other results",
	"toolchains": "by the other versions of Go: it depends on the runtime, on cgo's output or on inlining",
	"metal":      "by the other versions of Go with the race detector: it touches g, stacks, signals or foreign memory",
	"arm64":      "under an emulator",
	"arm":        "under an emulator, with 32 bits",
	"386":        "with 32 bits, without cgo",
	"asan":       "with AddressSanitizer",
	"pointers":   "with cgocheck2, checkptr and as PIE",
}

// marker begins the line.
const marker = "//seam:test "

// declared lists the folders whose tests declare the need, each as ./folder.
func declared(need string) ([]string, error) {
	if needs[need] == "" {
		return nil, fmt.Errorf("there is no need %q", need)
	}
	all, err := declarations(os.DirFS("."))
	var list []string
	for dir, words := range all {
		if slices.Contains(words, need) {
			list = append(list, "./"+dir)
		}
	}
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("no package declares that its tests need %q", need)
	}
	slices.Sort(list)
	return list, err
}

// declarations reads what all packages declare, by folder.
func declarations(tree fs.FS) (map[string][]string, error) {
	all := map[string][]string{}
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (d.Name() == "testdata" || d.Name() == "bin" || strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case !strings.HasSuffix(name, "_test.go"):
			return nil
		}
		words, err := declaration(tree, name)
		if err != nil || words == nil {
			return err
		}
		dir := path.Dir(name)
		if all[dir] != nil {
			return fmt.Errorf("%s: another file of the package has a line %s already", name, marker)
		}
		all[dir] = words
		return nil
	})
	return all, err
}

// declaration reads what a test file declares: nil if nothing.
func declaration(tree fs.FS, name string) ([]string, error) {
	text, err := fs.ReadFile(tree, name)
	if err != nil {
		return nil, err
	}
	begun := false
	for line := range bytes.Lines(text) {
		begun = begun || bytes.HasPrefix(line, []byte("package "))
		if rest, ok := strings.CutPrefix(string(line), marker); ok {
			if begun {
				return nil, fmt.Errorf("%s: %s stands below the package clause, where nothing reads it", name, marker)
			}
			words := strings.Fields(rest)
			for _, w := range words {
				if needs[w] == "" {
					return nil, fmt.Errorf("%s: %s%s: there is no such need", name, marker, w)
				}
			}
			return words, nil
		}
	}
	return nil, nil
}

// testFolders lists the folders with tests that a pattern of the go command stands for,
// as ./folder/... or ./folder. Those that the build's tags leave out are among them.
func testFolders(pattern string) ([]string, error) {
	root, below := strings.CutSuffix(pattern, "/...")
	var list []string
	err := fs.WalkDir(os.DirFS("."), path.Clean(root), func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case !d.IsDir():
			if strings.HasSuffix(name, "_test.go") && !slices.Contains(list, path.Dir(name)) {
				list = append(list, path.Dir(name))
			}
			return nil
		case name == path.Clean(root):
			return nil
		case !below, d.Name() == "testdata", strings.HasPrefix(d.Name(), "."), strings.HasPrefix(d.Name(), "_"):
			return fs.SkipDir
		}
		if _, err := os.Stat(path.Join(name, "go.mod")); err == nil { // another module's
			return fs.SkipDir
		}
		return nil
	})
	return list, err
}
