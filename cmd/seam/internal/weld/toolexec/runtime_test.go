//seam:test toolchains

package toolexec

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// exported finds the file that the compiler would be given for a package.
func exported(t *testing.T, path string) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-export", "-f", "{{.Export}}", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

func TestFingerprints(t *testing.T) {
	want, ok := fingerprint(exported(t, "runtime"))
	if !ok {
		t.Fatal("package runtime has no fingerprint: Go's object format is another one")
	}
	got, ok := importedFingerprint(exported(t, "sync"), "runtime")
	if !ok || got != want {
		t.Errorf("package sync was compiled against %x (%v), package runtime is %x", got, ok, want)
	}
	if _, ok := importedFingerprint(exported(t, "sync"), "net/http"); ok {
		t.Error("package sync imports net/http")
	}
	for _, file := range []string{"", "no such file", "runtime_test.go"} {
		if sum, ok := fingerprint(file); ok {
			t.Errorf("%q has a fingerprint: %x", file, sum)
		}
	}
}

func TestPackageFile(t *testing.T) {
	cfg := []byte("# import config\npackagefile sync/atomic=/a\npackagefile sync=/b c\n")
	for path, want := range map[string]string{"sync": "/b c", "sync/atomic": "/a", "runtime": ""} {
		if got := packageFile(cfg, path); got != want {
			t.Errorf("%s is in %q, want %q", path, got, want)
		}
	}
}

func FuzzParseObject(f *testing.F) {
	f.Add([]byte("!<arch>\n\x00go120ld12345678\x00\x00\x00\x00\x1c\x00\x00\x00\x2c\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00abcdefgh"))
	if data, err := os.ReadFile("runtime.go"); err == nil {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if o, ok := parseObject(data); ok {
			o.imported("runtime")
		}
	})
}
