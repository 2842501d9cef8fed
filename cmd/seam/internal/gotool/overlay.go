package gotool

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// OverlayRoot is the folder of a Go whose files can be overlaid. The go command refuses that for
// files in its module cache, which is where it keeps the toolchains that it has fetched:
// those are given another name, a link in the folder links.
func OverlayRoot(goroot, modcache, links string) (string, error) {
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

// An Overlay is what go build -overlay takes.
type Overlay struct {
	// Replace gives for the path of a source file that of the file to be read
	// instead; an empty one means that there is none.
	Replace map[string]string
}

// ReadOverlay reads the user's own overlay; "" is an empty one. Its paths are relative to the
// folder in which the go command runs, and stay so.
func ReadOverlay(name string) (Overlay, error) {
	o := Overlay{Replace: map[string]string{}}
	if name == "" {
		return o, nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return o, fmt.Errorf("-overlay: %w", err)
	}
	if err := json.Unmarshal(text, &o); err != nil {
		return o, fmt.Errorf("-overlay %s: %w", name, err)
	}
	if o.Replace == nil {
		o.Replace = map[string]string{}
	}
	return o, nil
}

// Write writes it to a folder, which must stay while the go command runs, and returns the
// name of the file for -overlay.
func (o Overlay) Write(dir string) (string, error) {
	text, err := json.MarshalIndent(o, "", "\t")
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "overlay.json")
	return name, os.WriteFile(name, text, 0o600)
}
