//go:build linux && (amd64 || arm64)

package heap

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/memory"
	"github.com/seamgo/seam/cmd/seam/internal/memory/account"
	"github.com/seamgo/seam/cmd/seam/internal/memory/verdict"
	"github.com/seamgo/seam/internal/testenv"
)

// compile builds a program of C.
func compile(t *testing.T, source string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "program")
	cmd := exec.CommandContext(t.Context(), testenv.Tool(t, "gcc"), "-O1", "-g", "-fno-optimize-sibling-calls", "-o", program, "-x", "c", "-")
	cmd.Stdin = strings.NewReader(source)
	run(t, "", cmd)
	return program
}

// The child can't open a file; its child could again.
const limited = `
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
static void *volatile keep;
static int wait_for(pid_t pid) { int s; return waitpid(pid, &s, 0) == pid ? s : -1; }
int main(void) {
	struct rlimit was, none;
	getrlimit(RLIMIT_NOFILE, &was);
	none = was;
	none.rlim_cur = 0;
	if (setrlimit(RLIMIT_NOFILE, &none) != 0)
		return 2;
	pid_t pid = fork();
	if (pid == 0) {
		setrlimit(RLIMIT_NOFILE, &was);
		pid = fork();
		for (int i = 0; i < 100; i++) {
			keep = malloc(1000);
			free(keep);
		}
		_exit(pid == 0 || wait_for(pid) == 0 ? 0 : 3);
	}
	return wait_for(pid) == 0 ? 0 : 4;
}
`

// A process that can't record runs as it would, and is told of.
func TestSilent(t *testing.T) {
	l, program := library(t), compile(t, limited)
	for _, c := range []struct{ line, says string }{
		{"ulimit -f 1 && exec " + program, "(ulimit -f)"},
		{"exec " + program, "(program): it may open no more files (ulimit -n)"},
	} {
		dir := t.TempDir()
		cmd := exec.CommandContext(t.Context(), "sh", "-c", "export LD_PRELOAD="+l+"; "+c.line) // sh itself is not to record
		cmd.Env = append(os.Environ(), FolderVariable+"="+dir, RateVariable+"=1")
		run(t, "", cmd)
		w := NewWatcher(dir)
		if err := w.look(false); err != nil {
			t.Fatal(err)
		}
		r, err := w.Report(nil)
		if err == nil {
			err = fmt.Errorf("%s", r.Missing)
		}
		if !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v; want %q", c.line, err, c.says)
		}
	}
}

// Of the process that grew most nothing was recorded: it is no all-clear that another has little.
func TestMissing(t *testing.T) {
	look := func(pid int, exe string, rss uint64, parts ...account.Part) *account.Account {
		return &account.Account{PID: pid, Exe: exe, RSS: rss, Parts: parts}
	}
	tables := account.Part{Kind: account.Own, Bytes: 4096}
	for _, c := range []struct {
		name        string
		first, last *account.Account
		says        string
		accounted   bool
	}{
		{"static", look(8, "/bin/static", 1<<20), look(8, "/bin/static", 9<<20), "Nothing was recorded of process 8 (static), which grew most, by 8 MiB", false},
		{"small", look(8, "/bin/static", 1<<20), look(8, "/bin/static", 2<<20-1), "", false},
		{"recorded", look(7, "/bin/sh", 1<<20), look(7, "/bin/sh", 9<<20, tables), "", true},
		{"of another namespace", look(1007, "/bin/sh", 1<<20), look(1007, "/bin/sh", 9<<20, tables), "", true},
	} {
		w := NewWatcher("")
		w.watches["a"] = &watch{name: "a"}
		w.watches["a"].add(&Record{Rate: 512 << 10, PID: 7, Exe: "/bin/sh"}, time.Second)
		r, err := w.Report(&memory.Report{First: c.first, Last: c.last, Samples: make([]memory.Sample, 2)})
		if err != nil {
			t.Fatal(err)
		}
		var page strings.Builder
		if err := r.WriteText(&page, TextOptions{}); err != nil {
			t.Fatal(err)
		}
		text := strings.Join(strings.Fields(page.String()), " ")
		if c.says != "" && !(strings.HasPrefix(text, c.says) && strings.Contains(text, "in process 7 (sh), as far as it is seen")) || c.says == "" && len(r.Missing) > 0 || (r.Account != nil) != c.accounted {
			t.Errorf("%s: an account: %v\n%s", c.name, r.Account != nil, text)
		}
	}
}

// A process whose blocks rise is told of beside the one that is reported, because it has more.
func TestBeside(t *testing.T) {
	w := NewWatcher("")
	for pid, live := range map[int]func(i int) int64{7: func(int) int64 { return 100 << 20 }, 8: func(i int) int64 { return int64(i) << 20 }} {
		x := &watch{name: fmt.Sprint(pid)}
		for i := range 60 {
			x.add(&Record{Rate: 512 << 10, PID: pid, Exe: "/srv/worker", Peak: live(i), Live: live(i), Sites: []Site{{Objects: 1, Live: live(i), Samples: 100}}}, time.Duration(i)*100*time.Millisecond)
		}
		w.watches[x.name] = x
	}
	r, err := w.Report(nil)
	if err != nil {
		t.Fatal(err)
	}
	var page strings.Builder
	if err := r.WriteText(&page, TextOptions{}); err != nil {
		t.Fatal(err)
	}
	if text := strings.Join(strings.Fields(page.String()), " "); r.PID != 7 || r.Verdict.Class != verdict.Steady || !strings.Contains(text, "Process 8 (worker) beside it: what C has allocated and not freed rises until the end, since the first quarter of the run by 45 MiB") {
		t.Errorf("process %d, %+v\n%s", r.PID, r.Verdict, text)
	}
}

// 4096 stacks.
const branching = `
#include <stdlib.h>
static void *volatile keep;
__attribute__((noinline)) static void a(int, int);
__attribute__((noinline)) static void b(int n, int bits) { if (n == 0) keep = malloc(100); else (bits & 1 ? b : a)(n - 1, bits >> 1); __asm__ volatile(""); }
__attribute__((noinline)) static void a(int n, int bits) { if (n == 0) keep = malloc(100); else (bits & 1 ? b : a)(n - 1, bits >> 1); __asm__ volatile(""); }
int main(void) {
	for (int i = 0; i < 4096; i++)
		a(14, i);
	return 0;
}
`

// Where the disk is full a page of the record can't be had: stacks are lost, and the program goes on.
func TestFullDisk(t *testing.T) {
	testenv.OtherProgram(t)
	l, program, kept := library(t), compile(t, branching), t.TempDir()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", `mount -t tmpfs -o size=200k none "$SEAM_HEAP" && LD_PRELOAD="$0" "$1" && cp --sparse=always "$SEAM_HEAP"/*.heap "$2"`, l, program, kept)
	cmd.Env = append(os.Environ(), FolderVariable+"="+t.TempDir(), RateVariable+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWNS | syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EINVAL) {
		t.Skipf("a process can't have file systems of its own here: %v", err)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	names, err := filepath.Glob(filepath.Join(kept, "*.heap"))
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	r, err := ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	blocks := int64(0)
	for i := range r.Sites {
		blocks += r.Sites[i].LiveObjects
	}
	if blocks < 4096 || r.LostStacks == 0 || r.LostStacks > 4096 {
		t.Errorf("%d blocks, %d stacks lost", blocks, r.LostStacks)
	}
}
