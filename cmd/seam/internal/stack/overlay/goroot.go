package overlay

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Goroot is the folder of a Go whose files can be overlaid. The go command refuses that for
// files in its module cache, which is where it keeps the toolchains that it has fetched:
// those are given another name, a link in the folder links.
func Goroot(goroot, modcache, links string) (string, error) {
	if modcache == "" || !strings.HasPrefix(goroot, filepath.Clean(modcache)+string(filepath.Separator)) {
		return goroot, nil
	}
	if err := os.MkdirAll(links, 0o777); err != nil {
		return "", err
	}
	link := filepath.Join(links, filepath.Base(goroot))
	if to, err := os.Readlink(link); err == nil && to == goroot {
		return link, nil
	}
	// Others may do the same now.
	temporary := fmt.Sprintf("%s.%d", link, os.Getpid())
	if err := os.Symlink(goroot, temporary); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	if err := os.Rename(temporary, link); err != nil {
		return "", err
	}
	return link, nil
}
