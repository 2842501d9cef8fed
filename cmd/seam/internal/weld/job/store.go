package job

import (
	"encoding/json"

	"github.com/seamgo/seam/cmd/seam/internal/filecache"
	"github.com/seamgo/seam/cmd/seam/internal/weld/rewrite"
)

// Store keeps the reports of earlier builds: for packages that it has in its cache the go
// command does not run seam again.
type Store struct {
	Build string // what of the build matters besides the plan: Go version, system, flags
}

// cacheName names the cache of reports. Without it the summary has a line less.
const cacheName = "weld"

func key(l *rewrite.Leaves, importPath, build string) filecache.Key {
	return filecache.KeyOf("report-1", importPath, l.PackageID(importPath), build)
}

// Add keeps a report, as that of this build and as the latest of any.
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

// Get returns the report of a package in this build or, since flags may differ that change
// nothing for the package, the latest of any.
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
