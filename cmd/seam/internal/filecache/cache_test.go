package filecache

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// fresh is an empty cache, in a cache folder that doesn't exist yet.
func fresh(t *testing.T) *Cache {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", filepath.Join(t.TempDir(), "cache"))
	c, err := Open("test")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// names are those in the cache's folder.
func (c *Cache) names(t *testing.T) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(c.dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func (c *Cache) mustPut(t *testing.T, key Key, data string) {
	t.Helper()
	if err := c.Put(key, []byte(data)); err != nil {
		t.Fatal(err)
	}
}

// used makes an entry one that was last used some time ago.
func (c *Cache) used(t *testing.T, name string, ago time.Duration) {
	t.Helper()
	then := time.Now().Add(-ago)
	if err := os.Chtimes(filepath.Join(c.dir, name), then, then); err != nil {
		t.Fatal(err)
	}
}

func TestKeyOf(t *testing.T) {
	seen := map[Key]bool{}
	all := [][]string{nil, {""}, {"", ""}, {"ab", "c"}, {"a", "bc"}, {"abc"}, {"1\na"}, {"a", "1\nb"}}
	for _, parts := range all {
		seen[KeyOf(parts...)] = true
	}
	if len(seen) != len(all) {
		t.Errorf("%d keys of %d lists", len(seen), len(all))
	}
}

func TestData(t *testing.T) {
	c := fresh(t)
	key := KeyOf("a")
	if _, ok := c.Get(key); ok {
		t.Error("an empty cache has an entry")
	}
	for _, data := range []string{"", "text\nof two lines", "\x00\xff"} {
		c.mustPut(t, key, data)
		if got, ok := c.Get(key); !ok || string(got) != data {
			t.Errorf("put %q, got %q, %v", data, got, ok)
		}
	}
	if got, ok := c.Get(KeyOf("b")); ok {
		t.Errorf("another key has %q", got)
	}
	if names := c.names(t); len(names) != 1 {
		t.Errorf("left are %v", names)
	}
}

func TestPath(t *testing.T) {
	c := fresh(t)
	folder := func(path string) error {
		if err := os.Mkdir(path, 0o700); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(path, "file"), []byte("x"), 0o600)
	}
	file := func(path string) error { return os.WriteFile(path, []byte("x"), 0o700) }
	never := func(string) error { return errors.New("it was made again") }
	for name, fill := range map[string]func(string) error{"folder": folder, "file": file} {
		path, err := c.Path(KeyOf(name), fill)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := c.Path(KeyOf(name), never); err != nil || again != path {
			t.Errorf("%s: the second time %s, %v", name, again, err)
		}
	}
	// What can't be made leaves nothing behind, and neither does what was not made at all.
	broken := errors.New("broken")
	_, err := c.Path(KeyOf("x"), func(path string) error { return errors.Join(folder(path), broken) })
	if !errors.Is(err, broken) {
		t.Error(err)
	}
	if _, err := c.Path(KeyOf("x"), func(string) error { return nil }); err == nil {
		t.Error("nothing was made, and that is no error")
	}
	// An entry that somebody else has made meanwhile is as good as ours.
	if _, err := c.Path(KeyOf("y"), func(path string) error { return errors.Join(folder(path), folder(c.path(KeyOf("y")))) }); err != nil {
		t.Error(err)
	}
	if names := c.names(t); len(names) != 3 {
		t.Errorf("left are %v", names)
	}
}

// Damaged entries count as missing and are made again.
func TestDamage(t *testing.T) {
	c := fresh(t)
	key := KeyOf("a")
	c.mustPut(t, key, "some data")
	whole, err := os.ReadFile(c.path(key))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{
		"cut short": whole[:len(whole)-1], "without an end": whole[:10], "empty": nil, "longer": append(slices.Clone(whole), 'x'),
		"changed": bytes.Replace(whole, []byte("data"), []byte("Data"), 1), "no checksum": []byte("\nsome data"),
	} {
		if err := os.WriteFile(c.path(key), text, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, ok := c.Get(key); ok {
			t.Errorf("%s: got %q", name, got)
		}
		c.mustPut(t, key, "some data")
		if got, ok := c.Get(key); !ok || string(got) != "some data" {
			t.Errorf("%s: after it was put again: %q, %v", name, got, ok)
		}
	}
	// An empty program, or what is none, is not run.
	program := KeyOf("program")
	if err := os.WriteFile(c.path(program), nil, 0o700); err != nil {
		t.Fatal(err)
	}
	path, err := c.Path(program, func(path string) error { return os.WriteFile(path, []byte("#!"), 0o700) })
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "#!" {
		t.Errorf("%q, %v", text, err)
	}
	// A file in the place of a folder gives way.
	if err := os.WriteFile(c.path(KeyOf("folder")), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if path, err := c.Path(KeyOf("folder"), func(path string) error { return os.Mkdir(path, 0o700) }); err != nil || !c.find(KeyOf("folder")) {
		t.Errorf("%s: %v", path, err)
	}
	link := KeyOf("link")
	if err := os.Symlink("/etc/passwd", c.path(link)); err != nil {
		t.Skip(err)
	}
	if c.find(link) {
		t.Error("a link counts as an entry")
	}
}

// Without a folder that can be written nothing is kept, and data can do without.
func TestNoFolder(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "seam"), nil, 0o600); err != nil { // even root can't make a folder in it
		t.Fatal(err)
	}
	t.Setenv("XDG_CACHE_HOME", dir)
	inFile, err := Open("test")
	if err != nil {
		t.Fatal(err)
	}
	caches := map[string]*Cache{"a file in its place": inFile, "none": nil}
	if os.Getuid() != 0 {
		c := fresh(t)
		c.mustPut(t, KeyOf("other"), "x")
		if err := os.Chmod(c.dir, 0o500); err != nil {
			t.Fatal(err)
		}
		caches["read-only"] = c
	}
	for name, c := range caches {
		if err := c.Put(KeyOf("a"), []byte("x")); (err == nil) != (c == nil) {
			t.Errorf("%s: put: %v", name, err)
		}
		if data, ok := c.Get(KeyOf("a")); ok {
			t.Errorf("%s: got %q", name, data)
		}
		c.Trim()
		if c == nil {
			continue
		}
		if _, err := c.Path(KeyOf("a"), func(path string) error { return os.WriteFile(path, []byte("x"), 0o700) }); err == nil {
			t.Errorf("%s: made a file", name)
		}
	}
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("HOME", "")
	if c, err := Open("test"); err == nil || c != nil || !strings.Contains(err.Error(), "set HOME or XDG_CACHE_HOME") {
		t.Errorf("without a home: %v, %v", c, err)
	}
}

func TestHostileNames(t *testing.T) {
	for _, name := range []string{"", ".", "..", "../x", "/x", "a/b", `a\b`, "a\x00", ".hidden", "-x", "a b", "trace\n", "Ä"} {
		if c, err := Open(name); err == nil || c != nil {
			t.Errorf("%q: %v", name, c)
		}
	}
}

// Of a process that is killed while it makes an entry nothing is found.
func TestKilled(t *testing.T) {
	c := fresh(t)
	if err := helper(t, "killed").Run(); err == nil {
		t.Fatal("the process was not killed")
	}
	names := c.names(t)
	if len(names) != 1 || !strings.HasPrefix(names[0], unfinished) {
		t.Fatalf("in the folder are %v", names)
	}
	if c.find(KeyOf("key")) {
		t.Error("half of an entry was found")
	}
	c.Trim()
	if len(c.names(t)) != 1 {
		t.Error("what may still be made was removed")
	}
	c.used(t, names[0], 2*unfinishedAge)
	c.Trim()
	if left := c.names(t); len(left) != 0 {
		t.Errorf("left are %v", left)
	}
}

// Processes that make, read and trim the same entries at once see them whole.
func TestProcesses(t *testing.T) {
	c := fresh(t)
	var all []*exec.Cmd
	for range 4 {
		cmd := helper(t, "busy")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		all = append(all, cmd)
	}
	for _, cmd := range all {
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v\n%s", err, cmd.Stderr)
		}
	}
	for _, name := range c.names(t) {
		if strings.HasPrefix(name, unfinished) {
			t.Errorf("left behind: %s", name)
		}
	}
}
