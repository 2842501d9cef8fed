package job

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/seamgo/seam/cmd/seam/internal/weld/rewrite"
)

// Store remembers what became of packages, since the go command does not start
// us again for what it has in its cache. It lies in the user's cache folder;
// what can't be read there is as good as not there.
type Store struct {
	Build string // what of the build matters besides the plan: Go version, system, flags
}

func (s Store) file(l *rewrite.Leaves, importPath, build string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(importPath + "\x00" + l.PackageID(importPath) + "\x00" + build))
	return filepath.Join(cache, "seam", "weld", hex.EncodeToString(sum[:16])+".json"), nil
}

// Add remembers a report: of this build, and as the last of any. That it can't is
// no error: it costs a line of the summary.
func (s Store) Add(l *rewrite.Leaves, r Report) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	for _, build := range []string{s.Build, ""} {
		name, err := s.file(l, r.Package, build)
		if err != nil || replace(name, text) != nil {
			return nil
		}
	}
	return nil
}

// replace writes a file whole.
func replace(name string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	temporary, err := os.CreateTemp(filepath.Dir(name), "new-")
	if err != nil {
		return err
	}
	_, err = temporary.Write(text)
	if closeErr := temporary.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(temporary.Name(), name)
	}
	if err != nil {
		os.Remove(temporary.Name())
	}
	return err
}

// Get returns what is remembered of a package: of this build, or, where flags
// differ that change nothing for the package, of another.
func (s Store) Get(l *rewrite.Leaves, importPath string) (Report, bool) {
	for _, build := range []string{s.Build, ""} {
		name, err := s.file(l, importPath, build)
		if err != nil {
			break
		}
		var r Report
		text, err := os.ReadFile(name)
		if err == nil && json.Unmarshal(text, &r) == nil && r.Package == importPath {
			return r, true
		}
	}
	return Report{}, false
}
