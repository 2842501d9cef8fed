#define _GNU_SOURCE
#include "program.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

static void nothing(int sig) { (void)sig; }

void bare(void)
{
	struct sigaction a;
	memset(&a, 0, sizeof a);
	a.sa_handler = nothing;
	a.sa_flags = SA_ONSTACK | SA_RESTART;
	sigaction(SIGPROF, &a, NULL);
}

static int (*profiler_start)(const char *);
static void (*profiler_stop)(void);

const char *gperftools_start(int hz)
{
	struct sigaction a;
	if (!profiler_start) {
		/* It does nothing where SIGPROF has a handler, and Go has one. */
		memset(&a, 0, sizeof a);
		a.sa_handler = SIG_DFL;
		sigaction(SIGPROF, &a, NULL);
		void *lib = dlopen("libprofiler.so.0", RTLD_NOW);
		if (!lib)
			return "gperftools is not installed: no libprofiler.so.0 (Debian: libgoogle-perftools-dev)";
		profiler_stop = (void (*)(void))dlsym(lib, "ProfilerStop");
		profiler_start = (int (*)(const char *))dlsym(lib, "ProfilerStart");
		if (!profiler_start || !profiler_stop)
			return "libprofiler.so.0 has no ProfilerStart";
	}
	if (!profiler_start("/dev/null"))
		return "gperftools can't start a profile";
	sigaction(SIGPROF, NULL, &a);
	if (a.sa_handler == SIG_DFL || a.sa_handler == SIG_IGN)
		return "gperftools has no handler for SIGPROF";
	a.sa_flags |= SA_ONSTACK;
	sigaction(SIGPROF, &a, NULL);
	struct itimerval every = {{0, 1000000 / hz}, {0, 1000000 / hz}};
	setitimer(ITIMER_PROF, &every, NULL);
	return NULL;
}

void gperftools_stop(void)
{
	struct itimerval never = {{0, 0}, {0, 0}};
	setitimer(ITIMER_PROF, &never, NULL);
	profiler_stop();
}

static int event = -1;
static void *ring;
enum { PAGES = 64 };

int perf_start(int hz)
{
	struct perf_event_attr a;
	memset(&a, 0, sizeof a);
	a.size = sizeof a;
	a.type = PERF_TYPE_SOFTWARE;
	a.config = PERF_COUNT_SW_TASK_CLOCK;
	a.freq = 1;
	a.sample_freq = (unsigned long)hz;
	a.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN;
	a.exclude_kernel = 1;
	a.exclude_hv = 1;
	a.write_backward = 1; /* the newest take the place of the oldest */
	event = (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (event < 0)
		return errno;
	ring = mmap(NULL, (PAGES + 1) * (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, event, 0);
	if (ring == MAP_FAILED) {
		int err = errno;
		close(event);
		event = -1;
		return err;
	}
	return 0;
}

void perf_stop(void)
{
	munmap(ring, (PAGES + 1) * (size_t)sysconf(_SC_PAGESIZE));
	close(event);
	event = -1;
}
