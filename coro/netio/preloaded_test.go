//go:build cgo && linux && (amd64 || arm64) && !asan && !msan

package netio_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

// locking is an allocator that locks, as jemalloc does at its first call: with trylock, and by asking
// for a file through syscall.
const locking = `
#include <pthread.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

void *__libc_malloc(size_t);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
void *malloc(size_t n) {
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
