package output

import (
	"io/fs"
	"os"
	"path/filepath"
)

// Same reports whether two paths lead to one file, so that what is written last
// would be all that is left. A device takes both.
func Same(a, b string) bool {
	if IsStdout(a) || IsStdout(b) {
		return IsStdout(a) && IsStdout(b)
	}
	fileA, infoA := behind(a)
	fileB, infoB := behind(b)
	switch {
	case infoA != nil && infoB != nil:
		return os.SameFile(infoA, infoB) && infoA.Mode()&fs.ModeDevice == 0
	case infoA != nil || infoB != nil:
		return false
	}
	return fileA == fileB
}

// behind is where path leads: a name without links, and what is there, if
// anything.
func behind(path string) (string, fs.FileInfo) {
	file, _, err := follow(path)
	if err != nil {
		return path, nil // Check says what is wrong with it
	}
	if info, err := os.Stat(file); err == nil {
		return file, info
	}
	dir, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		return file, nil
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	return filepath.Join(dir, filepath.Base(file)), nil
}
