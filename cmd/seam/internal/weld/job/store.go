package job

import (
	"encoding/json"

	"github.com/seamgo/seam/cmd/seam/internal/filecache"
	"github.com/seamgo/seam/cmd/seam/internal/weld/rewrite"
)

// Store remembers what became of packages, since the go command does not start
// us again for what it has in its cache.
type Store struct {
	Build string // what of the build matters besides the plan: Go version, system, flags
}

// cacheName is that of the reports' cache. Where it can't be had, a line of the summary
// is missing.
const cacheName = "weld"

func key(l *rewrite.Leaves, importPath, build string) filecache.Key {
	return filecache.KeyOf("report-1", importPath, l.PackageID(importPath), build)
}

// Add remembers a report: of this build, and as the last of any.
func (s Store) Add(l *rewrite.Leaves, r Report) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	cache, _ := filecache.Open(cacheName)
	for _, build := range []string{s.Build, ""} {
		_ = cache.Put(key(l, r.Package, build), text)
	}
	return nil
}

// Get returns what is remembered of a package: of this build, or, where flags
// differ that change nothing for the package, of another.
func (s Store) Get(l *rewrite.Leaves, importPath string) (r Report, ok bool) {
	cache, _ := filecache.Open(cacheName)
	for _, build := range []string{s.Build, ""} {
		text, ok := cache.Get(key(l, importPath, build))
		if ok && json.Unmarshal(text, &r) == nil {
			return r, true
		}
	}
	return Report{}, false
}
