//go:build linux && (amd64 || arm64)

package heap

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

func TestParseFunctions(t *testing.T) {
	for text, says := range map[string]string{
		"pool_alloc":                 "with its arguments",
		"pool_alloc()":               "want size, block or _",
		"pool_alloc(_)":              "want one size",
		"pool_free(block,block)":     "want one size",
		"f(size,size,size)":          "want one size",
		"f(_,_,_,_,_,_,size)":        "7 arguments",
		"f(n)":                       `is "n"`,
		"malloc(size)":               "counted anyway",
		"pool::alloc(size)":          "with its arguments",
		"f(size)\nint x;":            "with its arguments",
		"pool_alloc(size) \"); x(\"": "with its arguments",
	} {
		if _, err := ParseFunctions([]string{text}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v; want %q", text, err, says)
		}
	}
	if _, err := ParseFunctions([]string{"f(size)", "f(block)"}); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Error(err)
	}
}

// A pool takes 64 KiB from malloc now and then, and gives its blocks out of a list.
const poolLibrary = `
#include <stdlib.h>
#include <string.h>
struct pool { void *list; };
static void *chunk(void) { return malloc(1 << 16); }
void *pool_alloc(struct pool *p, size_t n) {
	if (!p->list) {
		char *c = chunk();
		for (size_t at = 0; at + 128 <= 1 << 16; at += 128) { *(void **)(c + at) = p->list; p->list = c + at; }
	}
	void *b = p->list;
	p->list = *(void **)b;
	return n > 128 ? NULL : b;
}
void *pool_calloc(struct pool *p, size_t n, size_t m) { return memset(pool_alloc(p, n * m), 0, n * m); }
void pool_free(struct pool *p, void *b) { if (b) { *(void **)b = p->list; p->list = b; } }
void *pool_realloc(struct pool *p, void *b, size_t n) { return n > 128 ? NULL : b ? b : pool_alloc(p, n); }
void pool_forget(struct pool *p, void *b) { pool_free(p, b); }
`

const poolProgram = `
#include <stdlib.h>
#include <dlfcn.h>
#define SITE __attribute__((noinline, noclone))
struct pool { void *list; };
#ifdef LOADED
static void *(*pool_alloc)(struct pool *, size_t);
#else
void *pool_alloc(struct pool *, size_t), *pool_calloc(struct pool *, size_t, size_t), *pool_realloc(struct pool *, void *, size_t);
void pool_free(struct pool *, void *);
#endif
static void *volatile kept;
static struct pool p;
SITE void *plain_site(void) { void *b = pool_alloc(&p, 40); kept = b; return b; }
#ifndef LOADED
SITE void *calloc_site(void) { void *b = pool_calloc(&p, 3, 7); kept = b; return b; }
SITE void *realloc_site(void *b, size_t n) { b = pool_realloc(&p, b, n); kept = b; return b; }
SITE void *malloc_site(void) { void *b = malloc(1000); kept = b; return b; }
#endif
int main(int n, char **args) {
	void *list[100];
#ifdef LOADED
	void *(*alloc)(struct pool *, size_t);
	void *library = dlopen(args[1], RTLD_NOW | RTLD_LOCAL);
	if (!library || !(pool_alloc = (void *(*)(struct pool *, size_t))dlsym(library, "made"))) return 1;
	for (int i = 0; i < 100; i++) list[i] = plain_site();
#else
	for (int i = 0; i < 100; i++) list[i] = plain_site();
	for (int i = 0; i < 30; i++) pool_free(&p, list[i]);
	for (int i = 0; i < 10; i++) calloc_site();
	void *b = realloc_site(NULL, 50);
	b = realloc_site(b, 60);
	if (realloc_site(b, 1000)) return 1; // it fails, and b is as it was
	malloc_site();
#endif
	return 0;
}
`

// An allocator of a library's own is counted by its callers, and what it asks malloc for isn't.
func TestNamed(t *testing.T) {
	gcc := testenv.Tool(t, "gcc")
	dir := t.TempDir()
	compile := func(source, to string, args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), gcc, append([]string{"-O1", "-g", "-o", to, "-x", "c", "-", "-x", "none"}, args...)...)
		cmd.Stdin = strings.NewReader(source)
		run(t, dir, cmd)
	}
	pool, program, local, loaded := filepath.Join(dir, "libpool.so"), filepath.Join(dir, "program"), filepath.Join(dir, "liblocal.so"), filepath.Join(dir, "loaded")
	compile(poolLibrary, pool, "-shared", "-fPIC")
	compile(poolProgram, program, pool, "-Wl,-rpath,"+dir)
	compile("#include <stddef.h>\nvoid *pool_alloc(void *, size_t); void *made(void *p, size_t n) { void *b = pool_alloc(p, n); __asm__ volatile(\"\"); return b; }", local, "-shared", "-fPIC", pool, "-Wl,-rpath,"+dir)
	compile("#define LOADED\n"+poolProgram, loaded, "-ldl")
	own, err := ParseFunctions([]string{"pool_alloc(_, size)", "pool_calloc(_,size,size)", "pool_free(_,block)", "pool_realloc(_,block,size)", "pool_forget(_,block)", "pool_steal(size)"})
	if err != nil {
		t.Fatal(err)
	}
	library, err := Library(t.Context(), []string{gcc}, own...)
	if err != nil {
		t.Fatal(err)
	}
	report := func(args ...string) (*Report, map[string]*Place) {
		t.Helper()
		folder := t.TempDir()
		cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
		cmd.Env = append(os.Environ(), "LD_PRELOAD="+library, FolderVariable+"="+folder, RateVariable+"=1")
		run(t, "", cmd)
		w := NewWatcher(folder, own...)
		if err := w.look(true); err != nil {
			t.Fatal(err)
		}
		r, err := w.Report(nil)
		if err != nil {
			t.Fatal(err)
		}
		by := map[string]*Place{}
		for _, p := range r.Sites {
			if was := by[p.C]; was != nil { // as where a block is made larger, by another line
				p.Live, p.LiveObjects, p.Bytes, p.Objects = p.Live+was.Live, p.LiveObjects+was.LiveObjects, p.Bytes+was.Bytes, p.Objects+was.Objects
			}
			by[p.C] = p
			for _, f := range p.Stack {
				if f.Func == "chunk" {
					t.Errorf("what the pool asks malloc for is counted: %+v", p)
				}
			}
		}
		return r, by
	}
	r, by := report(program)
	for name, want := range map[string]total{
		"pool_alloc in plain_site":     {live: 70 * 40, liveObjects: 70, bytes: 100 * 40, objects: 100},
		"pool_calloc in calloc_site":   {live: 10 * 21, liveObjects: 10, bytes: 10 * 21, objects: 10},
		"pool_realloc in realloc_site": {live: 60, liveObjects: 1, bytes: 110, objects: 2},
		"malloc_site":                  {live: 1000, liveObjects: 1, bytes: 1000, objects: 1},
	} {
		p := by[name]
		if p == nil {
			t.Errorf("there is no %s in %v", name, by)
		} else if got := (total{live: p.Live, liveObjects: p.LiveObjects, bytes: p.Bytes, objects: p.Objects}); got != want {
			t.Errorf("%s: %+v; want %+v", name, got, want)
		}
	}
	// What was never called is said, and nothing of the others.
	notes := strings.Join(r.Notes, "\n")
	if !strings.Contains(notes, "no call of pool_forget was seen: what it frees counts as live") || !strings.Contains(notes, "no call of pool_steal was seen: what it hands out isn't counted") || strings.Count(notes, "no call of") != 2 {
		t.Error(notes)
	}
	// In a library that is loaded for itself the function is none of the dynamic linker's next ones.
	if _, by := report(loaded, local); by["pool_alloc in made"] == nil || by["pool_alloc in made"].LiveObjects != 100 {
		t.Errorf("loaded: %v", by)
	}
}
