/*
 * Code added by seam. See github.com/seamgo/seam.
 *
 * A thread of C's that gives free memory of malloc's back to the system when the program is idle.
 *
 * free() keeps what it is given for the next malloc(), and arenas of threads that are quiet now keep
 * theirs for good: glibc returns only what lies at an arena's end. malloc_trim(0) walks all arenas and
 * returns each free page. It holds an arena's lock meanwhile, so it is called when nobody allocates:
 * when the process has used less than a fiftieth of a processor for so long, and only if it has used
 * some since the last time.
 *
 * The thread blocks signals, as threads must that Go knows nothing of, and calls no Go. In a child
 * that was forked without exec it doesn't exist, and nothing is given back there.
 */
#pragma GCC system_header
#include <features.h>
#ifdef __GLIBC__
#include "thread.h"
#include <malloc.h>
#include <stdlib.h>

static long long seam_trim_cpu(void)
{
	struct timespec t = {0, 0};
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void *seam_trim_run(void *nothing)
{
	enum { SOME = 10000000 }; /* ns of the processor, in which something may have been freed */
	const long long idle = SEAM_TRIM_IDLE;
	long long trimmed = 0;
	for (;;) {
		long long before = seam_trim_cpu(), now;
		struct timespec t;
		t.tv_sec = idle / 1000000000;
		t.tv_nsec = idle % 1000000000;
		nanosleep(&t, 0);
		now = seam_trim_cpu();
		if (now - before > idle / 50 || now - trimmed < SOME)
			continue;
		malloc_trim(0);
		trimmed = seam_trim_cpu();
	}
	return nothing;
}

__attribute__((constructor)) static void seam_trim_start(void)
{
	const char *word = getenv("SEAM_TRIM");
	pthread_t thread;
	if (word && !strcmp(word, "off"))
		return;
	/* Without the thread the program keeps its memory, as it would without this file. */
	(void)csys_start(seam_trim_run, 0, 256 << 10, 0, &thread);
}
#endif
