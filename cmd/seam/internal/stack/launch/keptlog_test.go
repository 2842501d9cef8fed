//seam:test race

package launch

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A log that can't be kept is read all the same: the program would wait for its reader.
func TestKeptLogFails(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log")
	log, err := keepLog(&name)
	if err != nil {
		t.Fatal(err)
	}
	log.f.Close() // from now on, nothing can be written
	const size = 4 << 20
	if n, err := io.Copy(io.Discard, log.tee(io.LimitReader(zeros{}, size))); n != size || err != nil {
		t.Errorf("%d of %d bytes were read: %v", n, size, err)
	}
	if err := log.close(); err == nil || !strings.Contains(err.Error(), "cannot write "+name) {
		t.Errorf("error is %v", err)
	}
	if left, err := os.ReadDir(filepath.Dir(name)); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }
