package gen

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// Stale lists files in the packages' folders that an earlier run wrote and this one
// wouldn't: their Thrift file is one of this run's, or is no longer in any of the
// folders where Thrift files are looked for. include are those of -I.
func Stale(files []File, include []string) ([]string, error) {
	wanted, folders := map[string]bool{}, map[string]bool{}
	named, homes := map[string]bool{}, map[string]bool{}
	for _, f := range files {
		wanted[f.Path], folders[filepath.Dir(f.Path)] = true, true
		for _, service := range f.Program.Services { // whose package --kitex may have written
			folders[filepath.Join(filepath.Dir(f.Path), serviceFolder(service))] = true
		}
		named[filepath.Base(f.Program.Path)], homes[filepath.Dir(f.Program.Path)] = true, true
	}
	for _, dir := range include {
		homes[dir] = true
	}
	var list []string
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		entries, err := os.ReadDir(folder)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return list, err
		}
		for _, e := range entries {
			path := filepath.Join(folder, e.Name())
			if wanted[path] || !e.Type().IsRegular() || filepath.Ext(path) != ".go" {
				continue
			}
			text, err := head(path)
			if err != nil {
				return list, err
			}
			if source := Source(text); source != "" && (named[source] || !exists(homes, source)) {
				list = append(list, path)
			}
		}
	}
	return list, nil
}

// head reads the beginning of a file: enough for the header.
func head(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, 4096))
}

func exists(folders map[string]bool, name string) bool {
	for folder := range folders {
		if _, err := os.Stat(filepath.Join(folder, name)); err == nil {
			return true
		}
	}
	return false
}
