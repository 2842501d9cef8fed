//go:build linux && !android && cgo && (amd64 || arm64)

//seam:test race nocgo toolchains metal arm64 pointers

package unwind_test

import (
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
	"github.com/seamgo/seam/internal/unwind/ctest"
)

// Jumps to functions of other files have no symbols; they are named as objdump does it, and not
// after what is before them in the file.
func TestNamesOfPLT(t *testing.T) {
	tool := "objdump"
	if runtime.GOARCH == "arm64" { // on another computer, by an emulator
		if path, err := exec.LookPath("aarch64-linux-gnu-objdump"); err == nil {
			tool = path
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := exec.Command(testenv.Tool(t, tool), "-d", "-j", ".plt", "-j", ".plt.sec", "-j", ".plt.got", self).Output()
	if len(text) == 0 {
		t.Fatal(err)
	}
	labels := regexp.MustCompile(`(?m)^([0-9a-f]+) <(\S+)@plt>:`).FindAllStringSubmatch(string(text), -1)
	names := map[string]bool{}
	for _, l := range labels {
		at, err := strconv.ParseUint(l[1], 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		for _, in := range []uintptr{0, 4, 6} {
			got := ctest.Name(ctest.Base() + uintptr(at) + in)
			names[got] = true
			if want, _, _ := strings.Cut(l[2], "@"); got != want+"@plt" && !strings.HasPrefix(want, "*ABS*") {
				t.Errorf("%#x: %q, want %s@plt", at, got, want)
			}
		}
	}
	if !names["dlopen@plt"] && !names["memcpy@plt"] { // in static programs only what is chosen at the start
		t.Errorf("of %d stubs none is dlopen's or memcpy's: %v", len(labels), names)
	}
}
