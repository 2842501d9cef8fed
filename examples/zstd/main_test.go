//go:build cgo && seam_libs

package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
)

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "data")
	data := text(3 * blockSize)
	if err := os.WriteFile(name, data, 0o640); err != nil {
		t.Fatal(err)
	}
	zstd := func(args ...string) error { return run(t.Context(), args, nil, io.Discard, io.Discard) }
	if err := zstd("-level", "5", name); err != nil {
		t.Fatal(err)
	}
	if err := zstd(name); err == nil || !strings.Contains(err.Error(), "is there already") {
		t.Errorf("over a file: %v", err)
	}
	if err := zstd("-f", name); err != nil {
		t.Errorf("over a file by -f: %v", err)
	}
	info, err := os.Stat(name + suffix)
	if err != nil || info.Mode().Perm() != 0o640 || info.Size() >= int64(len(data)) {
		t.Fatalf("%+v, %v", info, err)
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	if err := zstd("-d", name+suffix); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(name); !bytes.Equal(got, data) || err != nil {
		t.Errorf("%d bytes, %v", len(got), err)
	}

	// What fails leaves nothing behind.
	cut := filepath.Join(dir, "cut")
	frame, err := os.ReadFile(name + suffix)
	if err == nil {
		err = os.WriteFile(cut+suffix, frame[:len(frame)-1], 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := zstd("-d", cut+suffix); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a file that is cut off: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := run(ctx, []string{"-f", name}, nil, io.Discard, io.Discard); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that has ended: %v", err)
	}
	var names []string
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if got := strings.Join(names, " "); got != "cut.zst data data.zst" {
		t.Errorf("the folder has %s", got)
	}
	if got, err := os.ReadFile(name + suffix); !bytes.Equal(got, frame) || err != nil {
		t.Errorf("the file that was to be overwritten has %d bytes, %v", len(got), err)
	}
}

func TestRun(t *testing.T) {
	data := text(blockSize)
	var there, back bytes.Buffer
	if err := run(t.Context(), nil, bytes.NewReader(data), &there, io.Discard); err != nil {
		t.Fatal(err)
	}
	if err := run(t.Context(), []string{"-d"}, &there, &back, io.Discard); err != nil || !bytes.Equal(back.Bytes(), data) {
		t.Errorf("%d bytes, %v", back.Len(), err)
	}
	why := errors.New("the tape is torn")
	for _, c := range []struct {
		args  []string
		stdin io.Reader
		want  string
	}{
		{[]string{"-level", "0"}, nil, "want 1 to 22"},
		{[]string{"-level", "x"}, nil, "invalid value"},
		{[]string{"/none"}, nil, "no such file"},
		{[]string{t.TempDir()}, nil, "not a regular file"},
		{[]string{"-d", "/none"}, nil, "ends in .zst"},
		{[]string{"-d", "/.zst"}, nil, "ends in .zst"},
		{[]string{"-d"}, strings.NewReader("hello, world"), "Unknown frame descriptor"},
		{nil, iotest.ErrReader(why), why.Error()},
	} {
		if err := run(t.Context(), c.args, c.stdin, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want …%s…", c.args, err, c.want)
		}
	}
}
