package toolexec

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestArchive(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(name, []byte(arMagic), 0o600); err != nil {
		t.Fatal(err)
	}
	contents := map[string][]byte{"_go_.o": []byte("odd"), "_seam_asm.o": []byte("even")}
	for _, m := range []string{"_go_.o", "_seam_asm.o"} {
		if err := appendMember(name, m, contents[m]); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for m, want := range contents {
		if got, err := member(data, m); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s has %q, %v; want %q", m, got, err, want)
		}
	}
	for _, wrong := range [][]byte{nil, data[:20], data[:70], []byte("text")} {
		if got, err := member(wrong, "_seam_asm.o"); err == nil {
			t.Errorf("%q has the member: %q", wrong, got)
		}
	}
}

// The archives of the go command are of the form that is read and written here.
func TestArchiveOfGo(t *testing.T) {
	data, err := os.ReadFile(exported(t, "runtime/cgo"))
	if err != nil {
		t.Fatal(err)
	}
	object, err := member(data, "_go_.o")
	if err != nil {
		t.Fatal(err)
	}
	if sum, ok := fingerprint(exported(t, "runtime/cgo")); !ok || !bytes.Contains(object, append(bytes.Clone(objectMagic), sum[:]...)) {
		t.Errorf("the object has not the fingerprint %x behind its beginning", sum)
	}
}
