// Package filecache keeps what is expensive to make from run to run, in the user's cache
// folder. An entry is a piece of data, a program or a folder, named by a hash of all that it
// was made from, so none is ever out of date.
//
// The package is opinionated: a cache may make things faster and nothing else. Entries appear
// whole or not at all, whatever kills the process that makes one; what is damaged counts as
// missing; two processes may make the same. Where the folder can't be written nothing is
// kept, and where it is deleted everything is made again. All caches have the same bounds,
// [MaxAge] and [MaxBytes].
package filecache

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"time"
)

// A Cache is a folder of entries. A nil Cache keeps nothing.
type Cache struct{ dir string }

// A Key names an entry by what it is made from.
type Key [sha256.Size]byte

// KeyOf makes a key of texts. Where one ends and the next begins makes a difference.
func KeyOf(parts ...string) Key {
	h := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(h, "%d\n%s", len(part), part)
	}
	return Key(h.Sum(nil))
}

var validName = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)

// Dir is the folder of a name in the user's cache folder, for what keeps order in it by
// itself, like the go command's build cache. It may not exist yet.
func Dir(name string) (string, error) {
	if !validName.MatchString(name) {
		return "", fmt.Errorf("%q can't be the name of a cache", name)
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no folder for caches: %w (set HOME or XDG_CACHE_HOME)", err)
	}
	return filepath.Join(dir, "seam", name), nil
}

// Open returns the cache of a name. The error is that there is no folder for caches; who can
// do without one may ignore it and use the nil Cache.
func Open(name string) (*Cache, error) {
	dir, err := Dir(name)
	if err != nil {
		return nil, err
	}
	return &Cache{dir}, nil
}

// Get returns the data of an entry that [Cache.Put] has made.
func (c *Cache) Get(key Key) (data []byte, ok bool) {
	if c == nil {
		return nil, false
	}
	text, err := os.ReadFile(c.path(key))
	if err != nil {
		return nil, false
	}
	sum, data, ok := bytes.Cut(text, []byte("\n"))
	if !ok || string(sum) != checksum(data) {
		return nil, false
	}
	c.find(key)
	return data, true
}

// Put keeps data. Its error needs no attention where the data is at hand: it is made again
// next time.
func (c *Cache) Put(key Key, data []byte) error {
	if c == nil {
		return nil
	}
	return c.write(key, func(path string) error {
		return os.WriteFile(path, append([]byte(checksum(data)+"\n"), data...), 0o600)
	})
}

// Path returns where the program or folder of an entry is. If there is none, fill makes it at
// a path that ends alike, which is then moved. It must not be changed later.
func (c *Cache) Path(key Key, fill func(path string) error) (string, error) {
	if !c.find(key) {
		if err := c.write(key, fill); err != nil {
			return "", err
		}
	}
	return c.path(key), nil
}

func (c *Cache) path(key Key) string { return filepath.Join(c.dir, hex.EncodeToString(key[:])) }

// find reports whether there is an entry that may be whole, and notes that it is in use.
func (c *Cache) find(key Key) bool {
	info, err := os.Lstat(c.path(key))
	if err != nil || !info.IsDir() && !(info.Mode().IsRegular() && info.Size() > 0) {
		return false
	}
	if now := time.Now(); now.Sub(info.ModTime()) >= useNoted {
		_ = os.Chtimes(c.path(key), now, now) // at worst it is made again some day
	}
	return true
}

// write makes an entry in a folder of its own and moves it to its place.
func (c *Cache) write(key Key, fill func(path string) error) error {
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return err
	}
	work, err := os.MkdirTemp(c.dir, unfinished)
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	made := filepath.Join(work, filepath.Base(c.path(key)))
	if err := fill(made); err != nil {
		return err
	}
	// A folder can't be moved onto one that somebody else has made meanwhile, or onto what is
	// no entry. Others may make and trim the same all the time.
	for range 10 {
		if err = os.Rename(made, c.path(key)); err == nil || c.find(key) {
			return nil
		}
		c.remove(filepath.Base(c.path(key)))
	}
	return err
}

func checksum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
