#include "_cgo_export.h"

void spin(long us)
{
	struct timespec a, b;
	clock_gettime(CLOCK_MONOTONIC, &a);
	do
		clock_gettime(CLOCK_MONOTONIC, &b);
	while ((b.tv_sec - a.tv_sec) * 1000000 + (b.tv_nsec - a.tv_nsec) / 1000 < us);
}

long busy(const long *p, long us)
{
	spin(us);
	return p[0] + p[1];
}

int quick(int a) { return a + 1; }

void copy_out(const long *from, long *to, int n)
{
	while (n-- > 0)
		*to++ = *from++;
}

void calls_go(int really)
{
	if (really)
		goBack();
}

void calls_go_late(int really, long us)
{
	spin(us);
	if (really)
		goBack();
}

long sum(const long *p, int n)
{
	long s = 0;
	while (n-- > 0)
		s += *p++;
	return s;
}

int fail(const int *code)
{
	errno = *code;
	return -*code;
}

long sum_by_go(long n) { return goSum(n); }

static void *thread(void *p)
{
	long *n = p, s = 0, i;
	for (i = 0; i < *n; i++)
		s += goSum(i);
	*n = s;
	return NULL;
}

long on_thread(long n)
{
	pthread_t t[2];
	long a = n, b = n;
	if (pthread_create(&t[0], NULL, thread, &a) || pthread_create(&t[1], NULL, thread, &b))
		return -1;
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return a + b;
}
