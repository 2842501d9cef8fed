package filecache

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// What nobody has used for long goes; a use is noted.
func TestExpiry(t *testing.T) {
	c := fresh(t)
	for _, name := range []string{"old", "used", "recent"} {
		c.mustPut(t, KeyOf(name), name)
	}
	c.used(t, filepath.Base(c.path(KeyOf("old"))), MaxAge+time.Hour)
	c.used(t, filepath.Base(c.path(KeyOf("used"))), MaxAge+time.Hour)
	c.used(t, filepath.Base(c.path(KeyOf("recent"))), MaxAge-time.Hour)
	if _, ok := c.Get(KeyOf("used")); !ok {
		t.Error("an old entry is not found")
	}
	c.Trim()
	for name, want := range map[string]bool{"old": false, "used": true, "recent": true} {
		if _, ok := c.Get(KeyOf(name)); ok != want {
			t.Errorf("%s: found %v", name, ok)
		}
	}
}

// Of more than the bound those stay that were used last.
func TestBound(t *testing.T) {
	c := fresh(t)
	for i, name := range []string{"newest", "newer", "older", "oldest"} {
		path, err := c.Path(KeyOf(name), func(path string) error {
			if err := os.MkdirAll(filepath.Join(path, "sub"), 0o700); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(path, "sub", "file"), []byte(strings.Repeat("x", 1000)), 0o600)
		})
		if err != nil {
			t.Fatal(err)
		}
		c.used(t, filepath.Base(path), time.Duration(i)*time.Minute)
	}
	if c.Trim(); len(c.names(t)) != 4 {
		t.Error("less than the bound was trimmed")
	}
	c.trim(2999)
	for name, want := range map[string]bool{"newest": true, "newer": true, "older": false, "oldest": false} {
		if c.find(KeyOf(name)) != want {
			t.Errorf("%s: found %v", name, !want)
		}
	}
	if names := c.names(t); len(names) != 2 {
		t.Errorf("left are %v", names)
	}
}
