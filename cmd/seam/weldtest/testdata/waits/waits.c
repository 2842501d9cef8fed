#include <errno.h>
#include "_cgo_export.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void *thread(void *unused)
{
	goWork(); /* needs a P, which the leaf has */
	pthread_mutex_lock(&mutex);
	ready = 1;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&mutex);
	return unused;
}

int wait_for_go(void)
{
	pthread_t t;
	if (pthread_create(&t, NULL, thread, NULL))
		return errno;
	pthread_mutex_lock(&mutex);
	while (!ready)
		pthread_cond_wait(&changed, &mutex);
	pthread_mutex_unlock(&mutex);
	return pthread_join(t, NULL);
}

int calls_go_for_long(void)
{
	goLong();
	return 0;
}

int quick(int n) { return n + 1; }
