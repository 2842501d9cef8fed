package command

import (
	"os"
	"path/filepath"
)

// Workspace makes the folder for a command's files if it isn't there, and returns its
// absolute name. Without a name it is a temporary one, which remove removes.
func Workspace(dir, command string) (abs string, remove func(), err error) {
	if dir == "" {
		dir, err = os.MkdirTemp("", command+"-")
		return dir, func() { os.RemoveAll(dir) }, err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", nil, err
	}
	abs, err = filepath.Abs(dir)
	return abs, func() {}, err
}
