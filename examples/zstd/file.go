//go:build cgo && seam_libs

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

const suffix = ".zst"

// A job says what is done with the input.
type job struct {
	codec      *Codec
	decompress bool
	level      int
	force      bool // overwrite
}

// stream does it with a stream.
func (j *job) stream(ctx context.Context, w io.Writer, r io.Reader) (err error) {
	if j.decompress {
		z, err := j.codec.NewReader(ctx, r)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, z.Close()) }()
		_, err = z.WriteTo(w)
		return err
	}
	z, err := j.codec.NewWriter(ctx, w, j.level)
	if err != nil {
		return err
	}
	if _, err := z.ReadFrom(r); err != nil {
		return errors.Join(err, z.Abort())
	}
	return z.Close()
}

// file does it with a file. The result has its name when it is complete, and is not there
// at all otherwise.
func (j *job) file(ctx context.Context, name string) (err error) {
	target := name + suffix
	if j.decompress {
		var ok bool
		if target, ok = strings.CutSuffix(name, suffix); !ok || filepath.Base(name) == suffix {
			return fmt.Errorf("%s: want a name that ends in %s", name, suffix)
		}
	}
	in, err := os.Open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s: not a regular file", name)
	}
	if _, err := os.Lstat(target); err == nil && !j.force {
		return fmt.Errorf("%s is there already (-f overwrites)", target)
	}
	out, err := os.CreateTemp(filepath.Dir(target), "."+filepath.Base(target)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(out.Name()))
		}
	}()
	err = j.stream(ctx, out, in)
	if err == nil {
		err = out.Chmod(info.Mode().Perm())
	}
	if err == nil {
		err = out.Sync()
	}
	if err := errors.Join(err, out.Close()); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return os.Rename(out.Name(), target)
}
