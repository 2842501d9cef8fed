//go:build linux && (amd64 || arm64) && cgo

package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/memory"
	"github.com/seamgo/seam/cmd/seam/internal/memory/account"
	"github.com/seamgo/seam/cmd/seam/internal/weld/leaks"
	"github.com/seamgo/seam/internal/testenv"
)

// What a single look has found is all that there is to say of a program that records nothing.
func TestResidentOfOneLook(t *testing.T) {
	const mb = 1 << 20
	a := &account.Account{PID: 7, RSS: 90 * mb, Parts: []account.Part{{Kind: account.CUsed, Bytes: 70 * mb}, {Kind: account.CFree, Bytes: 3 * mb}, {Kind: account.GoHeap, Bytes: 9 * mb}, {Kind: account.Files, Bytes: 8 * mb}}}
	f := leaks.File{Resident: resident(&memory.Report{First: a, Last: a, Ended: true, Samples: []memory.Sample{{RSS: a.RSS}}})}
	if n := f.Unexplained(); n != 73*mb || f.Resident.Unclear == "" || !strings.HasPrefix(f.Resident.Sentence, "RSS was 90 MiB when it was looked at, once") {
		t.Errorf("%d bytes, %+v", n, f.Resident)
	}
	if err := (&leaksVerb{}).check(&f); err == nil || !strings.Contains(err.Error(), "it can't be told whether it goes on") {
		t.Error(err)
	}
	if resident(nil) != nil {
		t.Error("nobody looked, and something is said")
	}
}

// leakyModule writes a module whose program does what its argument says, and
// whose tests leave one block.
func leakyModule(t *testing.T) string {
	t.Helper()
	testenv.Tool(t, "gcc")
	t.Setenv("GOWORK", "off")
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/leaky\n\ngo 1.25.0\n",
		"main.go": `package main

// #include <stdlib.h>
import "C"

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
	"unsafe"
)

func keep(n int) {
	for range n {
		C.CString("four")
	}
}

func main() {
	switch what := os.Args[1]; what {
	case "clean":
		C.free(unsafe.Pointer(C.CString("four")))
	case "keep":
		keep(3)
		fmt.Println("kept")
	case "fail":
		keep(3)
		os.Exit(3)
	case "serve":
		signals := make(chan os.Signal, 1)
		signal.Notify(signals, syscall.SIGTERM)
		keep(1)
		fmt.Println("ready")
		fmt.Println("server:", <-signals)
	case "wait":
		keep(1)
		fmt.Println("ready")
		time.Sleep(time.Minute)
	}
}
`,
		"main_test.go": "package main\n\nimport \"testing\"\n\nfunc TestKeep(t *testing.T) { keep(1) }\n",
		"none/none.go": "package main\n\n// #include <stdlib.h>\nimport \"C\"\n\nfunc main() { C.abs(1) }\n",
		"gone/gone.go": "package main\n\nfunc main() { nothing() }\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// seamLeaks runs seam leaks. Code is that of the exit.
func seamLeaks(ctx context.Context, args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	s := testSession(ctx, strings.NewReader(""), &out, &errs)
	code = conclude(&errs, s.run(append([]string{"leaks"}, args...)))
	return code, out.String(), errs.String()
}

func TestLeaksVerb(t *testing.T) {
	testenv.OtherProgram(t)
	dir := leakyModule(t)
	folder := t.TempDir()
	file := func(name string) string { return filepath.Join(folder, name) }
	if err := os.WriteFile(file("a.raw"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	empty := t.TempDir()
	for _, c := range []struct {
		args     string // in which @ is the module and % a folder
		code     int
		out, err string
	}{
		{args: "-- go run -C @ . clean", err: "No leak of what Go allocates in C: 1 block of C memory allocated by Go in 1 process, and all were"},
		{args: "--check -- go run -C @ . clean", err: "No leak of what Go allocates in C: "},
		{args: "-- go run -C @ . keep", out: "kept\n", err: "15 B in 3 blocks by C.CString"},
		{args: "--check -- go run -C @ . keep", code: exitFinding, out: "kept\n", err: "seam: --check: memory from 1 place was never freed"},
		{args: "--check -- go run -C @ . fail", code: 1, err: "15 B in 3 blocks by C.CString"},
		{args: "--check -- go test -C @ .", code: exitFinding, out: "ok", err: "leaky.TestKeep  main_test.go:5"},
		{args: "--json - -- go test -C @ .", out: `"what": "C.CString"`},
		{args: "--check --growing -- go run -C @ . keep", code: exitFailed, out: "kept\n", err: "--check: of 1 place it can't be told whether what it holds grows"},
		{args: "--growing -- go run -C @ . keep", out: "kept\n", err: "3 blocks, 15 B, never freed, from 1 place; the run was too short"},
		{args: "-- go run -C @ ./none", err: "No leak of what Go allocates in C: no package outside the standard library called"},
		{args: "--json - -- go run -C @ ./none", out: `"leaks": []`, err: "No leak of what Go allocates in C: no package outside the standard library called"},
		{args: "-- go run -C @ ./gone", code: 1, err: "undefined: nothing"},
		{args: "-- go test -C @ ./away", code: 1, err: ""},
		{args: "", code: exitUsage, err: "nothing to search"},
		{args: "-- make all", code: exitUsage, err: "not the go command"},
		{args: "-- go vet ./...", code: exitUsage, err: "only go build"},
		{args: "-- /nowhere/go run .", code: exitUsage, err: "/nowhere/go"},
		{args: "--json= -- go test", code: exitUsage, err: "file's name is empty"},
		{args: "--pprof /nowhere/p -- go test", code: exitUsage, err: "/nowhere"},
		{args: "--pprof %/x --json %/x -- go test", code: exitUsage, err: "give one of them another file"},
		{args: "--collect %/none", code: exitUsage, err: "no such folder"},
		{args: "--collect %/a.raw", code: exitUsage, err: "not the recording of a process that was searched for leaks"},
		{args: "--collect %", code: exitFailed, err: "left out: "},
		{args: "--collect ^", code: exitFailed, err: "no record of a program"},
		{args: "--collect ^", code: exitFailed, err: "one in which no package calls C.CString, C.malloc or the like leaves none"},
	} {
		t.Run(c.args, func(t *testing.T) {
			args := strings.Fields(strings.NewReplacer("@", dir, "%", folder, "^", empty).Replace(c.args))
			code, stdout, stderr := seamLeaks(context.Background(), args...)
			if code != c.code || !strings.Contains(stdout, c.out) || !strings.Contains(stderr, c.err) {
				t.Errorf("code %d, want %d with %q and %q:\n%s%s", code, c.code, c.out, c.err, stdout, stderr)
			}
		})
	}
}

// --check gives the all-clear only where growth that isn't tracked is seen to have come to rest.
func TestLeaksCheck(t *testing.T) {
	const mb = 1 << 20
	one := []leaks.Leak{{Class: leaks.Steady, Blocks: 1, Bytes: 5, History: make([]uint64, 16)}}
	for _, c := range []struct {
		name string
		file leaks.File
		code int
		says string
	}{
		{"nobody looked", leaks.File{}, exitOK, ""},
		{"came to rest", leaks.File{Resident: &leaks.Resident{Malloc: 5 * mb}}, exitOK, ""},
		{"rises", leaks.File{Resident: &leaks.Resident{Malloc: 5 * mb, Rises: true}}, exitFailed, "memory grows by what isn't tracked (5.00 MiB)"},
		{"too little to judge", leaks.File{Resident: &leaks.Resident{Malloc: 5 * mb, Unclear: "1 MiB more is little beside 30 MiB"}}, exitFailed, "it can't be told whether it goes on"},
		{"as little as in any program", leaks.File{Resident: &leaks.Resident{Malloc: 50 << 10, Unclear: "2 looks in 100ms do not say"}}, exitOK, ""},
		{"only recorded", leaks.File{Resident: &leaks.Resident{Other: 20 * mb, Recorded: true, Unclear: "not recorded"}}, exitFailed, "it can't be told whether it goes on"},
		{"a finding comes first", leaks.File{Leaks: one, Blocks: 1, Bytes: 5, Resident: &leaks.Resident{Malloc: 5 * mb, Rises: true}}, exitFinding, "memory from 1 place was never freed"},
	} {
		var errs bytes.Buffer
		code := conclude(&errs, (&leaksVerb{Check: true}).check(&c.file))
		if code != c.code || !strings.Contains(errs.String(), c.says) {
			t.Errorf("%s: code %d, %q; want %d and %q", c.name, code, errs.String(), c.code, c.says)
		}
	}
}

// A program that was only built is reported on when it has run, once.
func TestLeaksCollects(t *testing.T) {
	testenv.OtherProgram(t)
	dir := leakyModule(t)
	t.Chdir(dir) // whose recordings are collected
	records := t.TempDir()
	t.Setenv("SEAM_LEAKS", records)
	exe := filepath.Join(dir, "prog")
	if code, _, stderr := seamLeaks(context.Background(), "--", "go", "build", "-C", dir, "-o", exe, "."); code != 0 || !strings.Contains(stderr, "seam leaks --collect") {
		t.Fatalf("code %d\n%s", code, stderr)
	}
	for range 2 {
		if out, err := exec.Command(exe, "keep").CombinedOutput(); err != nil || string(out) != "kept\n" {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	result, heap := filepath.Join(dir, "leaks.json"), filepath.Join(dir, "leaks.pprof")
	code, stdout, stderr := seamLeaks(context.Background(), "--collect", "--check", "--json", result, "--pprof", heap)
	if code != exitFinding || !strings.Contains(stdout, "30 B in 6 blocks by C.CString") {
		t.Fatalf("code %d\n%s%s", code, stdout, stderr)
	}
	text, err := os.ReadFile(result)
	if err != nil {
		t.Fatal(err)
	}
	var f leaks.File
	if err := json.Unmarshal(text, &f); err != nil {
		t.Fatal(err)
	}
	if f.Blocks != 6 || f.Bytes != 30 || len(f.Processes) != 2 || len(f.Leaks) != 1 || f.OS != "linux" || f.Go == "" {
		t.Errorf("%+v", f)
	}
	data, err := os.ReadFile(heap)
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.ParseData(data)
	if err != nil || len(p.Sample) != 1 || p.Sample[0].Value[3] != 30 {
		t.Errorf("%v, %v", p, err)
	}
	if code, _, stderr := seamLeaks(context.Background(), "--collect"); code != exitFailed {
		t.Errorf("collected twice: code %d\n%s", code, stderr)
	}
}

// The program gets the signal that seam gets, and ends in its own way; go run tells only
// that it ended well.
func TestLeaksSignal(t *testing.T) {
	testenv.OtherProgram(t)
	dir := leakyModule(t)
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	var errs bytes.Buffer
	out := &notice{want: "ready", seen: func() { cancel(gotool.Signal{Signal: syscall.SIGTERM}) }}
	s := testSession(ctx, strings.NewReader(""), out, &errs)
	code := conclude(&errs, s.run([]string{"leaks", "--", "go", "run", "-C", dir, ".", "serve"}))
	if code != exitOK || !strings.Contains(out.text.String(), "server: terminated") || !strings.Contains(errs.String(), "5 B in 1 block by C.CString") {
		t.Errorf("code %d\n%s%s", code, out.text.String(), errs.String())
	}
}

// What is missing of a recording is said first and by the exit code, and a process that
// could not record at all is not passed over.
func TestLeaksIncomplete(t *testing.T) {
	testenv.OtherProgram(t)
	dir := leakyModule(t)
	t.Chdir(dir) // whose recordings are collected
	records := t.TempDir()
	t.Setenv("SEAM_LEAKS", records)
	exe := filepath.Join(dir, "prog")
	if code, _, stderr := seamLeaks(context.Background(), "--", "go", "build", "-C", dir, "-o", exe, "."); code != 0 {
		t.Fatalf("code %d\n%s", code, stderr)
	}
	if out, err := exec.Command(exe, "clean").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	names, err := filepath.Glob(filepath.Join(records, "*.raw"))
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	whole, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, flags := range [][]string{nil, {"--check"}, {"--check", "--growing"}} {
		if err := os.WriteFile(names[0], whole[:5000], 0o600); err != nil { // head -c 5000
			t.Fatal(err)
		}
		code, stdout, stderr := seamLeaks(context.Background(), append([]string{"--collect"}, flags...)...)
		if code != exitFailed || !strings.HasPrefix(stdout, "Incomplete, so this is no proof") || strings.Contains(stdout, "No leak") || !strings.Contains(stderr, "the recording is incomplete: ") {
			t.Errorf("%v: cut off: code %d\n%s%s", flags, code, stdout, stderr)
		}
	}
	if err := os.WriteFile(names[0], whole, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(records, "9-9.raw"), 0o700); err != nil { // what C leaves without a descriptor
		t.Fatal(err)
	}
	code, stdout, _ := seamLeaks(context.Background(), "--collect")
	if code != exitFailed || !strings.HasPrefix(stdout, "Incomplete") || !strings.Contains(strings.Join(strings.Fields(stdout), " "), "a process could not record") {
		t.Errorf("one process could not record: code %d\n%s", code, stdout)
	}
	if err := os.Remove(filepath.Join(records, "9-9.raw")); err != nil {
		t.Fatal(err)
	}
	if code, stdout, stderr := seamLeaks(context.Background(), "--collect", "--check", "--growing"); code != exitOK || !strings.HasPrefix(stdout, "No leak of what Go allocates in C: ") {
		t.Errorf("whole again: code %d\n%s%s", code, stdout, stderr)
	}
}

func TestLeaksInterrupted(t *testing.T) {
	testenv.OtherProgram(t)
	dir := leakyModule(t)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var errs bytes.Buffer
	out := &notice{want: "ready", seen: cancel}
	s := testSession(ctx, strings.NewReader(""), out, &errs)
	code := conclude(&errs, s.run([]string{"leaks", "--", "go", "run", "-C", dir, ".", "wait"}))
	if code != exitInterrupted || !strings.Contains(errs.String(), "5 B in 1 block by C.CString") {
		t.Errorf("code %d\n%s", code, errs.String())
	}
}
