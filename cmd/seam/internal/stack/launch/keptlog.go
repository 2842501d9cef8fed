package launch

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// A keptLog is a copy of the log. That may have hundreds of megabytes, so the copy is
// written as it comes, and gets its name when it is complete.
type keptLog struct {
	name string
	f    *os.File
	w    *bufio.Writer
}

// keepLog begins the copy. Without a name there is none.
func keepLog(name *string) (*keptLog, error) {
	if name == nil {
		return nil, nil
	}
	f, err := os.CreateTemp(filepath.Dir(*name), ".seam-stack-log-")
	if err != nil {
		return nil, fmt.Errorf("--log: %w", err)
	}
	return &keptLog{*name, f, bufio.NewWriterSize(f, 1<<20)}, nil
}

// tee copies what is read.
func (k *keptLog) tee(r io.Reader) io.Reader {
	if k == nil {
		return r
	}
	return io.TeeReader(r, k)
}

// Write never fails: with a full disk the log must still be read, or the program would
// wait for ever to write it. close returns the error, which w keeps.
func (k *keptLog) Write(b []byte) (int, error) {
	_, _ = k.w.Write(b)
	return len(b), nil
}

func (k *keptLog) close() error {
	if k == nil {
		return nil
	}
	err := errors.Join(k.w.Flush(), k.f.Chmod(0o644), k.f.Close())
	if err == nil {
		err = os.Rename(k.f.Name(), k.name)
	}
	if err != nil {
		os.Remove(k.f.Name())
		return fmt.Errorf("cannot write %s: %w", k.name, err)
	}
	return nil
}
