//go:build linux && !android && (amd64 || arm64) && gc && !asan && !msan && go1.25 && !go1.28

package dl

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"
)

// traceFor traces for as long as a test runs, and returns the file.
func traceFor(t *testing.T) string {
	t.Helper()
	if state.Path != PathAssembly {
		t.Skip("nothing is traced here: ", state)
	}
	name := filepath.Join(t.TempDir(), "dl.trace")
	was, file := tracing, startTrace(name)
	if file == nil {
		t.Fatal("there is no trace")
	}
	tracing = file
	t.Cleanup(func() { tracing = was })
	return name
}

// tracedIn is what the file says of a function.
func tracedIn(t *testing.T, file, name string) *traced {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	h := (*traceHeader)(unsafe.Pointer(&text[0]))
	if !bytes.HasPrefix(text, []byte(traceMagic)) || len(text) != traceHead+int(unsafe.Sizeof([traceMost]traced{})) {
		t.Fatalf("%d bytes beginning with %q", len(text), text[:20])
	}
	all := (*[traceMost]traced)(unsafe.Pointer(&text[traceHead]))
	for i := range h.used.Load() {
		if x := &all[i]; strings.TrimRight(string(x.name[:]), "\x00") == name {
			return x
		}
	}
	t.Fatalf("%s has no function %s", file, name)
	return nil
}

// Calls are counted and timed in the file while the program runs, and those that called Go are known, also when
// C calls Go that calls C. No call is made as a leaf.
func TestTrace(t *testing.T) {
	file := traceFor(t)
	add := leafOf[addArgs](t, "add")
	a := addArgs{A: 1, B: 2}
	for range 100 {
		add.Call(&a)
	}
	if x := tracedIn(t, file, "add"); x.calls.Load() != 100 || x.timed.Load() != 88 || x.callbacks.Load() != 0 || x.ns.Load() == 0 || x.longest.Load() > x.ns.Load() {
		t.Errorf("a hundred calls of add are %d, %d of them timed, %d with Go, %d ns, the longest %d", x.calls.Load(), x.timed.Load(), x.callbacks.Load(), x.ns.Load(), x.longest.Load())
	}
	if got := add.f.entry; got != slowEntry {
		t.Error("a leaf has its quick entry while it is traced")
	}
	wide := funcOf[addArgs](t, "add")
	depth := 0
	var call Func[callArgs]
	var back *Callback
	back = callbackOf(t, "back", func(c *callbackArgs) {
		wide.Call(&a)
		if depth++; depth < 3 {
			call.Call(&callArgs{F: back.Pointer(), N: 1})
		}
		wide.Call(&a)
	})
	call = funcOf[callArgs](t, "call")
	call.Call(&callArgs{F: back.Pointer(), N: 1})
	if x := tracedIn(t, file, "call"); x.calls.Load() != 3 || x.callbacks.Load() != 3 {
		t.Errorf("three nested calls that call Go are %d, %d with Go", x.calls.Load(), x.callbacks.Load())
	}
	if x := tracedIn(t, file, "add"); x.calls.Load() != 106 || x.callbacks.Load() != 0 {
		t.Errorf("%d calls of add, %d with Go; want 106 and 0", x.calls.Load(), x.callbacks.Load())
	}
	// Another process's file stays.
	if second := startTrace(file); second == nil {
		t.Error("there is no second trace")
	} else if list, _ := filepath.Glob(file + ".*"); len(list) != 1 {
		t.Errorf("the second trace is %q", list)
	}
}
