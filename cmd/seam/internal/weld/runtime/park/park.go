// Package park carries the C of functions that the plan parks: the C side of a small
// executor of coroutines, and package coro's netio on top of it. It becomes a part of
// package runtime/cgo.
package park

import (
	"bytes"
	"embed"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/seamgo/seam"
	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/bundle"
)

//go:embed c/*.h c/*.c
var files embed.FS

// Name is the file in C, which lies beside those that cgo generates for package
// runtime/cgo.
const Name = "seam_park.h"

// The files, in the order in which they are compiled as one: those of package netio, and ours.
var (
	waits    = netio("resolve", "wait", "iovec", "sockets", "files", "connect", "poll", "select", "epoll", "sleep", "addrinfo", "fortified", "fortified_poll", "close", "libc", "systemcalls")
	workers  = []string{"c/waitsbygo.c", "c/stack.c", "c/worker.c", "c/waits.c"}
	locks    = netio("locks", "threads", "futex", "streams")
	others   = []string{"c/share.c", "c/overflow.c", "c/watch.c", "c/quit.c", "c/list.c", "c/bounds.c"}
	coroOnly = append(netio("resolve", "fortified", "fortified_poll", "libc", "systemcalls"), "c/waitsbygo.c", "c/names.c", "c/share.c")
)

func netio(names ...string) (files []string) {
	for _, name := range names {
		files = append(files, "coro/netio/"+name+".c")
	}
	return files
}

// strong is how netio declares libc's functions. Two definitions of them would not link.
const strong = `#define LIBC(name) __asm__(#name) __attribute__((visibility("default")))`

var (
	include = regexp.MustCompile(`(?m)^#include [<"](netio\.h|table\.h|locks\.h|seam/coro\.h)[>"]\n`)
	build   = regexp.MustCompile(`(?m)^//go:build .*\n`)
)

// C is the text of the file. What it needs is embedded, so what is missing is a bug and
// panics.
func C() []byte { return text(slices.Concat(waits, workers, locks, others), "otherlibc.h") }

// CoroC is the text for a program that parks nothing, but has coro functions, whose waits
// keep no processor.
func CoroC() []byte {
	return text(coroOnly, "")
}

// brings are names in glibc, of the files that have what libc.c calls in a static executable. Of a name that
// nothing refers to a linker makes no error if there is none.
const brings = `___pthread_mutex_lock ___pthread_mutex_timedlock ___pthread_cond_wait ___pthread_rwlock_rdlock ___pthread_rwlock_wrlock
___pthread_rwlock_timedrdlock64 ___pthread_rwlock_timedwrlock64 ___pthread_rwlock_clockrdlock64 ___pthread_rwlock_clockwrlock64
___pthread_once ___pthread_join ___pthread_timedjoin_np64 ___pthread_clockjoin_np64 ___pthread_barrier_wait __new_sem_trywait
___sem_timedwait64 ___sem_clockwait64 _IO_flockfile __libc_sigwait __libc_sigwaitinfo __libc_sigsuspend ___aio_suspend_time64
__new_gethostbyname_r __new_gethostbyname2_r __new_gethostbyaddr_r ___pthread_mutex_trylock _IO_ftrylockfile ___pthread_mutex_unlock
___pthread_cond_signal ___pthread_cond_broadcast ___pthread_rwlock_unlock _IO_funlockfile ___pthread_barrier_init`

// LDFlags are the linker's.
func LDFlags() []string {
	var flags []string
	for _, name := range strings.Fields(brings) {
		flags = append(flags, "-Wl,-undefined="+name)
	}
	return flags
}

// text puts files behind each other; otherwise is what stands for them where libc isn't glibc.
func text(names []string, otherwise string) []byte {
	read := func(name string) []byte {
		from := files
		if strings.HasPrefix(name, "coro/") {
			from = seam.Netio
		}
		text, err := from.ReadFile(name)
		if err != nil {
			panic(err)
		}
		text = bundle.C(include.ReplaceAll(build.ReplaceAll(text, nil), nil))
		// A program that imports package netio has these too.
		text = bytes.ReplaceAll(text, []byte("seam_netio_"), []byte("seam_parked_"))
		return bytes.Replace(text, []byte(strong), []byte(strong+" __attribute__((weak))"), 1)
	}
	var b bytes.Buffer
	// A system header to the compiler: the package's own flags, which make warnings
	// errors, don't apply.
	b.WriteString("/* Code added by seam. See github.com/seamgo/seam. */\n#pragma GCC system_header\n")
	b.WriteString("#undef _FORTIFY_SOURCE\n#undef _GNU_SOURCE\n#define _GNU_SOURCE\n#include <features.h>\n#ifdef __GLIBC__\n")
	b.WriteString("#undef __USE_EXTERN_INLINES\n") // functions of stdio that we define
	if otherwise != "" {
		b.WriteString("#define SEAM_PARKS\n")
	}
	b.Write(bundle.C([]byte("#include \"kernel.h\"\n")))
	b.Write(read("c/coro.h"))
	b.Write(read("coro/netio/table.h"))
	b.Write(read("coro/netio/netio.h"))
	b.Write(read("coro/netio/locks.h"))
	for _, name := range names {
		b.WriteByte('\n')
		b.Write(read(name))
	}
	if otherwise != "" {
		b.WriteString("\n#else\n")
		b.Write(read("c/" + otherwise))
	}
	b.WriteString("#endif\n")
	return b.Bytes()
}

// A waiting is a row of netio's table: a function of libc that waits.
type waiting struct {
	name, how string
}

var row = regexp.MustCompile(`(?m)^\tF\([^,]+, (\w+), \d, \(.*\), (\w+), [01], \w+, .*\)(?: \\)?$`)

// table reads netio's table.
var table = sync.OnceValue(func() []waiting {
	text, err := seam.Netio.ReadFile("coro/netio/table.h")
	if err != nil {
		panic(err) // embedded
	}
	var all []waiting
	for _, m := range row.FindAllSubmatch(text, -1) {
		all = append(all, waiting{string(m[1]), string(m[2])})
	}
	return all
})

// Cooperative are the functions of libc whose waits take no thread in functions that are parked.
var Cooperative = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	for _, f := range table() {
		if f.how == "PARKS" {
			names[f.name] = true
		}
	}
	return names
})
