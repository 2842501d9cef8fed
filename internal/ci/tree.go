//go:build unix

package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// tree is a digest of the files in the repository, as [testenv.Tree] has it.
func tree(ctx context.Context) (string, error) {
	list, err := exec.CommandContext(ctx, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err != nil { // no repository, but an archive of it: nothing is taken from the cache
		return time.Now().String(), nil
	}
	sum := sha256.New()
	for name := range strings.SplitSeq(strings.TrimSuffix(string(list), "\x00"), "\x00") {
		if err := add(sum, name); err != nil && !os.IsNotExist(err) { // removed, and not yet committed
			return "", err
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

func add(sum io.Writer, name string) error {
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return err
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	fmt.Fprintf(sum, "%s\x00%d\x00", name, info.Size())
	_, err = io.Copy(sum, f)
	return err
}
