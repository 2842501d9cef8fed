//go:build linux && (amd64 || arm64)

package account

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

// held is a program that allocates by what it is called with, says what glibc counts, and waits.
const held = `
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <linux/seccomp.h>
#include <unistd.h>

static void *hold(size_t n) { void *p = malloc(n); memset(p, 1, n); return p; }

static void say(void) {
	struct mallinfo2 m = mallinfo2();
	printf("%zu %zu %zu\n", m.uordblks, m.fordblks, m.hblkhd);
	fflush(stdout);
}

static pthread_barrier_t done;

// With an arena of its own: blocks of which every second is freed.
static void *worker(void *of) {
	void **list = malloc(2000 * sizeof *list);
	for (int i = 0; i < 2000; i++) list[i] = hold(3000);
	for (int i = 0; i < 2000; i += 2) free(list[i]);
	free(list);
	pthread_barrier_wait(&done);
	pause();
	return of;
}

// An arena whose thread has ended: its first blocks are free, the caches of the thread among them.
static void *ender(void *of) {
	void **list = malloc(2000 * sizeof *list);
	for (int i = 0; i < 2000; i++) list[i] = hold(3000);
	for (int i = 0; i < 2000; i++) if (i % 10) free(list[i]);
	free(list);
	pthread_barrier_wait(&done);
	return of;
}

// An arena of four heaps of 64 MB, of which three are full to the last page, so that the kernel may join
// them. Of blocks of 100 KB, of which only the beginning is touched, all but every tenth are free.
static void *many(void *of) {
	static void *list[3][660]; // a heap takes 670 of them
	for (int heap = 0; heap < 3; heap++) {
		for (int i = 0; i < 660; i++) *(char *)(list[heap][i] = malloc(100000)) = 1;
		while ((size_t)malloc(3000) >> 26 == (size_t)list[heap][659] >> 26) ;
	}
	for (int heap = 0; heap < 3; heap++)
		for (int i = 0; i < 660; i++) if (i % 10) free(list[heap][i]);
	// What isn't malloc's begins where a heap ends, if there is room; without a reserve, as the heaps are, or it isn't joined.
	for (int heap = 0; heap < 3; heap++) {
		char *end = (char *)(((size_t)list[heap][0] | ((64 << 20) - 1)) + 1);
		char *p = mmap(end, 2 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
		if (p == end) memset(p, 1, 2 << 20);
		else if (p != MAP_FAILED) munmap(p, 2 << 20);
	}
	pthread_barrier_wait(&done);
	pause();
	return of;
}

int main(int n, char **args) {
	if (!strcmp(args[1], "holes")) { // 40 MB, of which a small block every 100 KB stays
		static void *list[400];
		for (int i = 0; i < 400; i++) { list[i] = hold(100000); hold(40); }
		for (int i = 0; i < 400; i++) free(list[i]);
	} else if (!strcmp(args[1], "blocks") || !strcmp(args[1], "sandbox"))
		for (int i = 0; i < 20000; i++) hold(1000);
	else if (!strcmp(args[1], "large"))
		for (int i = 0; i < 5; i++) hold(3 << 20);
	else if (!strcmp(args[1], "mapped"))
		memset(mmap(NULL, 9 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 1, 9 << 20);
	else if (!strcmp(args[1], "threads")) {
		pthread_t t;
		pthread_barrier_init(&done, NULL, 9);
		for (int i = 0; i < 8; i++) pthread_create(&t, NULL, worker, NULL);
		pthread_barrier_wait(&done);
	} else if (!strcmp(args[1], "many")) {
		prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); // of a block one page is to be there
		pthread_t t;
		pthread_barrier_init(&done, NULL, 2);
		pthread_create(&t, NULL, many, NULL);
		pthread_barrier_wait(&done);
	} else if (!strcmp(args[1], "ended")) {
		pthread_t t[4];
		pthread_barrier_init(&done, NULL, 4);
		for (int i = 0; i < 4; i++) pthread_create(&t[i], NULL, ender, NULL);
		for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
	} else if (!strcmp(args[1], "file"))
		for (volatile char *p = mmap(NULL, 4 << 20, PROT_READ, MAP_SHARED, fileno(fopen(args[2], "r")), 0), *e = p + (4 << 20); p < e; p += 4096) (void)*p;
	say();
	if (!strcmp(args[1], "sandbox")) { // all but read, write and exit is the end
		char c;
		if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0) { puts("none"); return 0; }
		write(1, "in it\n", 6);
		read(0, &c, 1);
		pause();
	}
	while (getchar() == '\n') { malloc_trim(0); say(); }
}
`

// A holder is a process that holds memory.
type holder struct {
	pid              int
	in               io.Writer
	out              *bufio.Reader
	used, free, maps uint64 // by glibc's count
}

func (h *holder) read(t *testing.T) {
	t.Helper()
	line, err := h.out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscan(line, &h.used, &h.free, &h.maps); err != nil {
		t.Fatal(line, err)
	}
}

func build(t *testing.T) string {
	t.Helper()
	gcc := testenv.Tool(t, "gcc")
	program := filepath.Join(t.TempDir(), "held")
	cmd := exec.CommandContext(t.Context(), gcc, "-O1", "-pthread", "-x", "c", "-o", program, "-")
	cmd.Stdin = strings.NewReader(held)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("mallinfo2 needs glibc 2.33: %v\n%s", err, out)
	}
	return program
}

func hold(t *testing.T, program string, args ...string) *holder {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Env = append(os.Environ(), "MALLOC_TRIM_THRESHOLD_=1000000000", "MALLOC_MMAP_THRESHOLD_=1000000")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); _ = cmd.Process.Kill(); _ = cmd.Wait() })
	h := &holder{pid: cmd.Process.Pid, in: in, out: bufio.NewReader(out)}
	h.read(t)
	return h
}

func look(t *testing.T, pid int) *Account {
	t.Helper()
	a, err := new(Reader).Read(pid)
	if err != nil {
		t.Fatal(err)
	}
	sum := uint64(0)
	for _, p := range a.Parts {
		sum += p.Bytes
	}
	if sum != a.RSS {
		t.Errorf("the parts add up to %d, RSS is %d", sum, a.RSS)
	}
	return a
}

func near(t *testing.T, what string, got, want, within uint64) {
	t.Helper()
	if got > want+within || got+within < want {
		t.Errorf("%s: %d, want %d", what, got, want)
	}
}

// What is read from outside is what glibc counts itself, and what malloc_trim gives back.
func TestMallocIsTrue(t *testing.T) {
	program := build(t)
	const kb, mb = 1 << 10, 1 << 20
	t.Run("blocks", func(t *testing.T) {
		h := hold(t, program, "blocks")
		a := look(t, h.pid)
		near(t, "in use", a.Of(CUsed), h.used, 64*kb)
		near(t, "not read", a.Of(CUnknown), 0, 0)
		if len(a.Heaps) != 1 || strings.Count(a.Heaps[0].Map, "9") < cells*3/4 {
			t.Errorf("the map of the heap: %+v", a.Heaps)
		}
	})
	t.Run("sandbox", func(t *testing.T) { // which is for what the process does, and not for who looks at it
		h := hold(t, program, "sandbox")
		if line, err := h.out.ReadString('\n'); err != nil || line == "none\n" {
			t.Skip("this system has no seccomp: ", line, err)
		}
		a := look(t, h.pid)
		near(t, "in use", a.Of(CUsed), h.used, 64*kb)
		near(t, "not read", a.Of(CUnknown), 0, 0)
		near(t, "of nobody known", a.Of(Anonymous), 0, 64*kb)
	})
	t.Run("holes", func(t *testing.T) {
		h := hold(t, program, "holes")
		a := look(t, h.pid)
		if len(a.Heaps) != 1 || len(a.Heaps[0].Map) != cells || strings.Count(a.Heaps[0].Map, "0") < cells*3/4 || a.Heaps[0].Used != a.Of(CUsed) || a.Heaps[0].Free != a.Of(CFree) {
			t.Errorf("the map of the heap: %+v", a.Heaps)
		}
		near(t, "in use", a.Of(CUsed), h.used, 64*kb)
		near(t, "free", a.Of(CFree), h.free, 200*kb) // what was never touched is not in memory
		if a.Trim < 35*mb {
			t.Errorf("only %d can be given back", a.Trim)
		}
		fmt.Fprintln(h.in)
		h.read(t)
		b := look(t, h.pid)
		near(t, "given back", a.RSS-b.RSS, a.Trim, mb)
		near(t, "free after it", b.Of(CFree), a.Of(CFree)-a.Trim, mb) // glibc's own count stays as it was
		near(t, "still to be given", b.Trim, 0, mb)
	})
	t.Run("threads", func(t *testing.T) {
		h := hold(t, program, "threads")
		a := look(t, h.pid)
		near(t, "in use", a.Of(CUsed), h.used, 300*kb)
		near(t, "not read", a.Of(CUnknown), 0, 0)
		if a.Threads != 9 {
			t.Errorf("%d threads", a.Threads)
		}
		stacks := 0
		for _, p := range a.Parts {
			if p.Kind == Stacks && p.Owner != "the main thread" {
				stacks += p.Count
				if runtime.GOARCH == "amd64" && p.Owner != "worker of held" {
					t.Errorf("a stack of %q", p.Owner)
				}
			}
		}
		if stacks != 8 {
			t.Errorf("%d stacks of threads; %+v", stacks, a.Parts)
		}
	})
	t.Run("many", func(t *testing.T) {
		h := hold(t, program, "many")
		a := look(t, h.pid)
		near(t, "not read", a.Of(CUnknown), 0, 0)
		if len(a.Heaps) < 5 {
			t.Errorf("%d heaps: %+v", len(a.Heaps), a.Heaps)
		}
		near(t, "free", a.Of(CFree), 3*594*4*kb, 600*kb) // a page of each block
		if a.Of(Anonymous) < 2*mb {
			t.Errorf("what isn't malloc's, beside its heaps: %+v", a.Parts)
		}
	})
	t.Run("ended", func(t *testing.T) {
		h := hold(t, program, "ended")
		a := look(t, h.pid)
		near(t, "in use", a.Of(CUsed), h.used, 300*kb)
		near(t, "not read", a.Of(CUnknown), 0, 0)
	})
	t.Run("large", func(t *testing.T) {
		h := hold(t, program, "large")
		a := look(t, h.pid)
		near(t, "in use", a.Of(CUsed), h.used+h.maps, 64*kb)
	})
	t.Run("mapped", func(t *testing.T) {
		h := hold(t, program, "mapped")
		a := look(t, h.pid)
		near(t, "anonymous", a.Of(Anonymous), 9*mb, mb)
		near(t, "in use", a.Of(CUsed), h.used, 64*kb)
	})
	t.Run("file", func(t *testing.T) {
		name := filepath.Join(t.TempDir(), "table")
		if err := os.WriteFile(name, make([]byte, 4*mb), 0o600); err != nil {
			t.Fatal(err)
		}
		h := hold(t, program, "file", name)
		for _, p := range look(t, h.pid).Parts {
			if p.Owner == "table" {
				near(t, "of the file", p.Bytes, 4*mb, 0)
				return
			}
		}
		t.Error("the file is not in the account")
	})
}

// Spans of 64 MB that are aligned are Go's arenas, but not where mappings of C's may fill them.
func TestSpans(t *testing.T) {
	const span = 64 << 20
	anonymous := func(low, high uint64, perms string) Mapping {
		return Mapping{Low: low, High: high, Perms: perms, RSS: (high - low) / 2}
	}
	library := Mapping{Low: 0x7f0100000000, High: 0x7f0100010000, Perms: "r-xp", Path: "/lib/libc.so.6"}
	const area = 0x7f00f0000000
	for _, c := range []struct {
		name string
		list []Mapping
		want uint64 // of Go's heap
	}{
		{"where Go asks for it", []Mapping{anonymous(0xc000000000, 0xc000000000+span, "rw-p")}, span / 2},
		{"beside libraries, full", []Mapping{anonymous(area, area+span, "rw-p")}, 0},
		{"beside libraries, with a part that is reserved", []Mapping{anonymous(area, area+span/4, "rw-p"), {Low: area + span/4, High: area + span, Perms: "---p"}}, span / 8},
		{"and the one before that", []Mapping{anonymous(area, area+span, "rw-p"), anonymous(area+span, area+span+span/4, "rw-p"), {Low: area + span + span/4, High: area + 2*span, Perms: "---p"}}, span/2 + span/8},
	} {
		list := append(c.list, library)
		r := &reading{Account: &Account{Go: "go1.26.8"}, space: &space{memory: bytes.NewReader(nil)}, mappings: list, done: make([]bool, len(list))}
		r.arenas()
		if got := r.Of(GoHeap); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

// A Go program: this one.
func TestSelf(t *testing.T) {
	ballast := make([]byte, 64<<20)
	for i := range ballast {
		ballast[i] = 1
	}
	a := look(t, os.Getpid())
	if a.Go == "" || a.Of(GoHeap) < 60<<20 {
		t.Errorf("%s: %d of Go's heap", a.Go, a.Of(GoHeap))
	}
	if n := a.Of(Anonymous); n*20 > a.RSS {
		t.Errorf("%d of %d belong to nobody", n, a.RSS)
	}
	ballast[0]++
}

func TestNoProcess(t *testing.T) {
	if _, err := new(Reader).Read(1 << 30); !errors.Is(err, ErrGone) {
		t.Error(err)
	}
}

// Whatever the memory is, a walk ends, and no block is outside of the heap.
func TestHostileHeaps(t *testing.T) {
	const size = 1 << 16
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 1))
		text := make([]byte, size)
		for at := 0; at < size; {
			n := 32 + 16*r.IntN(40)
			if r.IntN(60) == 0 {
				n = int(r.Uint32() >> r.IntN(32))
			}
			if at+16 > size {
				break
			}
			binary.LittleEndian.PutUint64(text[at+8:], uint64(n)|uint64(r.IntN(8)))
			at += max(16, n&^15)
		}
		s := &space{memory: bytes.NewReader(text)}
		h, _ := s.heapFrom(0, size, uint64(r.IntN(2)*otherArena))
		for _, c := range h.free {
			if c.low >= c.high || c.low > size {
				t.Fatalf("seed %d: %+v", seed, c)
			}
		}
		there := make([]bool, size/pageSize)
		for i := range there {
			there[i] = true
		}
		for _, b := range s.mapped(0, size, there) {
			if b.high > size || b.low >= b.high {
				t.Fatalf("seed %d: %+v", seed, b)
			}
		}
		_, _ = s.arenaAt(0)
		_ = s.isArena(0)
	}
}

// A block that realloc has made larger since the mappings were read is malloc's all the same; a page of other
// data that looks like the head of one is not.
func TestBlockThatGrew(t *testing.T) {
	text := make([]byte, 8*pageSize)
	there := slices.Repeat([]bool{true}, 8)
	head := func(page, pages uint64) { binary.LittleEndian.PutUint64(text[page*pageSize+8:], pages*pageSize|byMmap) }
	for name, c := range map[string]struct {
		heads map[uint64]uint64 // pages by page
		want  []extent
	}{
		"as it was":       {map[uint64]uint64{0: 8}, []extent{{0, 8 * pageSize}}},
		"larger":          {map[uint64]uint64{0: 9}, []extent{{0, 8 * pageSize}}},
		"behind another":  {map[uint64]uint64{0: 3, 3: 7}, []extent{{0, 3 * pageSize}, {3 * pageSize, 8 * pageSize}}},
		"within":          {map[uint64]uint64{2: 9}, nil},
		"much too large":  {map[uint64]uint64{0: 1 << 20}, nil},
		"then other data": {map[uint64]uint64{0: 3, 5: 9}, []extent{{0, 3 * pageSize}}},
	} {
		clear(text)
		for page, pages := range c.heads {
			head(page, pages)
		}
		s := &space{memory: bytes.NewReader(text)}
		if got := s.mapped(0, uint64(len(text)), there); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v; want %v", name, got, c.want)
		}
	}
}

func TestHostileSmaps(t *testing.T) {
	for _, text := range []string{
		"Rss: 4 kB\n", "00400000 r--p 0 0 0\n", "2-1 r--p 00000000 00:00 0\n", "1-2 r--\n", "1-2 r--p 0 00:00 0\nRss: many kB\n", "\x00\xff\n", "1-2 r--p 0 00:00 0\nRss: -4 kB\n",
	} {
		if list, err := parseSmaps(strings.NewReader(text)); err == nil {
			t.Errorf("%q: %+v", text, list)
		}
	}
	list, err := parseSmaps(strings.NewReader("7f00-8f00 rw-p 00001000 fe:00 17   /a b/c: d-e\nRss:   12 kB\nAnonymous: 8 kB\nFuture:  x\nVmFlags: rd\n"))
	if err != nil || len(list) != 1 || list[0].Path != "/a b/c: d-e" || list[0].RSS != 12<<10 || list[0].Offset != 0x1000 {
		t.Errorf("%+v, %v", list, err)
	}
}

// BenchmarkManyMappings looks at a process with ten thousand more mappings than it would have: the
// account, and the kernel's part of it, which is to write smaps.
func BenchmarkManyMappings(b *testing.B) {
	const n = 10_000
	for range n { // every second page can't be touched, so that the kernel doesn't join them
		p, err := syscall.Mmap(-1, 0, 2*pageSize, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
		if err == nil {
			p[0] = 1
			err = syscall.Mprotect(p[pageSize:], syscall.PROT_READ)
		}
		if err != nil {
			b.Skip(err)
		}
		defer syscall.Munmap(p)
	}
	b.Run("account", func(b *testing.B) {
		var r Reader
		for b.Loop() {
			if _, err := r.Read(os.Getpid()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("smaps", func(b *testing.B) {
		for b.Loop() {
			if _, err := os.ReadFile("/proc/self/smaps"); err != nil {
				b.Fatal(err)
			}
		}
	})
}
