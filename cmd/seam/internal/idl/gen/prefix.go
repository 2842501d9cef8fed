package gen

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
)

// NeedsPrefix reports whether one of the packages that are written for the programs may
// import another, so that Options.PackagePrefix is needed.
func NeedsPrefix(progs []*model.Program, opt Options) bool {
	return slices.ContainsFunc(progs, func(p *model.Program) bool {
		return len(p.Includes) > 0 || opt.Kitex && len(p.Services) > 0
	})
}

// FindPrefix is the import path of a folder, by the go.mod in it or above it.
func FindPrefix(folder string) (string, error) {
	abs, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	for dir := abs; ; dir = filepath.Dir(dir) {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		switch {
		case err == nil:
			module := moduleName(string(text))
			if module == "" {
				return "", fmt.Errorf("%s has no module line", filepath.Join(dir, "go.mod"))
			}
			rel, err := filepath.Rel(dir, abs)
			if err != nil {
				return "", err
			}
			return path.Join(module, filepath.ToSlash(rel)), nil
		case !errors.Is(err, fs.ErrNotExist) && !notFolder(err):
			return "", err
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("no go.mod in %s or above it: give the import path of that folder with --package-prefix", folder)
		}
	}
}

// notFolder reports whether part of a path is a file: the error of writing
// there later says it better.
func notFolder(err error) bool {
	return strings.Contains(err.Error(), "not a directory")
}

// moduleName is the module line of a go.mod file.
func moduleName(text string) string {
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "//")
		if fields := strings.Fields(line); len(fields) == 2 && fields[0] == "module" {
			if name, err := strconv.Unquote(fields[1]); err == nil {
				return name
			}
			return fields[1]
		}
	}
	return ""
}
