package output_test

import (
	"fmt"
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
	if err := output.Write("/dev/null", nil, text("gone")); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat("/dev/null"); err != nil || info.Mode()&fs.ModeCharDevice == 0 {
		t.Errorf("/dev/null became %v, %v", info.Mode(), err)
	}
}

func TestFullDevice(t *testing.T) {
	err := output.Write("/dev/full", nil, text("x"))
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
	if err := output.Write(path, nil, text("hello")); err != nil {
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
	if err := output.Write(name, nil, text("later")); err != nil {
		t.Fatal(err)
	}
	if got := contents(t, path); got != "earlier later" {
		t.Errorf("file holds %q, want both texts", got)
	}
}
