package frames

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

// write makes a module of files and returns its folder.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	if files["go.mod"] == "" {
		files["go.mod"] = "module m\n\ngo 1.25\n"
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// build builds the program of a folder.
func build(t *testing.T, dir string, env []string, flags ...string) string {
	t.Helper()
	testenv.Builds(t)
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command here")
	}
	cmd := exec.Command(tool, append(append([]string{"build", "-o", "prog"}, flags...), ".")...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "GOWORK=off", "GOFLAGS=", "GOOS=linux", "CGO_ENABLED=0"), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return filepath.Join(dir, "prog")
}

// analyse builds a program and looks at it.
func analyse(t *testing.T, source string, env []string, o Options, flags ...string) *Binary {
	t.Helper()
	b, err := Analyse(build(t, write(t, map[string]string{"main.go": source}), env, flags...), o)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// toolchains are the versions of Go to build with, as environments.
func toolchains() [][]string {
	list := [][]string{nil}
	for _, version := range testenv.OtherVersions() {
		list = append(list, []string{"GOTOOLCHAIN=" + version})
	}
	return list
}

// growing is a program that starts goroutines of one kind, chosen by its argument,
// and prints how many bytes of stack one of them came to. They wait by
// runtime.Gosched, which needs next to nothing; each is started when the one before
// waits, so that the stacks that were outgrown are used again.
const growing = `package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

var waiting atomic.Int32

//go:nosplit
//go:noinline
func wait() {
	waiting.Add(1)
	for {
		runtime.Gosched()
	}
}

func bytes() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

func measure(start func()) {
	debug.SetGCPercent(-1)
	const n = 200
	before := bytes()
	for i := int32(1); i <= n; i++ {
		start()
		for waiting.Load() < i {
			runtime.Gosched()
		}
	}
	print((bytes() - before) / n, "\n")
	os.Exit(0)
}

func main() {
	kinds[os.Args[1]]()
}
`

// The prediction is what a real runtime does, to the byte: the frames step over
// each size at which a stack grows.
func TestStacksGrowAsPredicted(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("runs what it builds for Linux")
	}
	var kinds, functions bytes.Buffer
	name := 0
	add := func(body string) {
		fmt.Fprintf(&functions, "//go:noinline\nfunc run%d() %s\n", name, body)
		fmt.Fprintf(&kinds, "\t\"%d\": func() { measure(func() { go run%d() }) },\n", name, name)
		name++
	}
	for _, around := range []int{960, 2000, 3080, 7160, 15360} {
		step := 40
		if around < 1000 || around == 3080 {
			step = 8 // all frames there are
		}
		if os.Getenv("SEAM_TEST_EMULATOR") != "" {
			step = 120 // each program takes a second
		}
		for size := around - 40; size <= around+240; size += step {
			// One frame that decides, and one above the frame that does.
			add(fmt.Sprintf("{ var a [%d]byte; touch%d(&a); wait() }", size, size))
			fmt.Fprintf(&functions, "//go:noinline\n//go:nosplit\nfunc touch%d(p *[%d]byte) { p[0] = 1 }\n", size, size)
		}
	}
	for _, size := range []int{64, 200, 400, 1000} {
		add(fmt.Sprintf("{ var a [500]byte; touch500(&a); deep%d(); a[1] = a[0] }", size))
		fmt.Fprintf(&functions, "//go:noinline\nfunc deep%d() { var a [%d]byte; also%d(&a); wait(); a[1] = a[0] }\n", size, size, size)
		fmt.Fprintf(&functions, "//go:noinline\n//go:nosplit\nfunc also%d(p *[%d]byte) { p[0] = 1 }\n", size, size)
	}
	functions.WriteString("//go:noinline\n//go:nosplit\nfunc touch500(p *[500]byte) { p[0] = 1 }\n")
	source := growing + "\nvar kinds = map[string]func(){\n" + kinds.String() + "}\n\n" + functions.String()
	for _, env := range toolchains() {
		t.Run(strings.Join(env, ""), func(t *testing.T) {
			path := build(t, write(t, map[string]string{"main.go": source}), append(env, "GOARCH="+runtime.GOARCH))
			b, err := Analyse(path, Options{Top: 1})
			if err != nil {
				t.Fatal(err)
			}
			predicted := map[string]int64{}
			for _, g := range b.Goroutines {
				if g.Chain != nil {
					predicted[g.Entry] = g.Chain.Stack
				}
			}
			sizes := map[int64]int{}
			for i := range name {
				argv := append(strings.Fields(os.Getenv("SEAM_TEST_EMULATOR")), path, fmt.Sprint(i))
				out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput()
				if err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				var got int64
				if _, err := fmt.Sscan(string(out), &got); err != nil {
					t.Fatalf("%v in %q", err, out)
				}
				want := predicted[fmt.Sprintf("main.run%d", i)]
				sizes[want]++
				// Stacks come in pieces of 32 KB, of which some are begun, and the
				// next smaller sizes are left over once.
				if got < want*15/16 || got > want*3/2 {
					t.Errorf("main.run%d: a stack of %d bytes was predicted, %d were in use for each goroutine", i, want, got)
				}
			}
			if len(sizes) < 5 {
				t.Errorf("only these sizes were predicted: %v", sizes)
			}
		})
	}
}

func runIn(dir string, argv []string) error {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

func output(t *testing.T, argv ...string) string {
	t.Helper()
	out, err := exec.Command(argv[0], argv[1:]...).Output()
	if err != nil {
		t.Skip(err)
	}
	return string(out)
}
