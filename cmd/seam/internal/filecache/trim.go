package filecache

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// The bounds of every cache, as Trim leaves it.
const (
	MaxAge   = 30 * 24 * time.Hour // since an entry was last used
	MaxBytes = 512 << 20           // of all entries; those that were used last stay
)

const (
	unfinished    = "new-"        // begins the names of folders that entries are made in
	unfinishedAge = time.Hour     // after which nobody is making something there any more
	useNoted      = 1 * time.Hour // how exactly the time of the last use is known
)

// Trim removes entries that exceed the bounds, and what killed processes have left. It is for
// the end of a run that has made entries.
func (c *Cache) Trim() {
	if c != nil {
		c.trim(MaxBytes)
	}
}

func (c *Cache) trim(most int64) {
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return
	}
	type entry struct {
		name string
		used time.Time
		size int64
	}
	var kept []entry
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			continue // somebody else removes it
		}
		age := time.Since(info.ModTime())
		switch making := strings.HasPrefix(e.Name(), unfinished); {
		case age > MaxAge, making && age > unfinishedAge:
			c.remove(e.Name())
		case !making:
			kept = append(kept, entry{e.Name(), info.ModTime(), c.size(e.Name())})
		}
	}
	slices.SortFunc(kept, func(a, b entry) int { return b.used.Compare(a.used) })
	var total int64
	for _, e := range kept {
		if total += e.size; total > most {
			c.remove(e.name)
		}
	}
}

// remove takes an entry away at once, so that nobody finds half of a folder.
func (c *Cache) remove(name string) {
	path := filepath.Join(c.dir, name)
	if work, err := os.MkdirTemp(c.dir, unfinished); err == nil {
		_ = os.Rename(path, filepath.Join(work, name)) // or somebody else has removed it
		path = work
	}
	_ = os.RemoveAll(path) // at worst it goes with the next trim
}

// size is that of a file, or of all files in a folder.
func (c *Cache) size(name string) (total int64) {
	_ = filepath.WalkDir(filepath.Join(c.dir, name), func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return nil // what is gone has no size
		}
		if info, err := e.Info(); err == nil {
			total += info.Size()
		}
		return nil
	})
	return total
}
