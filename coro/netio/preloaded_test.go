//go:build cgo && linux && (amd64 || arm64) && !asan && !msan

package netio_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/child"
	"github.com/seamgo/seam/internal/testenv"
)

// locking is an allocator that locks, as jemalloc does at its first call: with trylock, and by asking
// for a file through syscall; and that asks pthread_once before, where tcmalloc holds a lock of its own.
const locking = `
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

void *__libc_malloc(size_t);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static __thread int first;
static void begin(void) { }
void *malloc(size_t n) {
	if (first == 1)
		abort(); // who allocates now hangs
	if (first == 0) {
		first = 1;
		pthread_once(&once, begin);
		first = 2;
	}
	int locked = pthread_mutex_trylock(&lock) == 0;
	syscall(SYS_getpid);
	void *p = __libc_malloc(n);
	if (locked)
		pthread_mutex_unlock(&lock);
	return p;
}
`

// Where libc has no such function dlsym allocates, and the allocator locks before we are ready.
func TestPreloadedAllocator(t *testing.T) {
	testenv.OtherProgram(t)
	if len(child.Emulator()) > 0 {
		t.Skip("the library is for this machine")
	}
	gcc := testenv.Tool(t, "gcc")
	library := filepath.Join(t.TempDir(), "locking.so")
	cmd := exec.CommandContext(t.Context(), gcc, "-shared", "-fPIC", "-O1", "-x", "c", "-o", library, "-")
	cmd.Stdin = strings.NewReader(locking)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd = exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestExported$", "-test.v")
	cmd.Env = append(os.Environ(), "LD_PRELOAD="+library)
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: TestExported") {
		t.Errorf("%v\n%.2000s", err, out)
	}
}
