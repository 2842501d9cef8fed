package overlay

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/textedit"
)

// Write makes the overlay in a folder, which must exist and stay while the go command
// runs, and returns the name of the file for -overlay. goroot and version are those of
// the Go that builds; user is the file of an overlay that the user has given, or "".
//
// The replacements are not called .go, or the go command would take the folder for a
// package when it lies in a module. Their content decides what is rebuilt, not their name.
func Write(dir, goroot, version, user string) (string, error) {
	source, changed, err := Source(goroot, version)
	if err != nil {
		return "", err
	}
	added, err := addedFile(goroot)
	if err != nil {
		return "", err
	}
	overlay, err := gotool.ReadOverlay(user)
	if err != nil {
		return "", err
	}
	for path, text := range map[string][]byte{source: changed, filepath.Join(goroot, "src", "runtime", "seamstack.go"): added} {
		if given, ok := overlay.Replace[path]; ok {
			return "", fmt.Errorf("-overlay %s replaces %s by %q, and so must seam; leave that out", user, path, given)
		}
		name := filepath.Join(dir, filepath.Base(path)+".txt")
		if err := os.WriteFile(name, text, 0o600); err != nil {
			return "", err
		}
		overlay.Replace[path] = name
	}
	return overlay.Write(dir)
}

// kernel is the package of the runtime that calls the kernel, as runtimeFile imports it.
const kernel = "internal/runtime/syscall/linux"

// addedFile is runtimeFile with that package's name in a Go: up to 1.25 it was one above.
func addedFile(goroot string) ([]byte, error) {
	name := kernel
	for {
		_, err := os.Stat(filepath.Join(goroot, "src", name, "asm_linux_amd64.s"))
		if err == nil {
			return textedit.Move(runtimeFile, "runtime", map[string]string{kernel: name}), nil
		}
		if !errors.Is(err, fs.ErrNotExist) || name == path.Dir(kernel) {
			return nil, fmt.Errorf("the runtime's calls of the kernel are not where seam knows them (in Go 1.25 to 1.27): %w", err)
		}
		name = path.Dir(name)
	}
}

// Source is the name of a Go's runtime/stack.go, and its text with the tracer on.
func Source(goroot, version string) (name string, changed []byte, err error) {
	name = filepath.Join(goroot, "src", "runtime", "stack.go")
	src, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil, fmt.Errorf("%s does not exist: %s was installed without its sources, which are what its stack tracer is built from", name, version)
	}
	if err != nil {
		return "", nil, err
	}
	if changed, err = Instrument(src); err != nil {
		return "", nil, fmt.Errorf("%s is not the file that seam knows how to turn its stack tracer on in (that of Go 1.25 to 1.27): %w; this is %s", name, err, version)
	}
	return name, changed, nil
}
