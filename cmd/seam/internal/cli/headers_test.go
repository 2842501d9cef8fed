package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestHeaders(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	c := seam(t, "headers", dir)
	if c.code != exitOK {
		t.Fatalf("exit code %d: %s", c.code, c.errout)
	}
	for _, name := range []string{"coro.h", "coro_switch.h", "token.h", "lock.h", "offload.h"} {
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
