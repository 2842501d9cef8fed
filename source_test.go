package seam

import (
	"embed"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

// What the packages import from this module comes with them, whatever the processor.
func TestSourceIsWhole(t *testing.T) {
	for _, c := range []struct {
		name     string
		sources  []embed.FS
		packages []string
	}{
		{"Crossing", []embed.FS{Crossing}, []string{"./leaf", "./mem", "./include"}},
		{"Prof and Unwind", []embed.FS{Prof, Unwind}, []string{"./prof"}},
	} {
		for _, arch := range []string{"amd64", "arm64"} {
			list := exec.Command("go", append([]string{"list", "-deps", "-f",
				"{{$p := .}}{{if .Module}}{{range .GoFiles}}{{$p.ImportPath}}/{{.}}\n{{end}}{{range .CgoFiles}}{{$p.ImportPath}}/{{.}}\n{{end}}{{range .CFiles}}{{$p.ImportPath}}/{{.}}\n{{end}}{{range .SFiles}}{{$p.ImportPath}}/{{.}}\n{{end}}{{end}}"}, c.packages...)...)
			list.Env = append(list.Environ(), "GOARCH="+arch, "CGO_ENABLED=1")
			out, err := list.Output()
			if err != nil {
				t.Fatal(err)
			}
			files := strings.Fields(string(out))
			if len(files) == 0 {
				t.Fatal("no files")
			}
			for _, file := range files {
				file = strings.TrimPrefix(file, "github.com/seamgo/seam/")
				if !slices.ContainsFunc(c.sources, func(source embed.FS) bool { _, err := fs.Stat(source, file); return err == nil }) {
					t.Errorf("%s for %s lacks %s", c.name, arch, file)
				}
			}
		}
	}
}

// The Python package is built of all that its folder has.
func TestPythonIsWhole(t *testing.T) {
	err := fs.WalkDir(os.DirFS("."), "python/seam_ring", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			if e != nil && e.Name() == "__pycache__" {
				return fs.SkipDir
			}
			return err
		}
		if _, err := fs.Stat(Python, name); err != nil && slices.Contains([]string{".py", ".c", ".h"}, path.Ext(name)) {
			t.Error(err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
