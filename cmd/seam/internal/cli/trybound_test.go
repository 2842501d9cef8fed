//go:build linux && (amd64 || arm64) && cgo

package cli

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

func TestTryOfAProcessIsRefused(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"--pid 0", 2, "--pid 0: want the number of a process"},
		{"--pid 1 -- ./x", 2, "leave one out"},
		{"--pid 1 --html x.html", 2, "--html and --plan are for what is built and compared"},
		{"--pid 1 --for 1ms", 2, "at least 1s"},
		{"--pid 999999999", 3, "there is no process 999999999"},
		{"--plan x -- " + self, 2, "--html and --plan"},
		{"-- ./no-such-program", 2, "neither a go command nor the folder of a package"},
	} {
		r := seam(t, append([]string{"try"}, strings.Fields(c.args)...)...)
		if r.code != c.code || !strings.Contains(r.errout, c.says) || r.out != "" {
			t.Errorf("seam try %s: code %d, %q %q; want %d and %q", c.args, r.code, r.out, r.errout, c.code, c.says)
		}
	}
}

// A program is run, looked at and ended; what it prints is its own.
func TestTryOfAProgram(t *testing.T) {
	testenv.OtherProgram(t)
	dir := t.TempDir()
	t.Chdir(dir)
	for name, text := range map[string]string{
		"go.mod": "module example.com/idle\n\ngo 1.25\n",
		"main.go": `package main

// static int one(void) { return 1; }
import "C"

import (
	"fmt"
	"os"
	"time"
)

func main() {
	fmt.Println("listening")
	for range C.one() {
		if len(os.Args) > 1 {
			time.Sleep(time.Hour)
		}
	}
	for {
		C.one()
	}
}
`,
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command("go", "build", "-o", "idle", ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	r := seam(t, "try", "--for", "1s", "--", "./idle", "sleep")
	if r.code != 3 || r.out != "listening\n" || !strings.Contains(r.errout, "are needed: give it something to do") {
		t.Errorf("an idle program: code %d, %q\n%s", r.code, r.out, r.errout)
	}
	for long := 2; ; long *= 2 {
		r := seam(t, "try", "--for", fmt.Sprintf("%ds", long), "--", "./idle")
		if r.code == 3 && strings.Contains(r.errout, "are needed") && long < 64 {
			continue // a busy machine
		}
		if r.code != 0 || r.out != "listening\n" || !strings.Contains(r.errout, "By these samples seam weld can save at most") {
			t.Errorf("a program that calls C: code %d, %q\n%s", r.code, r.out, r.errout)
		}
		break
	}
}
