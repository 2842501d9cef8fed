package load

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/filecache"
	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/vet/csource"
)

// cacheFormat is part of every key: raised, it makes all entries stale.
const cacheFormat = "vet-load-19"

// FilesKey is a key of everything in the folder of a package that decides what it is. Like
// the go command's own, it doesn't see headers outside of the folder.
func FilesKey(p gotool.Package, more ...string) (filecache.Key, bool) {
	parts := append([]string{cacheFormat, runtime.Version(), p.ImportPath, p.Dir}, more...)
	for _, v := range []string{"CC", "CXX", "CGO_CFLAGS", "CGO_CXXFLAGS", "CGO_CPPFLAGS", "CGO_LDFLAGS", "PKG_CONFIG_PATH", "GOOS", "GOARCH", "GOFLAGS", "CGO_ENABLED"} {
		parts = append(parts, os.Getenv(v))
	}
	if p.UsesCgo() {
		parts = append(parts, found("CC", "gcc"), found("CXX", "g++"))
	}
	parts = append(parts, strings.Join(slices.Concat(p.GoFiles, p.CgoFiles), " "))
	err := filepath.WalkDir(p.Dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			if path != p.Dir && !p.UsesCgo() {
				return filepath.SkipDir
			}
			if name := d.Name(); name == ".git" || name == "node_modules" || name == "testdata" && path != p.Dir {
				return filepath.SkipDir
			}
			return nil
		case !read(d.Name()):
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		parts = append(parts, fmt.Sprint(path, info.Size(), info.ModTime().UnixNano()))
		return nil
	})
	return filecache.KeyOf(parts...), err == nil && len(parts) < 20000
}

// found is where a compiler is, "" if it isn't installed: what is known changes when it is.
func found(env, name string) string {
	if f := strings.Fields(os.Getenv(env)); len(f) > 0 {
		name = f[0]
	}
	path, _ := exec.LookPath(name)
	return path
}

// read reports whether cgo or a compiler may read a file.
func read(name string) bool {
	switch filepath.Ext(name) {
	case ".go", ".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".hh", ".hxx", ".inc", ".def", ".inl", ".ipp", ".tcc", ".tpp", ".m", ".mod":
		return true
	}
	return false
}

func cgoKey(p gotool.Package) (filecache.Key, bool) { return FilesKey(p, "cgo") }

// entry is what the cache keeps of cgo's work.
type entry struct {
	Gotypes  string
	Facts    *csource.Facts
	Together bool
}

func (m *made) load(c *filecache.Cache, key filecache.Key) bool {
	data, ok := c.Get(key)
	var e entry
	if !ok || json.Unmarshal(data, &e) != nil || e.Facts == nil {
		return false
	}
	m.gotypes, m.facts, m.together = []byte(e.Gotypes), e.Facts, e.Together
	return true
}

// store keeps what is known. What isn't, as a header is missing, may be known next time: that
// headers outside of the folder have come isn't seen.
func (m *made) store(c *filecache.Cache, key filecache.Key) {
	if m.facts.Missing != "" {
		return
	}
	if data, err := json.Marshal(entry{string(m.gotypes), m.facts, m.together}); err == nil {
		_ = c.Put(key, data) // without it the next run takes longer
	}
}
