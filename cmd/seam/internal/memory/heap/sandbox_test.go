//go:build linux && (amd64 || arm64)

package heap

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

const sandboxed = `
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#define SITE __attribute__((noinline, noclone))
static void *volatile kept;
SITE void *before_site(void) { void *b = malloc(100); kept = b; return b; }
SITE void *after_site(void) { void *b = malloc(200); kept = b; return b; }
#define REFUSE(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1), BPF_STMT(BPF_RET | BPF_K, action)
int main(int n, char **args) {
	unsigned action = strcmp(args[1], "kill") == 0 ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_ERRNO | EPERM;
	for (int i = 0; i < 10; i++) before_site();
	struct sock_filter list[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		REFUSE(openat), REFUSE(process_vm_readv), REFUSE(perf_event_open), REFUSE(memfd_create), REFUSE(ptrace), REFUSE(clone3), REFUSE(pipe2),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = {sizeof list / sizeof *list, list};
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
		return 77;
	if (strcmp(args[1], "refuse") == 0 && (open("/dev/null", O_RDONLY) >= 0 || errno != EPERM))
		return 2;
	void *list2[20];
	for (int i = 0; i < 20; i++) list2[i] = after_site();
	for (int i = 0; i < 5; i++) free(list2[i]);
	_exit(0);
}
`

// A sandbox that is entered after the start, and refuses what a tracer would need, or ends who asks for it,
// takes nothing from the record: it is mapped by then, and nothing is opened for a sample.
func TestSandbox(t *testing.T) {
	gcc := testenv.Tool(t, "gcc")
	program := filepath.Join(t.TempDir(), "sandboxed")
	build := exec.CommandContext(t.Context(), gcc, "-O1", "-g", "-o", program, "-x", "c", "-")
	build.Stdin = strings.NewReader(sandboxed)
	run(t, "", build)
	if err := exec.CommandContext(t.Context(), program, "refuse").Run(); err != nil {
		if strings.Contains(err.Error(), "exit status 77") {
			t.Skip("this system takes no seccomp filter")
		}
		t.Fatal(err)
	}
	for _, way := range []string{"refuse", "kill"} {
		list, names := record(t, "1", program, way)
		got := totals(list[0], names[0])
		for name, want := range map[string]total{"before_site": {1000, 10, 1000, 10, 0, 10}, "after_site": {15 * 200, 15, 20 * 200, 20, 0, 20}} {
			g := got[name]
			g.short = 0
			if g != want {
				t.Errorf("%s: %s: %+v; want %+v", way, name, g, want)
			}
		}
	}
}
