//go:build linux

//seam:test race

package park

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/seamgo/seam"
	"github.com/seamgo/seam/cmd/seam/internal/weld/recording/recordingtest"
	"github.com/seamgo/seam/internal/abi"
	"github.com/seamgo/seam/internal/testenv"
)

func TestCompilesAsRuntimeCgo(t *testing.T) {
	recordingtest.CompilesInRuntimeCgo(t, Name, C())
	recordingtest.CompilesInRuntimeCgo(t, Name, CoroC())
}

// The list of waits is what the table says, each row of it, and what the compiled texts define.
func TestTable(t *testing.T) {
	text, err := seam.Netio.ReadFile("coro/netio/table.h")
	if err != nil {
		t.Fatal(err)
	}
	if rows := bytes.Count(text, []byte("\n\tF(")) - len(regexp.MustCompile(`\n\tF\(SYS_`).FindAll(text, -1)); rows != len(table()) {
		t.Errorf("the table has %d rows, of which %d were read", rows, len(table()))
	}
	for text, c := range map[string][]byte{"park": C(), "coro": CoroC()} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, Name), c, 0o600); err != nil {
			t.Fatal(err)
		}
		compile := exec.CommandContext(t.Context(), testenv.Tool(t, "gcc"), "-c", "-x", "c", "-o", "text.o", "-include", Name, os.DevNull)
		compile.Dir = dir
		if out, err := compile.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%.2000s", err, out)
		}
		out, err := exec.CommandContext(t.Context(), testenv.Tool(t, "nm"), filepath.Join(dir, "text.o")).Output()
		if err != nil {
			t.Fatal(err)
		}
		defined := map[string]bool{}
		for _, m := range regexp.MustCompile(`(?m)^[0-9a-f]+ [TWV] (\w+)$`).FindAllSubmatch(out, -1) {
			defined[string(m[1])] = true
		}
		for _, f := range table() {
			switch f.name {
			case "close", "dup2", "dup3", "getaddrinfo", "__cxa_guard_acquire":
				if text == "coro" {
					continue
				}
			}
			if !defined[f.name] {
				t.Errorf("%s: %s is not defined", text, f.name)
			}
		}
	}
}

// What C knows of the runtime's data is what Go knows.
func TestGoroutineNumber(t *testing.T) {
	if want := fmt.Sprintf("PARK_GID = %d ", abi.GID); !bytes.Contains(C(), []byte(want)) {
		t.Errorf("the text lacks %s", want)
	}
}

func TestCooperative(t *testing.T) {
	for name, want := range map[string]bool{"recv": true, "poll": true, "pthread_rwlock_clockrdlock": true, "__cxa_guard_acquire": true, "thrd_sleep": true, "sigwait": true,
		"semop": false, "wait": false, "waitpid": false, "flock": false, "fcntl": false, "pause": false, "close": false,
		"pthread_getattr_np": false, "r10": false, "x8": false, "name": false, "vfork": false} {
		if got := Cooperative()[name]; got != want {
			t.Errorf("%s waits without a thread: %v, want %v", name, got, want)
		}
	}
}
