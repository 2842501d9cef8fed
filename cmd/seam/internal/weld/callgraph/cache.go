package callgraph

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"time"
)

// cacheFormat is part of every key: raised, it makes all entries stale.
const cacheFormat = "seam-proof-1"

// keep is how long an entry stays that nobody asks for.
const keep = 30 * 24 * time.Hour

// CacheDir is the folder where graphs are kept from run to run; "" if the system
// names no folder for caches. It may be deleted at any time.
func CacheDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "seam", "proof")
}

// load finds an entry. One that can't be read or is damaged is as good as none.
func load(dir, key string) *unit {
	name := filepath.Join(dir, key)
	data, err := os.ReadFile(name)
	if err != nil {
		return nil
	}
	sum, body, ok := bytes.Cut(data, []byte("\n"))
	if !ok || string(sum) != checksum(body) {
		return nil
	}
	u := &unit{}
	if json.Unmarshal(body, u) != nil {
		return nil
	}
	now := time.Now()
	if info, err := os.Stat(name); err == nil && now.Sub(info.ModTime()) > 24*time.Hour {
		_ = os.Chtimes(name, now, now) // it is in use; at worst it is made again
	}
	return u
}

// save keeps an entry, as well as it can: without it the next run takes longer.
func save(dir, key string, u *unit) {
	body, err := json.Marshal(u)
	if err != nil || os.MkdirAll(dir, 0o777) != nil {
		return
	}
	f, err := os.CreateTemp(dir, "new-*")
	if err != nil {
		return
	}
	_, err = f.Write(append([]byte(checksum(body)+"\n"), body...))
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), filepath.Join(dir, key))
	}
	if err != nil {
		os.Remove(f.Name())
	}
	trim(dir)
}

// trim removes what has not been used for long.
func trim(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > keep {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

func checksum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
