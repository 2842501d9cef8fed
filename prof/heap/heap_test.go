//go:build linux && !android && (amd64 || arm64) && gc && cgo && !asan && !msan

//seam:test race nocgo metal

package heap_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/seamgo/seam/internal/testenv"
	"github.com/seamgo/seam/prof/heap"
	"github.com/seamgo/seam/prof/heap/ctest"
)

// Every block is counted: the package reads the rate before any test can set it.
func TestMain(m *testing.M) {
	if os.Getenv("SEAM_HEAP_RATE") == "" {
		self, err := os.Executable()
		if err == nil {
			err = syscall.Exec(self, os.Args, append(os.Environ(), "SEAM_HEAP_RATE=1"))
		}
		panic(err)
	}
	m.Run()
}

//go:noinline
func holds(n int) (list []unsafe.Pointer) {
	for range n {
		list = append(list, ctest.Hold(1000))
	}
	return list
}

func free(list []unsafe.Pointer) {
	for _, p := range list {
		ctest.Free(p)
	}
}

// traces is what go tool pprof makes of a profile.
func traces(t *testing.T, profile []byte, index string) string {
	t.Helper()
	testenv.GoProgram(t)
	name := filepath.Join(t.TempDir(), "cheap")
	if err := os.WriteFile(name, profile, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "go", "tool", "pprof", "-traces", "-sample_index="+index, name).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// trace is the part of traces that has a function.
func trace(all, function string) string {
	for part := range strings.SplitSeq(all, "-----------+-------------------------------------------------------\n") {
		if strings.Contains(part, function) {
			return part
		}
	}
	return ""
}

func TestProfile(t *testing.T) {
	if err := heap.Status(); err != nil {
		t.Fatal(err)
	}
	list := holds(300)
	free(list[:100])
	defer free(list[100:])
	var file bytes.Buffer
	if err := heap.WriteProfile(&file); err != nil {
		t.Fatal(err)
	}
	for index, want := range map[string]string{"inuse_objects": "200 ", "inuse_space": "195.31kB ", "alloc_objects": "300 ", "alloc_space": "292.97kB "} {
		got := trace(traces(t, file.Bytes(), index), "heap_test.holds")
		words := strings.Fields(got)
		if !strings.Contains(got, want) || len(words) < 2 || words[1] != "heap_hold" && words[1] != "[program]" || // go test strips the names of C
			!strings.Contains(got, "ctest.Hold") || !strings.Contains(got, "heap_test.TestProfile") || !strings.Contains(got, "testing.tRunner") {
			t.Errorf("%s: %q; want %sin heap_hold, below holds, TestProfile and tRunner", index, got, want)
		}
	}
}

func TestDelta(t *testing.T) {
	before := holds(50)
	defer func() { free(before) }()
	answer := make(chan *httptest.ResponseRecorder)
	go func() {
		w := httptest.NewRecorder()
		heap.Handler(w, httptest.NewRequest("GET", "/debug/pprof/cheap?seconds=2", nil))
		answer <- w
	}()
	var w *httptest.ResponseRecorder
	var list []unsafe.Pointer
	for i := 0; w == nil; i++ { // while it waits, whenever it has begun: more each time
		select {
		case w = <-answer:
		default:
			list = append(list, holds(1)...)
			time.Sleep(time.Millisecond) // without it they are a million, for which there is no room
		}
	}
	defer free(list)
	if w.Code != 200 {
		t.Fatal(w.Code, w.Body)
	}
	got := trace(traces(t, w.Body.Bytes(), "inuse_objects"), "heap_test.holds")
	if got == "" || !strings.Contains(got, "heap_test.TestDelta") {
		t.Errorf("%q", got)
	}
	for _, seconds := range []string{"0", "-1", "x", "1e9", "3601"} {
		w := httptest.NewRecorder()
		heap.Handler(w, httptest.NewRequest("GET", "/debug/pprof/cheap?seconds="+seconds, nil))
		if w.Code != 400 || !strings.Contains(w.Body.String(), "want a whole number") {
			t.Errorf("seconds=%s: %d %s", seconds, w.Code, w.Body)
		}
	}
}

func TestMetrics(t *testing.T) {
	before := heap.Read()
	list := holds(100)
	p := ctest.Map(1 << 20)
	now := heap.Read()
	// Threads that begin meanwhile allocate a few hundred bytes each.
	if d := now.Live - before.Live; d < 100_000 || d > 120_000 {
		t.Errorf("%d bytes more are live; want 100000", d)
	}
	if d := now.Mapped - before.Mapped; d != 1<<20 {
		t.Errorf("%d bytes more are mapped; want a MiB", d)
	}
	if now.Peak < now.Live || now.RSS <= 0 || now.Samples < before.Samples+101 || now.Lost != before.Lost {
		t.Errorf("%+v", now)
	}
	// Of each figure there are a word of help, its type and its value.
	var text strings.Builder
	if err := heap.WriteMetrics(&text); err != nil {
		t.Fatal(err)
	}
	values := map[string]int64{}
	lines := strings.Split(strings.TrimSuffix(text.String(), "\n"), "\n")
	for i := 0; i+2 < len(lines); i += 3 {
		name, value, _ := strings.Cut(lines[i+2], " ")
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil || n < 0 || !strings.HasPrefix(lines[i], "# HELP "+name+" ") ||
			strings.HasSuffix(name, "_total") != (lines[i+1] == "# TYPE "+name+" counter") || !strings.HasPrefix(lines[i+1], "# TYPE "+name+" ") {
			t.Errorf("%q, %v", lines[i:i+3], err)
		}
		values[name] = n
	}
	if len(lines)%3 != 0 || len(values) != reflect.TypeFor[heap.Metrics]().NumField() {
		t.Errorf("%d lines, %d figures", len(lines), len(values))
	}
	if values["seam_c_heap_mapped_bytes"] != now.Mapped || values["seam_c_heap_samples_total"] < now.Samples || values["seam_c_heap_allocated_bytes_total"] < now.Allocated {
		t.Errorf("%v; %+v", values, now)
	}
	free(list)
	ctest.Unmap(p, 1<<20)
	end := heap.Read()
	if end.Mapped != before.Mapped || end.Live > before.Live+20_000 || end.Allocated < before.Allocated+100_000 {
		t.Errorf("at the end: %+v; before %+v", end, before)
	}
}

// Blocks that are freed by other threads, under garbage collection and SIGPROF, leave nothing.
func TestStorm(t *testing.T) {
	if err := pprof.StartCPUProfile(io.Discard); err == nil {
		defer pprof.StopCPUProfile()
	}
	live := func() int64 {
		var file bytes.Buffer
		if err := heap.WriteProfile(&file); err != nil {
			t.Error(err)
		}
		return heap.Read().Live
	}
	before := live()
	blocks := make(chan unsafe.Pointer, 100)
	var makers, takers sync.WaitGroup
	for range 4 {
		makers.Add(1)
		go func() {
			defer makers.Done()
			for i := range 5000 {
				blocks <- ctest.Hold(i % 500)
				if i%1000 == 0 {
					runtime.GC()
				}
			}
		}()
		takers.Add(1)
		go func() {
			defer takers.Done()
			for p := range blocks {
				ctest.Free(p)
			}
		}()
	}
	for range 5 {
		live()
		if code := ctest.InChild(); code != 7 {
			t.Errorf("the child ended with %d", code)
		}
	}
	makers.Wait()
	close(blocks)
	takers.Wait()
	if d := live() - before; d > 20_000 || d < -20_000 { // threads' own
		t.Errorf("%d bytes are left", d)
	}
}

func ExampleRead() {
	m := heap.Read()
	fmt.Println(m.Live <= m.Peak)
	// Output: true
}
