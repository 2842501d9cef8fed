// Package netio makes C libraries that block in system calls wait as coroutines do:
//
//	import _ "github.com/seamgo/seam/coro/netio"
//
// A program with this import defines the functions of libc by which libraries wait:
// read, recv, send, connect, accept, poll, select, epoll_wait, nanosleep, getaddrinfo
// and their like, those of fortified builds included. Every library finds these
// definitions first: one linked statically, one linked dynamically, and one that is
// loaded by dlopen while the program runs, as a database driver is. In a coroutine
// of package coro a call that would block switches out instead, so its thread serves
// others: a thousand goroutines in a blocking client library need a few threads.
// Choose the executor for libraries that are not known to be clean of thread-local
// state:
//
//	pool, err := coro.NewExecutor(coro.ExecutorOptions{})
//	...
//	n, err := pool.Runner().Call(ctx, unsafe.Pointer(C.run_query), args)
//
// Nothing is changed outside of coroutines: each function then calls libc's own, at
// the price of a few instructions, in signal handlers, in children and before main
// too. close, dup2 and dup3 look whether a coroutine waits for the descriptor.
//
// # What a call does in a coroutine
//
// What it does in libc, as far as a caller can tell: results, errno (untouched by
// success), O_NONBLOCK and MSG_DONTWAIT, SO_RCVTIMEO and SO_SNDTIMEO, MSG_WAITALL,
// writes that transfer everything, SIGPIPE. The differences:
//
//   - When the context of the call ends, the wait fails with ECANCELED, as every
//     later one does; what can be had without waiting is still had. A sleep
//     fails with EINTR and says what is left; the next one fails with ECANCELED. sleep
//     itself, which can't fail, returns 0 then.
//   - No wait fails with EINTR.
//   - When another thread closes the descriptor that is waited for, by close, dup2 or
//     dup3, the wait fails with EBADF; in Linux it would go on. poll may report
//     POLLNVAL instead.
//   - The signal masks of ppoll, pselect and epoll_pwait are in effect while the
//     descriptors are looked at, not during the wait.
//   - SO_RCVLOWAT is not heeded: less is returned, as from a non-blocking socket.
//   - connect makes the descriptor non-blocking for moments. Who shares it sees that.
//   - A bad address of a list (struct iovec, struct timespec, fd_set) is a fault
//     where the kernel would say EFAULT.
//   - recv with both MSG_PEEK and MSG_WAITALL, and getaddrinfo, run on an ordinary
//     thread, and end when they end: cancellation does not reach them.
//
// # What is not covered
//
//   - What libc does by itself: stdio (fgets on a socket), the resolver's functions
//     other than getaddrinfo (gethostbyname, getnameinfo), waitpid, flock, fsync,
//     sendfile, fcntl with F_SETLKW, and pthread's locks and conditions. A library may
//     call them; they block the thread.
//   - System calls that a library makes itself, by syscall or by instructions of its
//     own; recvmmsg and sendmmsg.
//   - Files, directories and disks: they are never waited for, as in Linux.
//   - A descriptor that is closed by Go (syscall.Close, os.File), by fclose or by
//     close_range while a coroutine waits for it: the wait goes on.
//   - A terminal or device is asked by poll before a write; where it then takes a
//     part only, its thread waits. So it does, on kernels that can't try a pipe
//     (before Linux 6.5 or so), when another process takes from a shared pipe, or a
//     connection from a shared listener, what poll had promised us.
//   - Signal handlers without SA_ONSTACK: on a coroutine's stack they are part of
//     the coroutine. Go asks for SA_ONSTACK from all handlers anyway.
//   - getaddrinfo in a static executable, and with a libc other than glibc: it is
//     libc's.
//   - A Go library that a C program loads by dlopen (-buildmode=c-shared): its own C
//     code is covered; shared libraries that it loads find libc's functions.
//   - The other sorts of coroutines: with SEAM_CORO=cgo, and wherever coro.Status does
//     not say "assembly", every call blocks as ever. The package is empty with -msan,
//     which must see libc's functions itself, and on systems other than Linux on
//     amd64 and arm64.
//
// A library must not hold a lock across a call that waits, if other coroutines of
// the same thread need it: see package coro.
package netio
