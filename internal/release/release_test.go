// Package release tests that what the documents tell users to install can be had of the
// modules as a release would tag them: so the first tag can't be the first try.
package release

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

const (
	library = "github.com/seamgo/seam"
	version = "v0.1.0"
)

// modules are the folders that get tags: vX, cmd/seam/vX, dl/vX and thrift/vX.
var modules = []string{".", "cmd/seam", "dl", "thrift"}

func TestInstall(t *testing.T) {
	testenv.OtherProgram(t)
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	tracked, err := exec.Command("git", "-C", root, "ls-files", "-z").Output()
	if err != nil {
		testenv.Missing(t, err) // not a clone
	}
	files := strings.Split(strings.TrimSuffix(string(tracked), "\x00"), "\x00")
	proxy := t.TempDir()
	for _, m := range modules {
		publish(t, proxy, root, m, files)
	}
	settings := strings.Fields(goTool(t, root, nil, "env", "GOMODCACHE", "GOPROXY"))
	if len(settings) != 2 {
		t.Fatalf("go env GOMODCACHE GOPROXY: %q", settings)
	}
	known, others := settings[0], settings[1]
	env := []string{
		"GOPROXY=file://" + proxy + ",file://" + filepath.Join(known, "cache", "download") + "," + others,
		"GOMODCACHE=" + t.TempDir(), "GOFLAGS=-mod=mod -modcacherw", "GOWORK=off", "GOTOOLCHAIN=local", "GOSUMDB=off",
	}

	wanted := told(t, root)
	if len(wanted) < 3 {
		t.Fatalf("the documents name only %q", wanted)
	}
	user := t.TempDir()
	goTool(t, user, env, "mod", "init", "example.com/user")
	for _, pkg := range wanted {
		goTool(t, user, env, "get", pkg+"@latest")
		if pkg == library {
			pkg += "/..."
		}
		list := goTool(t, user, env, "list", "-deps", "-f", "{{with .Module}}{{.Path}}@{{.Version}}{{end}}", pkg)
		for _, m := range strings.Fields(list) {
			if at, ours := strings.CutPrefix(m, library); ours && !strings.HasSuffix(at, "@"+version) {
				t.Errorf("%s brings %s", pkg, m)
			}
		}
	}
}

// told are the packages that the documents tell users to install or to get.
func told(t *testing.T, root string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, name := range append(names, filepath.Join(root, "README.md")) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range line.FindAllSubmatch(text, -1) {
			if pkg := strings.TrimRight(string(m[1]), "."); !slices.Contains(found, pkg) {
				found = append(found, pkg)
			}
		}
	}
	return found
}

var line = regexp.MustCompile(`go (?:install|get) (github\.com/seamgo/seam[a-z/.-]*)`)

// publish puts a module into a folder as the go command asks a proxy for it.
func publish(t *testing.T, proxy, root, module string, files []string) {
	t.Helper()
	name := path.Join(library, module)
	dir := filepath.Join(proxy, filepath.FromSlash(name), "@v")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(root, module, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	if module != "." { // as a release writes it, which the tree can't before there is one
		mod = append(mod, fmt.Sprintf("\nrequire %s %s\n", library, version)...)
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	add := func(file string, content []byte) {
		w, err := z.Create(name + "@" + version + "/" + file)
		if err == nil {
			_, err = w.Write(content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	add("go.mod", mod)
	for _, file := range files {
		own, inside := file, true
		if module != "." {
			own, inside = strings.CutPrefix(file, module+"/")
		}
		if !inside || own == "go.mod" || nested(root, module, own) {
			continue
		}
		at := filepath.Join(root, filepath.FromSlash(file))
		if info, err := os.Lstat(at); err != nil || !info.Mode().IsRegular() {
			continue
		}
		content, err := os.ReadFile(at)
		if err != nil {
			t.Fatal(err)
		}
		add(own, content)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for file, content := range map[string][]byte{
		"list": []byte(version + "\n"), version + ".mod": mod, version + ".zip": b.Bytes(),
		version + ".info": []byte(`{"Version":"` + version + `","Time":"2026-01-01T00:00:00Z"}`),
	} {
		if err := os.WriteFile(filepath.Join(dir, file), content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// nested reports whether a file is part of a module further down.
func nested(root, module, file string) bool {
	for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
		if _, err := os.Stat(filepath.Join(root, module, filepath.FromSlash(dir), "go.mod")); err == nil {
			return true
		}
	}
	return false
}

func goTool(t *testing.T, dir string, env []string, words ...string) string {
	t.Helper()
	cmd := exec.Command("go", words...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var errs bytes.Buffer
	cmd.Stderr = io.MultiWriter(&errs)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(words, " "), err, errs.String())
	}
	return string(out)
}
