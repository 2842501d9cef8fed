//go:build cgo && linux && (amd64 || arm64)

#define _GNU_SOURCE
#include "ctest.h"
#include "traceback.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// A signal every 50 us, unless it takes too long for that to handle one: under an emulator, or on
// a machine with much else to do, the thread would do nothing else for ever.
static long period(void) {
	long took[9];
	for (int i = 0; i < 9; i++) {
		struct timespec from, to;
		clock_gettime(CLOCK_MONOTONIC, &from);
		raise(SIGPROF);
		clock_gettime(CLOCK_MONOTONIC, &to);
		long t = (to.tv_sec - from.tv_sec) * 1000000000 + to.tv_nsec - from.tv_nsec;
		int n = i;
		for (; n > 0 && took[n - 1] > t; n--)
			took[n] = took[n - 1];
		took[n] = t;
	}
	long ns = 10 * took[4];
	return ns < 50000 ? 50000 : ns > 100000000 ? 100000000 : ns;
}

int ctest_storm(ctest_weather *w) {
	static const int signals[] = {SIGPROF, SIGURG};
	long ns = period();
	for (int i = 0; i < 2; i++) {
		struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = signals[i]};
		struct itimerspec every = {{0, ns}, {0, ns + ns / 5 * i}};
		timer_t timer;
		event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
		if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0)
			return -1;
		timer_settime(timer, 0, &every, NULL);
		w->timers[i] = timer;
	}
	return 0;
}

void ctest_calm(ctest_weather *w) {
	for (int i = 0; i < 2; i++)
		timer_delete((timer_t)w->timers[i]);
}

static void ctest_nothing(void *unused) { (void)unused; }

static void *churned(void *unused) {
	ctest_weather own;
	int stormy = ctest_storm(&own) == 0;
	ctest_work(0, 0);
	if (stormy)
		ctest_calm(&own);
	return unused;
}

long ctest_churn(long times) {
	ctest_weather w;
	pthread_t t;
	long made = 0;
	if (ctest_storm(&w) != 0)
		return -1;
	while (times-- > 0)
		made += pthread_create(&t, NULL, churned, NULL) == 0 && pthread_join(t, NULL) == 0;
	ctest_calm(&w);
	return made;
}

typedef void (*run_function)(ctest_end, void *);

__attribute__((noinline)) int ctest_load_spin(const char *path, long ms) {
	void *library = dlopen(path, RTLD_NOW);
	run_function run = library ? (run_function)dlsym(library, "run") : NULL;
	if (!run)
		return -1;
	run(ctest_spin, (void *)ms);
	return dlclose(library);
}

const char *ctest_name_in(const char *path) {
	void *library = dlopen(path, RTLD_NOW);
	seam_symbol_arg name = {.pc = library ? (uintptr_t)dlsym(library, "run") + 1 : 0};
	seam_symbolize(&name);
	if (library)
		dlclose(library);
	return name.function;
}

long ctest_load(const char *path, long times) {
	ctest_weather w;
	long done = 0;
	if (ctest_storm(&w) != 0)
		return -1;
	while (done < times) {
		void *library = dlopen(path, RTLD_NOW);
		run_function run = library ? (run_function)dlsym(library, "run") : NULL;
		if (!run)
			break;
		for (int i = 0; i < 1000; i++)
			run(ctest_nothing, NULL);
		if (dlclose(library) != 0)
			break;
		done++;
	}
	ctest_calm(&w);
	return done;
}

// Forks while another thread's samples are taken. A child gets signals, and ends; one that hangs
// is ended after 20 s.
long ctest_fork(long times) {
	long well = 0;
	for (long i = 0; i < times; i++) {
		pid_t child = fork();
		if (child == 0) {
			for (int k = 0; k < 100; k++)
				raise(SIGPROF);
			_exit(0);
		}
		if (child < 0)
			break;
		int status = -1;
		pid_t ended = 0;
		for (int ms = 0; ms < 20000 && ended == 0; ms++) {
			struct timespec one = {0, 1000000};
			ended = waitpid(child, &status, WNOHANG);
			if (ended == 0)
				nanosleep(&one, NULL);
		}
		if (ended == 0) {
			kill(child, SIGKILL);
			waitpid(child, &status, 0);
			break;
		}
		well += ended == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
	}
	return well;
}
