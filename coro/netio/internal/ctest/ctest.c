//go:build cgo && linux && !android && (amd64 || arm64)

#undef _GNU_SOURCE
#define _GNU_SOURCE
#include "ctest.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

void *seam_test_open(const char *path) {
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	return library ? dlsym(library, "seam_netio_test") : NULL;
}

static void *read_for_ever(void *arg) {
	char c;
	ssize_t n = read(*(int *)arg, &c, 1);
	return (void *)(intptr_t)n;
}

int seam_test_cancel_read(int fd) {
	pthread_t thread;
	void *result;
	int err = pthread_create(&thread, NULL, read_for_ever, &fd);
	if (err)
		return -err;
	if ((err = pthread_cancel(thread)) || (err = pthread_join(thread, &result)))
		return -err;
	return result == PTHREAD_CANCELED;
}

// What a child does: wait for a byte that does not come, sleep, write the byte, and
// read it. The parent may be at a halt, so the child must not need it.
static int child(const int32_t *pipe) {
	struct pollfd p = {.fd = pipe[0], .events = POLLIN};
	struct timespec t = {.tv_nsec = 1000000};
	char c = 0;
	if (poll(&p, 1, 1) != 0)
		return 1;
	if (nanosleep(&t, NULL) != 0)
		return 2;
	if (write(pipe[1], "x", 1) != 1 || read(pipe[0], &c, 1) != 1 || c != 'x')
		return 3;
	return close(pipe[0]) == 0 ? 0 : 4;
}

static int64_t status_of(pid_t pid) {
	int status;
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

int64_t seam_test_fork(seam_coro *co, int32_t *pipe) {
	pid_t pid = fork();
	(void)co;
	if (pid == 0)
		_exit(child(pipe));
	return status_of(pid);
}

int64_t seam_test_vfork(seam_coro *co, int32_t *pipe) {
	pid_t pid = vfork();
	(void)co;
	if (pid == 0)
		_exit(child(pipe));
	return status_of(pid);
}

static int handler_fd;

static void handler(int sig) {
	(void)sig;
	if (write(handler_fd, "s", 1) != 1)
		handler_fd = -1;
}

int64_t seam_test_signal(seam_coro *co, int32_t *pipe) {
	struct sigaction now = {.sa_handler = handler, .sa_flags = SA_ONSTACK | SA_RESTART}, before;
	char c = 0;
	(void)co;
	handler_fd = pipe[1];
	if (sigaction(SIGUSR2, &now, &before) != 0)
		return -errno;
	raise(SIGUSR2);
	sigaction(SIGUSR2, &before, NULL);
	if (read(pipe[0], &c, 1) != 1)
		return -errno;
	return c;
}
