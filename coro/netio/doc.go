// Package netio turns the blocking system calls of C libraries into waits of coroutines:
//
//	import _ "github.com/seamgo/seam/coro/netio"
//
// A program with this import defines the libc functions with which libraries wait: read,
// recv, send, connect, accept, poll, select, epoll_wait, nanosleep, getaddrinfo and the
// like, including those of fortified builds. Every library finds these definitions first,
// whether it is linked statically, linked dynamically or loaded by dlopen while the program
// runs, as database drivers are; but not one that is loaded with RTLD_DEEPBIND, which finds
// libc's. In a coroutine of package coro, a call that would block
// switches out instead, so its thread serves others: a thousand goroutines in a blocking
// client library need only a few threads. Use an executor for libraries that nobody has
// checked for moving between threads, with OnePerThread for those that keep something for
// each thread while they wait (OpenSSL's queue of errors), unless seam_keep moves it:
//
//	pool, err := coro.NewExecutor(coro.ExecutorOptions{})
//	...
//	n, err := pool.Runner().Call(ctx, unsafe.Pointer(C.run_query), args)
//
// Nothing changes outside of coroutines. There each function calls libc's own, for the price
// of a few instructions: also in signal handlers, in child processes and before main. close,
// dup2 and dup3 check whether a coroutine waits for the descriptor.
//
// # What a call does in a coroutine
//
// It does what it does in libc, as far as a caller can tell: results, errno (unchanged by
// success), O_NONBLOCK and MSG_DONTWAIT, SO_RCVTIMEO and SO_SNDTIMEO, MSG_WAITALL, writes
// that transfer everything, SIGPIPE. The differences:
//
//   - When the context of the call ends, the wait and every later one fail with ECANCELED;
//     calls that need not wait still work. A sleep fails with EINTR and says how much time
//     is left; the next one fails with ECANCELED. sleep itself, which can't fail, then
//     returns 0.
//   - No wait for a descriptor or for time fails with EINTR.
//   - If another thread closes a descriptor that is waited for, by close, dup2 or dup3, the
//     wait fails with EBADF; on Linux it would go on. poll may report POLLNVAL instead. A
//     wait that begins at that moment may be for the file that has the number then, and so
//     may any if more than a hundred descriptors are closed at once.
//   - The signal masks of ppoll, pselect and epoll_pwait are in effect while the descriptors
//     are checked, not during the wait.
//   - SO_RCVLOWAT is ignored: recv may return less, as from a non-blocking socket.
//   - connect makes the descriptor non-blocking for short times, which others who share it
//     can see.
//   - A bad address of a struct iovec, a struct timespec or an fd_set faults, where the
//     kernel would return EFAULT.
//   - recv with both MSG_PEEK and MSG_WAITALL looks for more every few milliseconds.
//   - getaddrinfo runs on an ordinary thread, as many at once as package net allows (500, or
//     fewer if the process may have fewer descriptors); others wait for their turn. A call
//     that is cancelled returns at once (EAI_SYSTEM, ECANCELED) and leaves the thread to end
//     by itself. With Locked and in a Session, C that has given its thread a resolver's state
//     (_res), a locale (uselocale) or a namespace (setns) of its own is answered on that thread,
//     which nothing cancels.
//   - A send with MSG_ZEROCOPY blocks a thread, its own or the caller's.
//   - C on a stack that it has made itself (ucontext, boost.context) waits as elsewhere.
//   - C that calls these functions for a millisecond without having to wait lets others run.
//
// # Locks, threads and signals
//
// With glibc, what C waits for in libc besides descriptors is waited for without a thread, too:
// pthread's and C11's mutexes, read-write locks, conditions, semaphores, barriers and spin
// locks, pthread_once, joins, futexes by syscall (the atomic waits of C++20, Rust's
// library), static variables of C++ functions, FILEs that another has locked, and
// signals (sigwait). libc's own lock is taken in the end, so coroutines, cgo calls and
// threads of C's share locks. To take a free mutex and give it back costs 16 ns in a coroutine and
// 14 elsewhere, where it is 7 without this package (AMD EPYC).
//
// What no coroutine can wait for (waitpid, flock, fcntl's F_SETLKW, System V's semaphores
// and queues, POSIX's queues, sendfile, splice, fsync, recvmmsg, pause, gethostbyname, open of a
// FIFO, and system calls that wait, made by syscall) is called through Go as a cgo call, on the
// coroutine's thread if it has that to itself, and otherwise on its caller's, with the
// coroutine's signal mask. It takes a thread, and keeps no other coroutine and no processor.
//
//   - Such a wait, and one for a lock, doesn't end with the context of the call: C that cleans
//     up may need it.
//   - A coroutine that waits for a condition may be woken without cause, about once in a
//     second, which POSIX allows. One that waits for a lock looks again now and then: what libc
//     unlocks by itself (in pthread_cond_wait of a thread) tells nobody.
//   - A mutex that knows its owner knows the coroutine; see package coro for locks that know
//     the thread all the same.
//   - pthread_getattr_np returns the coroutine's stack. A collector that remembers it from
//     one call to the next needs one stack: run it by cgo.
//
// # What is not covered
//
//   - stdio on a pipe, socket or terminal (fgets, getline, fread, fgetc, printf, fwrite,
//     fflush and their like): it gives up the processor, but other coroutines of the thread
//     wait. fopen of a FIFO, scanf, fclose of what isn't flushed, and in the resolver
//     getnameinfo and res_query, block the thread and keep the processor.
//   - System calls that a library makes by instructions of its own.
//   - Files, directories and disks: as elsewhere in Linux, they are never waited for.
//   - A descriptor closed by Go (syscall.Close, os.File), by fclose or by close_range while
//     a coroutine waits for it: the wait goes on.
//   - A terminal or device is polled before a write. If it then accepts only a part, the
//     thread waits. On kernels that can't try a pipe (before Linux 6.5 or so) the thread
//     also waits if another process takes, from a shared pipe or a shared listener, what
//     poll has promised us.
//   - Signal handlers without SA_ONSTACK: on a coroutine's stack they are part of the
//     coroutine. Go requires SA_ONSTACK of all handlers anyway.
//   - getaddrinfo in a static executable and with a libc other than glibc: it is libc's.
//   - A Go library that a C program loads by dlopen (-buildmode=c-shared): its own C code is
//     covered, but shared libraries that it loads find libc's functions.
//   - Coroutines of the fallback: with SEAM_CORO=cgo, and wherever coro.Status does not say
//     "assembly", every call blocks as usual. The package is empty with -msan, which must
//     see libc's functions itself, and on systems other than Linux on amd64 and arm64.
//     [Status] says whether the package works.
package netio
