package output_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/seamgo/seam/cmd/seam/internal/output"
)

func TestDeviceIsNotReplaced(t *testing.T) {
	if err := output.Check("/dev/null"); err != nil {
		t.Error(err)
	}
	if err := write("/dev/null", nil, text("gone")); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat("/dev/null"); err != nil || info.Mode()&fs.ModeCharDevice == 0 {
		t.Errorf("/dev/null became %v, %v", info.Mode(), err)
	}
}

func TestFullDevice(t *testing.T) {
	err := write("/dev/full", nil, text("x"))
	if err == nil || !strings.Contains(err.Error(), "/dev/full: no space left") {
		t.Errorf("got %v", err)
	}
}

func TestNamedPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := unix.Mkfifo(path, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := output.Check(path); err != nil { // must not wait for a reader
		t.Error(err)
	}
	read := make(chan string)
	go func() {
		b, err := os.ReadFile(path)
		if err != nil {
			b = []byte(err.Error())
		}
		read <- string(b)
	}()
	if err := write(path, nil, text("hello")); err != nil {
		t.Error(err)
	}
	if got := <-read; got != "hello" {
		t.Errorf("the reader got %q, want hello", got)
	}
	if info, err := os.Lstat(path); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		t.Errorf("the pipe became %v, %v", info.Mode(), err)
	}
}

func TestOpenDescriptor(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	f.WriteString("earlier ")
	name := fmt.Sprintf("/proc/self/fd/%d", f.Fd())
	if err := output.Check(name); err != nil {
		t.Error(err)
	}
	if err := write(name, nil, text("later")); err != nil {
		t.Fatal(err)
	}
	if got := contents(t, path); got != "earlier later" {
		t.Errorf("file holds %q, want both texts", got)
	}
}

func TestUnwritableInPlace(t *testing.T) {
	for _, path := range []string{"/dev/fd/987", "/proc/self/fd/987", "/proc/none", "/proc/version", "/proc/self/fd"} {
		if err := output.Check(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("Check(%q): %v, want an error with the path", path, err)
		}
	}
}

func TestNamedPipeWithoutReader(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := unix.Mkfifo(path, 0o666); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var said bytes.Buffer
	w := output.Writer{Stderr: tell(func(b []byte) {
		said.Write(b)
		cancel() // as Ctrl-C does
	})}
	if err := w.Write(ctx, path, text("x")); err == nil || !strings.Contains(err.Error(), "nobody reads") {
		t.Errorf("got %v", err)
	}
	if want := "seam: waiting for a reader of " + path + "\n"; said.String() != want {
		t.Errorf("said %q, want %q", said.String(), want)
	}
}

// A reader that stops reading must not swallow Ctrl-C.
func TestNamedPipeWithIdleReader(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := unix.Mkfifo(path, 0o666); err != nil {
		t.Fatal(err)
	}
	r, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for n := 0; n == 0; { // the end of the file until the writer has come
			n, _ = r.Read(make([]byte, 1))
		}
		cancel()
	}()
	w := output.Writer{Stderr: io.Discard}
	if err := w.Write(ctx, path, text(strings.Repeat("x", 1<<20))); err == nil || !strings.Contains(err.Error(), "interrupted") {
		t.Errorf("got %v", err)
	}
}

// The reader that waits already gets the report, not an empty file from Check.
func TestCheckLeavesReaderOfPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := unix.Mkfifo(path, 0o666); err != nil {
		t.Fatal(err)
	}
	r, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := output.Check(path); err != nil {
		t.Fatal(err)
	}
	// Poll tells of a writer that has come and gone.
	fds := []unix.PollFd{{Fd: int32(r.Fd()), Events: unix.POLLIN}}
	if _, err := unix.Poll(fds, 0); err != nil || fds[0].Revents != 0 {
		t.Errorf("the reader saw a writer: events %#x, %v", fds[0].Revents, err)
	}
}

type tell func([]byte)

func (f tell) Write(b []byte) (int, error) { f(b); return len(b), nil }
