package cross

import (
	"bytes"
	"debug/pe"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

// A program's DLLs are read from it, those too that are imported by number alone; what isn't a part
// of Windows is named.
func TestLookWindows(t *testing.T) {
	testenv.Foreign(t, "x86_64-w64-mingw32-gcc")
	dir := t.TempDir()
	run := func(line ...string) {
		t.Helper()
		cmd := exec.Command(line[0], line[1:]...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%q: %v\n%s", line, err, out)
		}
	}
	for name, text := range map[string]string{
		"own.def": "LIBRARY own.dll\nEXPORTS\n\ttwo @1 NONAME\n", "own.c": "int two(void) { return 2; }\n",
		"main.c": "int two(void); int main(void) { return two(); }\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run("x86_64-w64-mingw32-gcc", "-shared", "-o", "own.dll", "own.c", "own.def", "-Wl,--out-implib,libown.a")
	run("x86_64-w64-mingw32-gcc", "-o", "p.exe", "main.c", "-L.", "-lown")
	program := filepath.Join(dir, "p.exe")
	b, err := target(t, "windows/amd64", false, "").Look(program)
	if err != nil || b.GOARCH != "amd64" || b.Static || !slices.Equal(b.Foreign, []string{"own.dll"}) || len(b.Wrong) > 0 || !slices.Contains(b.Needs, "KERNEL32.dll") {
		t.Errorf("%+v, %v", b, err)
	}
	for name, want := range map[string]string{"windows/386": "not for windows/386", "windows/amd64": "it isn't static: it needs own.dll"} {
		if b, err := target(t, name, true, "").Look(program); err != nil || !strings.Contains(strings.Join(b.Wrong, "; "), want) {
			t.Errorf("%s: %+v, %v", name, b, err)
		}
	}
	if _, err := target(t, "linux/amd64", false, "").Look(program); err == nil || !strings.Contains(err.Error(), "not an ELF program") {
		t.Error(err)
	}

	// Anybody may have written it.
	text, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		bad := slices.Clone(text[:len(text)-random.IntN(len(text))*random.IntN(2)])
		for range random.IntN(20) {
			if len(bad) > 0 {
				bad[random.IntN(min(len(bad), 1<<random.IntN(20)))] = byte(random.Uint32())
			}
		}
		if f, err := pe.NewFile(bytes.NewReader(bad)); err == nil {
			if list, err := importedDLLs(f); err == nil && len(list) > len(bad)/20 {
				t.Fatalf("%d DLLs in %d bytes", len(list), len(bad))
			}
		}
	}
}

func TestWindowsOwn(t *testing.T) {
	for dll, want := range map[string]bool{
		"KERNEL32.dll": true, "api-ms-win-crt-heap-l1-1-0.dll": true, "WS2_32.DLL": true, "winspool.drv": true,
		"libstdc++-6.dll": false, "libwinpthread-1.dll": false, "vcruntime140.dll": false, "": false,
	} {
		if isWindowsOwn(dll) != want {
			t.Errorf("%s: %v", dll, !want)
		}
	}
}
