package session

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/seamgo/seam/cmd/seam/internal/weld/welder"
)

// Store remembers what became of packages, since the go command does not start
// us again for what it has in its cache. It lies in the user's cache folder;
// what can't be read there is as good as not there.
type Store struct{}

func (Store) file(w *welder.Welder, importPath string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(importPath + "\x00" + w.PackageID(importPath)))
	return filepath.Join(cache, "seam", "weld", hex.EncodeToString(sum[:16])+".json"), nil
}

// Add remembers reports. That it can't is no error: it costs a line of the
// summary.
func (s Store) Add(w *welder.Welder, reports []Report) error {
	for _, r := range reports {
		name, err := s.file(w, r.Package)
		if err != nil {
			return nil
		}
		text, err := json.Marshal(r)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return nil
		}
		temporary, err := os.CreateTemp(filepath.Dir(name), "new-")
		if err != nil {
			return nil
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
	}
	return nil
}

// Get returns what is remembered of a package.
func (s Store) Get(w *welder.Welder, importPath string) (r Report, ok bool) {
	name, err := s.file(w, importPath)
	if err != nil {
		return r, false
	}
	text, err := os.ReadFile(name)
	if err != nil || json.Unmarshal(text, &r) != nil || r.Package != importPath {
		return Report{}, false
	}
	return r, true
}
