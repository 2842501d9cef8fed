// Package workshop builds programs for experiments, by the user's go command, and keeps them:
// what is compiled differently from seam itself, or needs libraries that seam must not need.
//
// Programs are kept by content in a folder of the user's cache, with their sources beside
// them in folders that the go command sees again. The folders may be deleted at any time.
package progcache

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// Beginnings of names in the cache, where programs have none.
const (
	WorkPrefix   = "new-"
	SourcePrefix = "src-"
)

// Keep is how long something stays that nobody asks for.
const Keep = 7 * 24 * time.Hour

// ExeSuffix ends the names of programs.
var ExeSuffix = map[bool]string{true: ".exe"}[runtime.GOOS == "windows"]

// Dir is the folder where an experiment's programs are kept from run to run.
func Dir(experiment string) (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir = filepath.Join(dir, "seam", experiment)
	return dir, os.MkdirAll(dir, 0o777)
}

// Found tells whether something is in the cache, and notes that it is in use.
func Found(path string) bool {
	now := time.Now()
	return os.Chtimes(path, now, now) == nil
}

// Whole makes a file or folder under another name and renames it, so that nobody finds half
// of it. Somebody else may be making the same.
func Whole(dir, path string, make func(path string) error) error {
	work, err := os.MkdirTemp(dir, WorkPrefix)
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	made := filepath.Join(work, filepath.Base(path))
	if err := make(made); err != nil {
		return err
	}
	if err := os.Rename(made, path); err != nil && !Found(path) {
		return err
	}
	return nil
}

// Sources makes sure that the files, by path, are in a folder of the cache, and returns it.
func Sources(dir string, files map[string]string) (string, error) {
	folder := filepath.Join(dir, SourcePrefix+HashFiles(files))
	if Found(folder) {
		return folder, nil
	}
	return folder, Whole(dir, folder, func(folder string) error { return WriteFiles(folder, files) })
}

// WriteFiles writes files, by path, into a folder.
func WriteFiles(folder string, files map[string]string) error {
	for name, text := range files {
		name = filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// HashFiles is a name for the contents of files.
func HashFiles(files map[string]string) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(files)) {
		parts = append(parts, name, files[name])
	}
	return Hash(parts...)
}

// Hash is a name for texts.
func Hash(parts ...string) string {
	h := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(h, "%d\n%s", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Trim removes what has not been used for long, and what killed builds have left behind.
func Trim(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			continue
		}
		age := time.Since(info.ModTime())
		if age > Keep || strings.HasPrefix(e.Name(), WorkPrefix) && age > time.Hour {
			os.RemoveAll(filepath.Join(dir, e.Name()))
		}
	}
}
