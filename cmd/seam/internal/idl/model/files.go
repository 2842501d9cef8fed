package model

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// maxSource is the size of the largest Thrift file that is read: anything larger
// isn't a Thrift file.
const maxSource = 64 << 20

// ReadFile reads a Thrift file.
func ReadFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadAll(f)
}

// ReadAll reads the text of a Thrift file.
func ReadAll(r io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxSource+1))
	if err == nil && len(text) > maxSource {
		err = fmt.Errorf("it is larger than %d MB: is it a Thrift file?", maxSource>>20)
	}
	return text, err
}

// Find replaces folders by the .thrift files below them.
func Find(paths []string) ([]string, error) {
	var list []string
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil || !info.IsDir() {
			list = append(list, path) // reading it says what is wrong
			continue
		}
		before := len(list)
		err = filepath.WalkDir(path, func(name string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() && filepath.Ext(name) == ".thrift" {
				list = append(list, name)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		if len(list) == before {
			return nil, fmt.Errorf("no file below %s has a name that ends in .thrift", path)
		}
	}
	return list, nil
}
