/* Every function of libc that waits, and how. netio, the parked functions and the coro functions of welded programs
 * are made from this table, and so is the list of those whose waits take no thread.
 *
 * A row is
 *
 *     F(result, name, number of arguments, (parameters), (arguments), how, signal, static, first)
 *
 * how     PARKS: a coroutine waits without a thread.
 *         GO: it is called through Go, as a cgo call on the goroutine's thread, so that it keeps neither the
 *         processor nor other coroutines.
 * signal  1: a signal ends it even if its handler has SA_RESTART, so SIGURG, by which Go preempts, is blocked meanwhile
 * static  what stands for it in a static executable, where there is no next definition to look up: another name
 *         of the same function in libc, one of libc.c's, or the number of its system call
 * first   an attempt that doesn't wait: true if that was all, and r is the result. REAL(f) is libc's f.
 *
 * Arguments and results are integers and pointers, which calling conventions treat alike. */

#define IS(value) ((r = (value)), 1)
#define TRIED(value) ((r = (value)) != EBUSY)

/* ---- descriptors */

#define TRANSFERS(F) \
	F(ssize_t, read, 3, (int fd, void *buf, size_t n), (fd, buf, n), PARKS, 0, none, 0) \
	F(ssize_t, readv, 3, (int fd, const struct iovec *iov, int count), (fd, iov, count), PARKS, 0, none, 0) \
	F(ssize_t, recv, 4, (int fd, void *buf, size_t n, int flags), (fd, buf, n, flags), PARKS, 0, none, flags & MSG_DONTWAIT && IS(REAL(recv)(fd, buf, n, flags))) \
	F(ssize_t, recvfrom, 6, (int fd, void *buf, size_t n, int flags, struct sockaddr *addr, socklen_t *addrlen), (fd, buf, n, flags, addr, addrlen), PARKS, 0, none, flags & MSG_DONTWAIT && IS(REAL(recvfrom)(fd, buf, n, flags, addr, addrlen))) \
	F(ssize_t, recvmsg, 3, (int fd, struct msghdr *msg, int flags), (fd, msg, flags), PARKS, 0, none, flags & MSG_DONTWAIT && IS(REAL(recvmsg)(fd, msg, flags))) \
	F(ssize_t, write, 3, (int fd, const void *buf, size_t n), (fd, buf, n), PARKS, 0, none, 0) \
	F(ssize_t, writev, 3, (int fd, const struct iovec *iov, int count), (fd, iov, count), PARKS, 0, none, 0) \
	F(ssize_t, send, 4, (int fd, const void *buf, size_t n, int flags), (fd, buf, n, flags), PARKS, 0, none, flags & MSG_DONTWAIT && IS(REAL(send)(fd, buf, n, flags))) \
	F(ssize_t, sendto, 6, (int fd, const void *buf, size_t n, int flags, const struct sockaddr *addr, socklen_t addrlen), (fd, buf, n, flags, addr, addrlen), PARKS, 0, none, flags & MSG_DONTWAIT && IS(REAL(sendto)(fd, buf, n, flags, addr, addrlen))) \
	F(ssize_t, sendmsg, 3, (int fd, const struct msghdr *msg, int flags), (fd, msg, flags), PARKS, 0, none, flags & MSG_DONTWAIT && IS(REAL(sendmsg)(fd, msg, flags))) \
	F(int, connect, 3, (int fd, const struct sockaddr *addr, socklen_t addrlen), (fd, addr, addrlen), PARKS, 0, none, 0) \
	F(int, accept, 3, (int fd, struct sockaddr *addr, socklen_t *addrlen), (fd, addr, addrlen), PARKS, 0, none, 0) \
	F(int, accept4, 4, (int fd, struct sockaddr *addr, socklen_t *addrlen, int flags), (fd, addr, addrlen, flags), PARKS, 0, none, 0)

#define POLLS(F) \
	F(int, poll, 3, (struct pollfd *fds, nfds_t n, int ms), (fds, n, ms), PARKS, 1, none, 0) \
	F(int, ppoll, 4, (struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask), (fds, n, timeout, mask), PARKS, 1, none, 0) \
	F(int, select, 5, (int n, fd_set *r, fd_set *w, fd_set *e, struct timeval *timeout), (n, r, w, e, timeout), PARKS, 1, none, 0) \
	F(int, pselect, 6, (int n, fd_set *r, fd_set *w, fd_set *e, const struct timespec *timeout, const sigset_t *mask), (n, r, w, e, timeout, mask), PARKS, 1, none, 0) \
	F(int, epoll_wait, 4, (int epfd, struct epoll_event *events, int max, int ms), (epfd, events, max, ms), PARKS, 1, none, 0) \
	F(int, epoll_pwait, 5, (int epfd, struct epoll_event *events, int max, int ms, const sigset_t *mask), (epfd, events, max, ms, mask), PARKS, 1, none, 0) \
	F(int, epoll_pwait2, 5, (int epfd, struct epoll_event *events, int max, const struct timespec *timeout, const sigset_t *mask), (epfd, events, max, timeout, mask), PARKS, 1, none, 0)

#define SLEEPS(F) \
	F(int, nanosleep, 2, (const struct timespec *time, struct timespec *left), (time, left), PARKS, 1, none, 0) \
	F(int, clock_nanosleep, 4, (clockid_t clock, int flags, const struct timespec *time, struct timespec *left), (clock, flags, time, left), PARKS, 1, none, 0) \
	F(int, usleep, 1, (useconds_t us), (us), PARKS, 1, none, 0) \
	F(unsigned, sleep, 1, (unsigned seconds), (seconds), PARKS, 1, none, 0)

/* ---- locks and threads */

#define LOCK_WAITS(F) \
	F(int, pthread_mutex_lock, 1, (pthread_mutex_t *m), (m), PARKS, 0, __pthread_mutex_lock, TRIED(pthread_mutex_trylock(m))) \
	F(int, pthread_mutex_timedlock, 2, (pthread_mutex_t *m, const struct timespec *t), (m, t), PARKS, 0, __pthread_mutex_timedlock, TRIED(pthread_mutex_trylock(m))) \
	F(int, pthread_mutex_clocklock, 3, (pthread_mutex_t *m, clockid_t clock, const struct timespec *t), (m, clock, t), PARKS, 0, __pthread_mutex_clocklock, known(clock) && TRIED(pthread_mutex_trylock(m))) \
	F(int, pthread_cond_wait, 2, (pthread_cond_t *c, pthread_mutex_t *m), (c, m), PARKS, 0, __pthread_cond_wait, 0) \
	F(int, pthread_cond_timedwait, 3, (pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *t), (c, m, t), PARKS, 0, __pthread_cond_timedwait, 0) \
	F(int, pthread_cond_clockwait, 4, (pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock, const struct timespec *t), (c, m, clock, t), PARKS, 0, __pthread_cond_clockwait, 0) \
	F(int, pthread_rwlock_rdlock, 1, (pthread_rwlock_t *l), (l), PARKS, 0, __pthread_rwlock_rdlock, TRIED(pthread_rwlock_tryrdlock(l))) \
	F(int, pthread_rwlock_wrlock, 1, (pthread_rwlock_t *l), (l), PARKS, 0, __pthread_rwlock_wrlock, TRIED(pthread_rwlock_trywrlock(l))) \
	F(int, pthread_rwlock_timedrdlock, 2, (pthread_rwlock_t *l, const struct timespec *t), (l, t), PARKS, 0, ___pthread_rwlock_timedrdlock, valid(t) && TRIED(pthread_rwlock_tryrdlock(l))) \
	F(int, pthread_rwlock_timedwrlock, 2, (pthread_rwlock_t *l, const struct timespec *t), (l, t), PARKS, 0, ___pthread_rwlock_timedwrlock, valid(t) && TRIED(pthread_rwlock_trywrlock(l))) \
	F(int, pthread_rwlock_clockrdlock, 3, (pthread_rwlock_t *l, clockid_t clock, const struct timespec *t), (l, clock, t), PARKS, 0, ___pthread_rwlock_clockrdlock, known(clock) && valid(t) && TRIED(pthread_rwlock_tryrdlock(l))) \
	F(int, pthread_rwlock_clockwrlock, 3, (pthread_rwlock_t *l, clockid_t clock, const struct timespec *t), (l, clock, t), PARKS, 0, ___pthread_rwlock_clockwrlock, known(clock) && valid(t) && TRIED(pthread_rwlock_trywrlock(l))) \
	F(int, pthread_spin_lock, 1, (pthread_spinlock_t *l), (l), PARKS, 0, seam_netio_static_pthread_spin_lock, tried_spinning(&r, l)) \
	F(int, pthread_once, 2, (pthread_once_t *o, void (*f)(void)), (o, f), PARKS, 0, __pthread_once, (is_done(o) && IS(0)) || (once_here(o, f) && IS(REAL(pthread_once)(o, f)))) \
	F(int, pthread_join, 2, (pthread_t t, void **result), (t, result), PARKS, 0, __pthread_join, 0) \
	F(int, pthread_timedjoin_np, 3, (pthread_t t, void **result, const struct timespec *until), (t, result, until), PARKS, 0, ___pthread_timedjoin_np, 0) \
	F(int, pthread_clockjoin_np, 4, (pthread_t t, void **result, clockid_t clock, const struct timespec *until), (t, result, clock, until), PARKS, 0, ___pthread_clockjoin_np, 0) \
	F(int, pthread_barrier_wait, 1, (pthread_barrier_t *b), (b), PARKS, 0, __pthread_barrier_wait, 0) \
	F(int, sem_wait, 1, (sem_t *s), (s), PARKS, 0, __new_sem_wait, tried_semaphore(&r, s)) \
	F(int, sem_timedwait, 2, (sem_t *s, const struct timespec *t), (s, t), PARKS, 1, ___sem_timedwait, valid(t) && tried_semaphore(&r, s)) \
	F(int, sem_clockwait, 3, (sem_t *s, clockid_t clock, const struct timespec *t), (s, clock, t), PARKS, 1, ___sem_clockwait, known(clock) && valid(t) && tried_semaphore(&r, s)) \
	F(void, flockfile, 1, (FILE *f), (f), PARKS, 0, __flockfile, ftrylockfile(f) == 0)

/* C11's threads are pthread's under other names, if they are libc's: see locks.c. A lock of a library's own is left to it. */
#define C11_WAITS(F) \
	F(int, mtx_lock, 1, (pthread_mutex_t *m), (m), PARKS, 0, seam_netio_static_mtx_lock, c11_is_libcs && TRIED(pthread_mutex_trylock(m)) && r == 0) \
	F(int, mtx_timedlock, 2, (pthread_mutex_t *m, const struct timespec *t), (m, t), PARKS, 0, seam_netio_static_mtx_timedlock, c11_is_libcs && TRIED(pthread_mutex_trylock(m)) && r == 0) \
	F(int, cnd_wait, 2, (pthread_cond_t *c, pthread_mutex_t *m), (c, m), PARKS, 0, seam_netio_static_cnd_wait, 0) \
	F(int, cnd_timedwait, 3, (pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *t), (c, m, t), PARKS, 0, seam_netio_static_cnd_timedwait, 0) \
	F(int, thrd_join, 2, (pthread_t t, int *result), (t, result), PARKS, 0, seam_netio_static_thrd_join, 0) \
	F(void, call_once, 2, (pthread_once_t *o, void (*f)(void)), (o, f), PARKS, 0, seam_netio_static_call_once, is_done(o) || (once_here(o, f) && (REAL(call_once)(o, f), 1))) \
	F(int, thrd_sleep, 2, (const struct timespec *time, struct timespec *left), (time, left), PARKS, 1, seam_netio_static_thrd_sleep, 0)

/* ---- signals: a coroutine looks from time to time, since one may be sent to its thread */

#define SIGNAL_WAITS(F) \
	F(int, sigtimedwait, 3, (const sigset_t *set, siginfo_t *info, const struct timespec *t), (set, info, t), PARKS, 1, seam_netio_static_sigtimedwait, 0) \
	F(int, sigwaitinfo, 2, (const sigset_t *set, siginfo_t *info), (set, info), PARKS, 1, __sigwaitinfo, 0) \
	F(int, sigwait, 2, (const sigset_t *set, int *signal), (set, signal), PARKS, 0, __sigwait, 0)

/* ---- what only the kernel, or libc, can wait for */

#define SYSTEM_WAITS(F) \
	F(int, sched_yield, 0, (void), (), PARKS, 0, SYS_sched_yield, 0) \
	F(pid_t, wait4, 4, (pid_t pid, int *status, int options, struct rusage *used), (pid, status, options, used), GO, 0, SYS_wait4, (options & WNOHANG) && IS(REAL(wait4)(pid, status, options, used))) \
	F(int, waitid, 4, (idtype_t type, id_t id, siginfo_t *info, int options), (type, id, info, options), GO, 0, SYS_waitid, (options & WNOHANG) && IS(REAL(waitid)(type, id, info, options))) \
	F(int, flock, 2, (int fd, int how), (fd, how), GO, 0, SYS_flock, IS(REAL(flock)(fd, how | LOCK_NB)) && (r == 0 || how & LOCK_NB || errno != EWOULDBLOCK)) \
	F(int, semtimedop, 4, (int id, struct sembuf *ops, size_t n, const struct timespec *t), (id, ops, n, t), GO, 1, SYS_semtimedop, tried_semop(&r, id, ops, n)) \
	F(int, msgsnd, 4, (int id, const void *m, size_t n, int flags), (id, m, n, flags), GO, 1, SYS_msgsnd, IS(REAL(msgsnd)(id, m, n, flags | IPC_NOWAIT)) && (r == 0 || flags & IPC_NOWAIT || errno != EAGAIN)) \
	F(ssize_t, msgrcv, 5, (int id, void *m, size_t n, long type, int flags), (id, m, n, type, flags), GO, 1, SYS_msgrcv, IS(REAL(msgrcv)(id, m, n, type, flags | IPC_NOWAIT)) && (r >= 0 || flags & IPC_NOWAIT || errno != ENOMSG)) \
	F(int, recvmmsg, 5, (int fd, struct mmsghdr *m, unsigned n, int flags, struct timespec *t), (fd, m, n, flags, t), GO, 1, SYS_recvmmsg, flags & MSG_DONTWAIT && IS(REAL(recvmmsg)(fd, m, n, flags, t))) \
	F(int, sendmmsg, 4, (int fd, struct mmsghdr *m, unsigned n, int flags), (fd, m, n, flags), GO, 0, SYS_sendmmsg, flags & MSG_DONTWAIT && IS(REAL(sendmmsg)(fd, m, n, flags))) \
	F(int, mq_timedsend, 5, (mqd_t q, const char *m, size_t n, unsigned priority, const struct timespec *t), (q, m, n, priority, t), GO, 0, SYS_mq_timedsend, 0) \
	F(ssize_t, mq_timedreceive, 5, (mqd_t q, char *m, size_t n, unsigned *priority, const struct timespec *t), (q, m, n, priority, t), GO, 0, SYS_mq_timedreceive, 0) \
	F(int, fsync, 1, (int fd), (fd), GO, 0, SYS_fsync, 0) \
	F(int, fdatasync, 1, (int fd), (fd), GO, 0, SYS_fdatasync, 0) \
	F(int, syncfs, 1, (int fd), (fd), GO, 0, SYS_syncfs, 0) \
	F(ssize_t, sendfile, 4, (int to, int from, off_t *at, size_t n), (to, from, at, n), GO, 0, SYS_sendfile, 0) \
	F(ssize_t, splice, 6, (int from, off_t *at, int to, off_t *to_at, size_t n, unsigned flags), (from, at, to, to_at, n, flags), GO, 0, SYS_splice, 0) \
	F(ssize_t, vmsplice, 4, (int fd, const struct iovec *iov, size_t n, unsigned flags), (fd, iov, n, flags), GO, 0, SYS_vmsplice, 0) \
	F(ssize_t, tee, 4, (int from, int to, size_t n, unsigned flags), (from, to, n, flags), GO, 0, SYS_tee, 0) \
	F(ssize_t, copy_file_range, 6, (int from, off_t *at, int to, off_t *to_at, size_t n, unsigned flags), (from, at, to, to_at, n, flags), GO, 0, SYS_copy_file_range, 0)

#define OTHER_WAITS(F) \
	F(int, thrd_yield, 0, (void), (), PARKS, 0, seam_netio_static_thrd_yield, 0) \
	F(pid_t, wait, 1, (int *status), (status), GO, 0, seam_netio_static_wait, 0) \
	F(pid_t, wait3, 3, (int *status, int options, struct rusage *used), (status, options, used), GO, 0, seam_netio_static_wait3, (options & WNOHANG) && IS(REAL(wait3)(status, options, used))) \
	F(pid_t, waitpid, 3, (pid_t pid, int *status, int options), (pid, status, options), GO, 0, seam_netio_static_waitpid, (options & WNOHANG) && IS(REAL(waitpid)(pid, status, options))) \
	F(int, semop, 3, (int id, struct sembuf *ops, size_t n), (id, ops, n), GO, 1, seam_netio_static_semop, tried_semop(&r, id, ops, n)) \
	F(int, mq_send, 4, (mqd_t q, const char *m, size_t n, unsigned priority), (q, m, n, priority), GO, 0, seam_netio_static_mq_send, 0) \
	F(ssize_t, mq_receive, 4, (mqd_t q, char *m, size_t n, unsigned *priority), (q, m, n, priority), GO, 0, seam_netio_static_mq_receive, 0) \
	F(int, aio_suspend, 3, (const struct aiocb *const list[], int n, const struct timespec *t), (list, n, t), GO, 1, __aio_suspend, 0) \
	F(int, aio_suspend64, 3, (const struct aiocb *const list[], int n, const struct timespec *t), (list, n, t), GO, 1, __aio_suspend, 0) \
	F(int, io_getevents, 5, (void *context, long least, long n, void *events, struct timespec *t), (context, least, n, events, t), GO, 1, seam_netio_static_io_getevents, 0) \
	F(ssize_t, sendfile64, 4, (int to, int from, off_t *at, size_t n), (to, from, at, n), GO, 0, seam_netio_static_sendfile64, 0) \
	F(int, pause, 0, (void), (), GO, 1, seam_netio_static_pause, 0) \
	F(int, lockf, 3, (int fd, int how, off_t n), (fd, how, n), GO, 0, seam_netio_static_lockf, how != F_LOCK && IS(REAL(lockf)(fd, how, n))) \
	F(int, lockf64, 3, (int fd, int how, off_t n), (fd, how, n), GO, 0, seam_netio_static_lockf, how != F_LOCK && IS(REAL(lockf64)(fd, how, n))) \
	F(int, tcdrain, 1, (int fd), (fd), GO, 0, seam_netio_static_tcdrain, 0) \
	F(int, system, 1, (const char *command), (command), GO, 0, seam_netio_static_system, 0) \
	F(int, pclose, 1, (FILE *f), (f), GO, 0, seam_netio_static_pclose, 0) \
	F(struct hostent *, gethostbyname, 1, (const char *name), (name), GO, 0, seam_netio_static_gethostbyname, 0) \
	F(struct hostent *, gethostbyname2, 2, (const char *name, int family), (name, family), GO, 0, seam_netio_static_gethostbyname2, 0) \
	F(struct hostent *, gethostbyaddr, 3, (const void *addr, socklen_t n, int family), (addr, n, family), GO, 0, seam_netio_static_gethostbyaddr, 0) \
	F(int, gethostbyname_r, 6, (const char *name, struct hostent *h, char *buf, size_t n, struct hostent **result, int *error), (name, h, buf, n, result, error), GO, 0, __gethostbyname_r, 0) \
	F(int, gethostbyname2_r, 7, (const char *name, int family, struct hostent *h, char *buf, size_t n, struct hostent **result, int *error), (name, family, h, buf, n, result, error), GO, 0, __gethostbyname2_r, 0) \
	F(int, gethostbyaddr_r, 8, (const void *addr, socklen_t len, int family, struct hostent *h, char *buf, size_t n, struct hostent **result, int *error), (addr, len, family, h, buf, n, result, error), GO, 0, __gethostbyaddr_r, 0)

/* The arguments of these are not so simple: each has a definition of its own. */
#define SPECIAL_WAITS(F) \
	F(int, open, 0, (const char *path, int flags, ...), (), GO, 0, seam_netio_static_open, 0) \
	F(int, open64, 0, (const char *path, int flags, ...), (), GO, 0, seam_netio_static_open, 0) \
	F(int, openat, 0, (int dir, const char *path, int flags, ...), (), GO, 0, seam_netio_static_openat, 0) \
	F(int, openat64, 0, (int dir, const char *path, int flags, ...), (), GO, 0, seam_netio_static_openat, 0) \
	F(int, fcntl, 0, (int fd, int what, ...), (), GO, 0, seam_netio_static_fcntl, 0) \
	F(int, fcntl64, 0, (int fd, int what, ...), (), GO, 0, seam_netio_static_fcntl, 0) \
	F(int, sigsuspend, 1, (const sigset_t *mask), (mask), GO, 1, __sigsuspend, 0) \
	F(long, syscall, 0, (long number, ...), (), PARKS, 0, seam_netio_static_syscall, 0)

/* System calls that wait, where a library makes them by syscall, besides those above. */
#define SYSTEM_CALL_WAITS(F) \
	F(SYS_read) F(SYS_readv) F(SYS_recvfrom) F(SYS_recvmsg) F(SYS_write) F(SYS_writev) F(SYS_sendto) F(SYS_sendmsg) \
	F(SYS_connect) F(SYS_accept) F(SYS_accept4) F(SYS_ppoll) F(SYS_pselect6) F(SYS_epoll_pwait) F(441 /* epoll_pwait2 */) \
	F(SYS_nanosleep) F(SYS_clock_nanosleep) F(SYS_semop) F(SYS_rt_sigtimedwait) F(SYS_rt_sigsuspend) \
	F(SYS_io_getevents) F(SYS_io_pgetevents) F(SYS_io_destroy) F(449 /* futex_waitv */) OLD_SYSTEM_CALL_WAITS(F)
#if defined(__x86_64__)
#define OLD_SYSTEM_CALL_WAITS(F) F(SYS_poll) F(SYS_select) F(SYS_epoll_wait) F(SYS_pause)
#else
#define OLD_SYSTEM_CALL_WAITS(F)
#endif

/* Without a pointer of their own. */
#define FURTHER_WAITS(F) \
	F(int, getaddrinfo, 4, (const char *host, const char *service, const struct addrinfo *hints, struct addrinfo **list), (host, service, hints, list), PARKS, 0, none, 0) \
	F(int, __cxa_guard_acquire, 1, (uint32_t *guard), (guard), PARKS, 0, none, 0)

/* ---- what ends waits, or stands beside them: NEVER waits */

#define CLOSES(F) \
	F(int, close, 1, (int fd), (fd), NEVER, 0, none, 0) \
	F(int, dup2, 2, (int from, int to), (from, to), NEVER, 0, none, 0) \
	F(int, dup3, 3, (int from, int to, int flags), (from, to, flags), NEVER, 0, none, 0)

#define WAKES(W) \
	W(int, pthread_mutex_trylock, 1, (pthread_mutex_t *m), (m), NEVER, 0, __pthread_mutex_trylock, 0) \
	W(int, pthread_mutex_unlock, 1, (pthread_mutex_t *m), (m), NEVER, 0, __pthread_mutex_unlock, 0) \
	W(int, pthread_cond_signal, 1, (pthread_cond_t *c), (c), NEVER, 0, __pthread_cond_signal, 0) \
	W(int, pthread_cond_broadcast, 1, (pthread_cond_t *c), (c), NEVER, 0, __pthread_cond_broadcast, 0) \
	W(int, pthread_rwlock_trywrlock, 1, (pthread_rwlock_t *l), (l), NEVER, 0, seam_netio_static_pthread_rwlock_trywrlock, 0) \
	W(int, pthread_rwlock_unlock, 1, (pthread_rwlock_t *l), (l), NEVER, 0, __pthread_rwlock_unlock, 0) \
	W(int, sem_post, 1, (sem_t *s), (s), NEVER, 0, seam_netio_static_sem_post, 0) \
	W(int, ftrylockfile, 1, (FILE *f), (f), NEVER, 0, __ftrylockfile, 0) \
	W(void, funlockfile, 1, (FILE *f), (f), NEVER, 0, __funlockfile, 0) \
	W(int, pthread_barrier_init, 3, (pthread_barrier_t *b, const pthread_barrierattr_t *how, unsigned count), (b, how, count), NEVER, 0, __pthread_barrier_init, 0) \
	W(int, pthread_barrier_destroy, 1, (pthread_barrier_t *b), (b), NEVER, 0, seam_netio_static_pthread_barrier_destroy, 0) \
	W(int, mtx_trylock, 1, (pthread_mutex_t *m), (m), NEVER, 0, seam_netio_static_mtx_trylock, 0) \
	W(int, mtx_unlock, 1, (pthread_mutex_t *m), (m), NEVER, 0, seam_netio_static_mtx_unlock, 0) \
	W(int, cnd_signal, 1, (pthread_cond_t *c), (c), NEVER, 0, seam_netio_static_cnd_signal, 0) \
	W(int, cnd_broadcast, 1, (pthread_cond_t *c), (c), NEVER, 0, seam_netio_static_cnd_broadcast, 0) \
	W(int, pthread_getattr_np, 2, (pthread_t t, pthread_attr_t *a), (t, a), NEVER, 0, seam_netio_static_pthread_getattr_np, 0)

/* The last column is the stream, of which libc's lock knows the thread: see streams.c. The last argument of
 * LIST_STREAMS is a list. */
#define STREAMS(S) \
	S(int, fputs, 2, (const char *s, FILE *f), (s, f), NEVER, 0, seam_netio_static_fputs, f) \
	S(int, puts, 1, (const char *s), (s), NEVER, 0, seam_netio_static_puts, stdout) \
	S(int, fputc, 2, (int c, FILE *f), (c, f), NEVER, 0, seam_netio_static_fputc, f) \
	S(int, putc, 2, (int c, FILE *f), (c, f), NEVER, 0, seam_netio_static_putc, f) \
	S(int, putchar, 1, (int c), (c), NEVER, 0, seam_netio_static_putchar, stdout) \
	S(size_t, fwrite, 4, (const void *p, size_t size, size_t n, FILE *f), (p, size, n, f), NEVER, 0, seam_netio_static_fwrite, f) \
	S(int, fflush, 1, (FILE *f), (f), NEVER, 0, seam_netio_static_fflush, f) \
	S(int, fgetc, 1, (FILE *f), (f), NEVER, 0, seam_netio_static_fgetc, f) \
	S(int, getc, 1, (FILE *f), (f), NEVER, 0, seam_netio_static_getc, f) \
	S(char *, fgets, 3, (char *s, int n, FILE *f), (s, n, f), NEVER, 0, seam_netio_static_fgets, f) \
	S(size_t, fread, 4, (void *p, size_t size, size_t n, FILE *f), (p, size, n, f), NEVER, 0, seam_netio_static_fread, f) \
	S(ssize_t, getline, 3, (char **line, size_t *size, FILE *f), (line, size, f), NEVER, 0, seam_netio_static_getline, f) \
	S(ssize_t, getdelim, 4, (char **line, size_t *size, int end, FILE *f), (line, size, end, f), NEVER, 0, seam_netio_static_getdelim, f) \
	S(ssize_t, __getdelim, 4, (char **line, size_t *size, int end, FILE *f), (line, size, end, f), NEVER, 0, seam_netio_static_getdelim, f)

#define LIST_STREAMS(S) \
	S(int, vfprintf, 3, (FILE *f, const char *format, va_list a), (f, format, a), NEVER, 0, seam_netio_static_vfprintf, f) \
	S(int, vprintf, 2, (const char *format, va_list a), (format, a), NEVER, 0, seam_netio_static_vprintf, stdout) \
	S(int, __vfprintf_chk, 4, (FILE *f, int flag, const char *format, va_list a), (f, flag, format, a), NEVER, 0, seam_netio_static___vfprintf_chk, f) \
	S(int, __vprintf_chk, 3, (int flag, const char *format, va_list a), (flag, format, a), NEVER, 0, seam_netio_static___vprintf_chk, stdout)
