//go:build linux && (amd64 || arm64)

package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/memory"
	"github.com/seamgo/seam/internal/testenv"
)

func TestRSS(t *testing.T) {
	self := strconv.Itoa(os.Getpid())
	seam(t, "rss", "--pid", self).must(t, exitOK, "RSS is ", "")
	c := seam(t, "rss", "--pid", self, "--for", "300ms", "--json", "-")
	var r memory.Report
	if err := json.Unmarshal([]byte(c.out), &r); err != nil || c.code != exitOK || r.Schema != memory.Schema || r.First.PID != os.Getpid() || len(r.Samples) < 2 {
		t.Errorf("exit code %d, %v\n%s%s", c.code, err, c.out, c.errout)
	}
	seam(t, "rss", "--pid", "1073741824").must(t, exitFailed, "", "there is no such process")
	seam(t, "rss", "--pid", self, "--for", "200ms", "--fail-growth", "1MB/min").must(t, exitFailed, "RSS ", "do not say how fast RSS rises")
}

func TestRSSArguments(t *testing.T) {
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"rss"}, "nothing to look at"},
		{[]string{"rss", "--pid", "0"}, "want the number of a process"},
		{[]string{"rss", "--pid", "1", "--", "true"}, "leave one out"},
		{[]string{"rss", "--pid", "1", "--fail-growth", "1MB/min"}, "take more than one look"},
		{[]string{"rss", "--for", "1s", "--", "true"}, "--for is for --pid"},
		{[]string{"rss", "--fail-growth", "fast", "--", "true"}, `"fast" is no rate`},
		{[]string{"rss", "--fail-growth", "1MB/year", "--", "true"}, "is no rate"},
		{[]string{"rss", "--", "go", "build", "."}, "runs no program"},
		{[]string{"rss", "--", "no-such-program-here"}, "no-such-program-here can't be run"},
	} {
		seam(t, c.args...).must(t, exitUsage, "", c.says)
	}
	for given, want := range map[string]float64{"1MB/min": 1e6, "500KiB/s": 500 << 10 * 60, "2GB/h": 2e9 / 60, "1.5 MiB/min": 1.5 * (1 << 20)} {
		if got, err := parseRate(given); err != nil || got < want*0.9999 || got > want*1.0001 {
			t.Errorf("%s: %v, %v; want %v", given, got, err, want)
		}
	}
}

// growing holds 100 KB of C memory more every 20 ms; its grandchild is what is looked at.
const growing = `package main

/*
#include <stdlib.h>
#include <string.h>
static void more(void) { char *p = malloc(100000); memset(p, 1, 100000); __asm__ volatile("" :: "r"(p) : "memory"); }
*/
import "C"
import "time"

func main() {
	for range 400 {
		C.more()
		time.Sleep(20 * time.Millisecond)
	}
}
`

// A program that grows is found behind the go command, which has processes of its own.
func TestRSSOfGoRun(t *testing.T) {
	testenv.Builds(t)
	testenv.Tool(t, "gcc")
	t.Chdir(t.TempDir())
	writeFile(t, "main.go", growing)
	c := seam(t, "rss", "--fail-growth", "1MB/min", "--html", "rss.html", "--", "go", "run", "main.go")
	c.must(t, exitFinding, "", "C memory in use (malloc)")
	c.must(t, exitFinding, "", "--fail-growth: RSS rises by ")
	if page, err := os.ReadFile("rss.html"); err != nil || len(page) < 2000 {
		t.Error(err, len(page))
	}
	// The code is the program's.
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	c = seam(t, "rss", "--", sh, "-c", "sleep 0.4; exit 7")
	if c.code != 7 {
		t.Errorf("exit code %d\n%s", c.code, c.errout)
	}
}

// What C allocates by itself is no block of Go's: seam leaks must not call that "no leak".
func TestLeaksSaysWhatItDoesNotSee(t *testing.T) {
	testenv.Builds(t)
	testenv.Tool(t, "gcc")
	t.Chdir(t.TempDir())
	writeFile(t, "go.mod", "module growing\n\ngo 1.25\n")
	writeFile(t, "main.go", growing)
	c := seam(t, "leaks", "--check", "--", "go", "run", ".")
	if said := strings.Join(strings.Fields(c.errout), " "); c.code != exitFailed || !strings.Contains(said, "--check: memory gr") || !strings.Contains(said, "Memory grew by") || !strings.Contains(said, "and not by what Go allocates in C") || strings.Contains(said, "No leak") {
		t.Errorf("exit code %d\n%s", c.code, c.errout)
	}
}

// mapping could ask C for strings, and maps 40 MB instead.
const mapping = `package main

/*
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
static void more(void) { memset(mmap(0, 40 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 1, 40 << 20); }
*/
import "C"
import (
	"os"
	"time"
)

func main() {
	if len(os.Args) > 1 {
		C.CString(os.Args[1])
	}
	C.more()
	time.Sleep(2 * time.Second) // its size is noted ten times a second
}
`

// A program that asks for no block has a record, which says how large it became.
func TestLeaksOfMappings(t *testing.T) {
	testenv.Builds(t)
	testenv.Tool(t, "gcc")
	t.Chdir(t.TempDir())
	writeFile(t, "go.mod", "module mapping\n\ngo 1.25\n")
	writeFile(t, "main.go", mapping)
	seam(t, "leaks", "--", "go", "build", "-o", "mapping", ".").must(t, exitOK, "", "records what it gets from C")
	records := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "./mapping")
	cmd.Env = append(os.Environ(), "SEAM_LEAKS="+records)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	c := seam(t, "leaks", "--collect", records)
	if said := strings.Join(strings.Fields(c.out), " "); c.code != exitOK || !strings.Contains(said, "Memory grew by 4") || !strings.Contains(said, "Go allocated no C memory in 1 process.") {
		t.Errorf("exit code %d\n%s%s", c.code, c.out, c.errout)
	}
}
