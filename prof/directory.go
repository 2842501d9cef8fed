//go:build linux && !android && (amd64 || arm64) && gc && cgo && !asan && !msan

package prof

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/seamgo/seam/internal/unwind"
)

// keptCrashes is how many reports stay when the program starts.
const keptCrashes = 19

// keepCrashes has each report of a crash in C written to a file of its own in a directory.
func keepCrashes(dir string) error {
	if !filepath.IsAbs(dir) { // the program may go elsewhere
		abs, err := filepath.Abs(dir)
		if err != nil {
			return err
		}
		dir = abs
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	list, err := os.ReadDir(dir) // in the order of names, which begin with the time
	if err != nil {
		return err
	}
	var crashes []string
	for _, e := range list {
		if e.Type().IsRegular() && strings.HasSuffix(e.Name(), ".crash") {
			crashes = append(crashes, filepath.Join(dir, e.Name()))
		}
	}
	for len(crashes) > keptCrashes {
		if err := os.Remove(crashes[0]); err != nil && !errors.Is(err, os.ErrNotExist) { // another process may be here
			return err
		}
		crashes = crashes[1:]
	}
	return unwind.CrashDirectory(dir)
}
