// Package park carries the C of functions that the plan parks: the C side of a small
// executor of coroutines, and package coro's netio on top of it. It becomes a part of
// package runtime/cgo.
package park

import (
	"bytes"
	"embed"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/seamgo/seam"
)

//go:embed c/*.h c/*.c
var files embed.FS

// Name is the file in C, which lies beside those that cgo generates for package
// runtime/cgo.
const Name = "seam_park.h"

// netio's files, in the order in which they are compiled as one.
var netio = []string{"resolve", "wait", "iovec", "sockets", "files", "connect", "poll", "select", "epoll", "sleep", "addrinfo", "fortified", "fortified_poll", "close"}

// ours follow them.
var ours = []string{"libc.c", "waitsbygo.c", "stack.c", "worker.c", "waits.c", "netio.c", "locks.c", "futex.c", "stdio.c", "overflow.c", "watch.c", "list.c", "bounds.c"}

// strong is how netio declares libc's functions. Two definitions of them would not link.
const strong = `#define LIBC(name) __asm__(#name) __attribute__((visibility("default")))`

var (
	include = regexp.MustCompile(`(?m)^#include [<"](netio\.h|seam/coro\.h)[>"]\n`)
	build   = regexp.MustCompile(`(?m)^//go:build .*\n`)
)

// C is the text of the file. What it needs is embedded, so what is missing is a bug and
// panics.
func C() []byte { return text(netio, ours, "otherlibc.h") }

// CoroC is the text for a program that parks nothing, but has coro functions, whose waits
// keep no processor.
func CoroC() []byte {
	return text([]string{"resolve", "fortified", "fortified_poll"}, []string{"libc.c", "waitsbygo.c", "names.c"}, "")
}

// brings are names in glibc, of the files that have what libc.c calls in a static executable. Of a name that
// nothing refers to a linker makes no error if there is none.
const brings = `___pthread_mutex_timedlock ___pthread_cond_wait ___pthread_rwlock_rdlock ___pthread_rwlock_wrlock
___pthread_rwlock_timedrdlock64 ___pthread_rwlock_timedwrlock64 ___pthread_rwlock_clockrdlock64 ___pthread_rwlock_clockwrlock64
___pthread_once ___pthread_join ___pthread_timedjoin_np64 ___pthread_clockjoin_np64 ___pthread_barrier_wait __new_sem_trywait
___sem_timedwait64 ___sem_clockwait64 _IO_flockfile`

// LDFlags are the linker's for a program with CoroC.
func LDFlags() []string {
	var flags []string
	for _, name := range strings.Fields(brings) {
		flags = append(flags, "-Wl,-undefined="+name)
	}
	return flags
}

// text puts files of netio and of ours behind each other; otherwise is what stands for them where libc
// isn't glibc.
func text(netio, ours []string, otherwise string) []byte {
	read := func(text []byte, err error) []byte {
		if err != nil {
			panic(err)
		}
		text = include.ReplaceAll(build.ReplaceAll(text, nil), nil)
		// A program that imports package netio has these too.
		text = bytes.ReplaceAll(text, []byte("seam_netio_"), []byte("seam_parked_"))
		return bytes.Replace(text, []byte(strong), []byte(strong+" __attribute__((weak))"), 1)
	}
	var b bytes.Buffer
	// A system header to the compiler: the package's own flags, which make warnings
	// errors, don't apply.
	b.WriteString("/* Code added by seam. See github.com/seamgo/seam. */\n#pragma GCC system_header\n")
	b.WriteString("#undef _FORTIFY_SOURCE\n#undef _GNU_SOURCE\n#define _GNU_SOURCE\n#include <features.h>\n#ifdef __GLIBC__\n")
	b.Write(read(files.ReadFile("c/coro.h")))
	b.Write(read(seam.Netio.ReadFile("coro/netio/netio.h")))
	for _, name := range netio {
		// As one text, static names of two files may meet.
		fmt.Fprintf(&b, "\n#define resolve park_%s_resolve\n", name)
		b.Write(read(seam.Netio.ReadFile("coro/netio/" + name + ".c")))
		b.WriteString("#undef resolve\n")
	}
	for _, name := range ours {
		b.WriteByte('\n')
		b.Write(read(files.ReadFile("c/" + name)))
	}
	if otherwise != "" {
		b.WriteString("\n#else\n")
		b.Write(read(files.ReadFile("c/" + otherwise)))
	}
	b.WriteString("#endif\n")
	return b.Bytes()
}

// waits finds the functions of libc that the text defines, in the lists of netio and of locks.c and
// one by one.
var waits = []*regexp.Regexp{
	regexp.MustCompile(`\bF\([^,()]+, (\w+),`),
	regexp.MustCompile(`\bLIBC\((\w+)\)`),
	regexp.MustCompile(`\b__asm__\("(\w+)"\)`),
}

// Cooperative are the functions of libc whose waits take no thread in functions that are parked.
var Cooperative = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	text := C()
	for _, w := range waits {
		for _, m := range w.FindAllSubmatch(text, -1) {
			names[strings.TrimSuffix(strings.TrimLeft(string(m[1]), "_"), "_chk")] = true
		}
	}
	delete(names, "name") // the macro's own
	return names
})
