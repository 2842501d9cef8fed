package progcache

import (
	"io/fs"
	"path"
	"strings"
)

// GoMod is the go.mod of a module that has the name of ours: what it holds of our packages
// doesn't have to be downloaded.
const GoMod = "module github.com/seamgo/seam\n\ngo 1.25.0\n"

// AddFiles adds the files of a tree, but for tests, in a folder of the module.
func AddFiles(files map[string]string, folder string, tree fs.FS) error {
	return fs.WalkDir(tree, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := fs.ReadFile(tree, name)
		files[path.Join(folder, name)] = string(text)
		return err
	})
}
