//go:build linux && !android && (amd64 || arm64) && gc && cgo && !asan && !msan && go1.25 && !go1.28

//seam:test race toolchains metal

package rt_test

import (
	"os"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/leaf/rt"
	"github.com/seamgo/seam/leaf"
)

// The same entry exists twice: in package leaf, and here, since this one has to
// become a part of package runtime/cgo. They must stay the same.
func TestSameAsLeaf(t *testing.T) {
	const leafDir = "../../../../../../../leaf/"
	read := func(name string) string {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for _, arch := range []string{"amd64", "arm64"} {
		theirs, ours := read(leafDir+"call_"+arch+".s"), read("asm_"+arch+".s")
		want := instructions(t, theirs, "direct")
		got := instructions(t, ours, "SeamCall")
		if arch == "amd64" {
			want = strings.Replace(want, "ENTER", strings.TrimSuffix(macro(t, theirs, "ENTER"), "\n"), 1)
		}
		for _, r := range [][2]string{
			{"·mustNotCallGo", "·seamWeldedFunctionCalledGo"},
			{"const_gM", "const_seamGM"}, {"const_mG0", "const_seamMG0"},
			{"const_gSchedSP", "const_seamGSchedSP"}, {"const_gSchedPC", "const_seamGSchedPC"},
			{"·hot+hotState_gSlot(SB)", "·seamHot+128(SB)"}, {"·hot+hotState_inC(SB)", "·seamHot+136(SB)"},
		} {
			want = strings.ReplaceAll(want, r[0], r[1])
		}
		if want != got {
			t.Errorf("%s: leaf·direct is\n%s\nSeamCall is\n%s", arch, want, got)
		}
	}
	layout := read("../../../../../../../internal/abi/layout.go")
	for _, name := range []string{"GStackLo", "GStackHi", "GM", "GSchedSP", "GSchedPC", "GSchedG", "GLockedM", "MG0", "MCurg"} {
		want := constant(t, layout, name)
		if got := constant(t, read("rt.go"), "seam"+name); got != want {
			t.Errorf("%s is %s, in internal/abi it is %s", name, got, want)
		}
	}
}

// A function's first call may be that of several goroutines. Programs are built with the
// race detector, too, and it sees this package.
func TestGoroutinesPrepareAtOnce(t *testing.T) {
	var slot rt.SeamSlot
	var both sync.WaitGroup
	var asked atomic.Int32 // C, which would change the slot's state
	for range 2 {
		both.Go(func() {
			for range 100 {
				rt.SeamPrepare(&slot, func(unsafe.Pointer, uintptr) int32 { asked.Add(1); return 0 })
			}
		})
	}
	both.Wait()
	if n := asked.Load(); n != 200 {
		t.Errorf("C was asked %d times to prepare the slot, want 200", n)
	}
}

// instructions is the body of an assembly function without comments, one
// blank between words.
func instructions(t *testing.T, src, function string) string {
	t.Helper()
	_, body, ok := strings.Cut(src, "TEXT ·"+function+"(SB)")
	if !ok {
		t.Fatalf("no function %s", function)
	}
	_, body, _ = strings.Cut(body, "\n")
	body, _, _ = strings.Cut(body, "\n\n")
	return plain(body)
}

func macro(t *testing.T, src, name string) string {
	t.Helper()
	_, body, ok := strings.Cut(src, "#define "+name+" \\\n")
	if !ok {
		t.Fatalf("no macro %s", name)
	}
	body, _, _ = strings.Cut(body, "\n\n")
	return plain(strings.ReplaceAll(body, "\\\n", "\n"))
}

func plain(src string) string {
	var b strings.Builder
	for line := range strings.Lines(src) {
		if line = strings.Join(strings.Fields(line), " "); line != "" && !strings.HasPrefix(line, "//") {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

func constant(t *testing.T, src, name string) string {
	t.Helper()
	m := regexp.MustCompile(`(?m)^\s+` + name + `\s+= (\d+)$`).FindStringSubmatch(src)
	if m == nil {
		t.Fatalf("no constant %s", name)
	}
	return m[1]
}

func TestLayoutIsAsExpected(t *testing.T) {
	if why := rt.SeamWrong(); why != "" {
		t.Error(why)
	}
}

// The goroutine moves between threads while others look.
func TestCheckUnderLoad(t *testing.T) {
	done := make(chan string)
	for range 8 {
		go func() {
			for range 2000 {
				if why := rt.CheckLayout(); why != "" {
					done <- why
					return
				}
				runtime.Gosched()
			}
			done <- ""
		}()
	}
	for range 8 {
		if why := <-done; why != "" {
			t.Error(why)
		}
	}
}

// The first call of a welded function may come anywhere, also where the stack
// has to grow in the middle of the check.
func TestCheckAtEveryDepth(t *testing.T) {
	for depth := range 600 {
		done := make(chan string)
		go func() { done <- deep(depth) }()
		if why := <-done; why != "" {
			t.Fatalf("at depth %d: %s", depth, why)
		}
	}
}

// deep calls the check below depth small frames.
func deep(depth int) string {
	if depth == 0 {
		return rt.CheckLayout()
	}
	why := deep(depth - 1)
	runtime.KeepAlive(&depth)
	return why
}

func TestNothingUnreadableIsRead(t *testing.T) {
	for _, addr := range []uintptr{0, 8, 4096, 1, ^uintptr(7), 1 << 47, uintptr(unsafe.Pointer(t)) + 1} {
		if _, ok := rt.ReadWord(addr); ok {
			t.Errorf("a word at %#x was read", addr)
		}
	}
	x := uintptr(42)
	if got, ok := rt.ReadWord(uintptr(unsafe.Pointer(&x))); !ok || got != 42 {
		t.Errorf("got %d, %v", got, ok)
	}
	runtime.KeepAlive(&x)
}

// The library must take the same path where this one does.
func TestLeafAgrees(t *testing.T) {
	if s := leaf.Status(); (rt.SeamWrong() == "") != (s.Path == leaf.PathAssembly) && os.Getenv("SEAM_LEAF") == "" {
		t.Errorf("leaf says %v, this package %q", s, rt.SeamWrong())
	}
}
