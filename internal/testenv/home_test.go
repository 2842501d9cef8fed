package testenv

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// A go command leaves nothing in the home directory, neither at once nor later.
func TestHome(t *testing.T) {
	goTool := Tool(t, "go")
	home := Home(t)
	if out, err := exec.Command(goTool, "version").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var files []string
	err := filepath.WalkDir(home, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			files = append(files, filepath.Base(path))
		}
		return err
	})
	if err != nil || !slices.Equal(files, []string{"mode"}) {
		t.Errorf("%q, %v", files, err)
	}
	if os.Getenv("HOME") != home {
		t.Error("HOME is another folder")
	}
}
