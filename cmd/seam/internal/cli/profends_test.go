//go:build linux && (amd64 || arm64) && cgo

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

// What a program does to itself costs as little of its profile as can be, and the report says what
// is missing.
func TestProfEnds(t *testing.T) {
	testenv.OtherProgram(t)
	testenv.Tool(t, "gcc")
	t.Setenv("GOWORK", "off")
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/ends\n\ngo 1.25.0\n",
		"main.go": `package main

// #include "ends.h"
import "C"

import (
	"fmt"
	"os"
	"syscall"
	"time"
)

func main() {
	C.before()
	switch os.Args[1] {
	case "at once":
		C.leave(9)
	case "term":
		defer time.Sleep(time.Hour)
		defer syscall.Kill(os.Getpid(), syscall.SIGTERM)
	case "panic":
		defer func() { panic("at the end") }()
	case "_exit":
		defer C.leave(8)
	case "handler":
		C.handler()
	case "deaf":
		C.deaf()
	case "queue":
		C.queue()
	case "nofile":
		fmt.Println(C.few_files())
	case "sandbox":
		fmt.Println(C.no_openat())
	case "fsize":
		fmt.Println(C.no_files())
	}
	for range 30 {
		C.spin(10)
	}
}
`,
		"ends.h": "void before(void);\nvoid spin(int ms);\nvoid leave(int code);\nvoid handler(void);\nvoid deaf(void);\nvoid queue(void);\nint few_files(void);\nint no_openat(void);\nint no_files(void);\n",
		"ends.c": `#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "ends.h"
static volatile unsigned long sink;
// CPU time, so that it is the same on a busy machine.
__attribute__((noinline)) void spin(int ms) {
	struct timespec from, to;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
	do {
		for (int i = 0; i < 10000; i++) sink += i;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
	} while ((to.tv_sec - from.tv_sec) * 1000000000 + to.tv_nsec - from.tv_nsec < ms * 1000000L);
	sink++;
}
void before(void) {}
void leave(int code) { _exit(code); }
static void on_profile(int sig) { (void)sig; }
void handler(void) {
	struct sigaction a = {.sa_handler = on_profile, .sa_flags = SA_ONSTACK | SA_RESTART};
	sigaction(SIGPROF, &a, NULL);
}
static void *work(void *arg) {
	pthread_setname_np(pthread_self(), "a worker");
	spin(600);
	return arg;
}
void queue(void) { // two threads on one processor: while one works the other waits for it
	cpu_set_t one;
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	pthread_t t;
	if (sched_setaffinity(0, sizeof one, &one) == 0 && pthread_create(&t, NULL, work, NULL) == 0) {
		spin(600);
		pthread_join(t, NULL);
	}
}
void deaf(void) {
	sigset_t all, old;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	pthread_t t;
	if (pthread_create(&t, NULL, work, NULL) == 0)
		pthread_detach(t);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}
int few_files(void) {
	struct rlimit r = {3, 3};
	return setrlimit(RLIMIT_NOFILE, &r);
}
int no_files(void) {
	struct rlimit r = {0, 0};
	return setrlimit(RLIMIT_FSIZE, &r);
}
int no_openat(void) {
	struct sock_filter f[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog p = {sizeof f / sizeof *f, f};
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &p);
}
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	exe := builtForProf(t, dir, "ends")
	for _, c := range []struct {
		arg  string
		code int
		want []string
	}{
		{"at once", 9, []string{"seam: no profile: process "}},
		{"term", exitFailed, []string{" spin ", "ended by a signal, a panic or C's exit"}},
		{"panic", 2, []string{" spin ", "ended by a signal, a panic or C's exit"}},
		{"_exit", 8, []string{" spin ", "ended by a signal, a panic or C's exit"}},
		{"handler", exitFailed, []string{"SIGPROF is handled by on_profile", "leave the other one out"}},
		{"deaf", 0, []string{" spin ", "(a worker) of process ", " with SIGPROF blocked"}},
		{"queue", 0, []string{" spin ", "kernel [queue for a processor]"}},
		{"nofile", 0, []string{" spin ", "ends.c"}},
		{"sandbox", 0, []string{" spin ", "ends.c"}},
		{"fsize", exitFailed, []string{"not profiled any further", "file too large"}},
	} {
		var stderr string
		said := sampled(func() bool {
			var code int
			if code, _, stderr = seamProf("--", exe, c.arg); code != c.code {
				t.Fatalf("%q: code %d, want %d\n%s", c.arg, code, c.code, stderr)
			}
			text := strings.Join(strings.Fields(stderr), " ")
			for _, w := range c.want {
				if !strings.Contains(text, strings.TrimSpace(w)) {
					return false
				}
			}
			return true
		})
		if !said {
			t.Errorf("%q: not all of %q in\n%s", c.arg, c.want, stderr)
		}
	}
}
