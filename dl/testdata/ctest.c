#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

long add(long a, long b) { return a + b; }
int addi(int a, int b) { return a + b; }
double mul(double a, double b) { return a * b; }
void nothing(void) {}
void store(long *to, long value) { *to = value; }

/* A large frame on the system stack. */
long deep(long seed)
{
	volatile char stack[64 << 10];
	memset((void *)stack, (int)seed, sizeof stack);
	return stack[seed & 0xffff];
}

struct node { long value; struct node *next; };
long walk(struct node *n)
{
	long sum = 0;
	for (; n; n = n->next)
		sum += n->value;
	return sum;
}

static long now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

void spin(long ns)
{
	long start = now();
	while (now() - start < ns)
		;
}

int fails(int with) { errno = with; return -1; }

void segv(void) { *(volatile int *)16 = 1; }
void aborts(void) { abort(); }

typedef long (*callback)(long, void *);
long call(callback f, long n, void *data) { return f(n, data); }

/* n calls, each with the sum so far; the arguments are read again afterwards. */
long calls(callback f, long n, void *data, long *out)
{
	long sum = 0;
	for (long i = 0; i < n; i++)
		sum += f(i, data);
	*out = sum;
	return sum;
}

struct task { callback f; long n; void *data; long result; };
static void *run(void *p)
{
	struct task *t = p;
	t->result = t->f(t->n, t->data);
	return 0;
}

/* threads has so many new threads call f, and returns the sum. */
long threads(callback f, long n, void *data)
{
	struct task tasks[64];
	pthread_t ids[64];
	long sum = 0;
	if (n > 64)
		n = 64;
	for (long i = 0; i < n; i++) {
		tasks[i] = (struct task){f, i, data, 0};
		if (pthread_create(&ids[i], 0, run, &tasks[i]))
			return -1;
	}
	for (long i = 0; i < n; i++) {
		pthread_join(ids[i], 0);
		sum += tasks[i].result;
	}
	return sum;
}

long sum(int n, ...)
{
	va_list ap;
	long total = 0;
	va_start(ap, n);
	while (n-- > 0)
		total += va_arg(ap, int);
	va_end(ap);
	return total;
}

double mean(int n, ...)
{
	va_list ap;
	double total = 0;
	va_start(ap, n);
	for (int i = 0; i < n; i++)
		total += va_arg(ap, double);
	va_end(ap);
	return total / n;
}

/* Calls that wait for each other: each is there until so many are. */
static volatile int inside;
long meet(int want, long ns)
{
	long start = now();
	__atomic_add_fetch(&inside, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&inside, __ATOMIC_SEQ_CST) < want && now() - start < ns)
		usleep(100);
	return __atomic_load_n(&inside, __ATOMIC_SEQ_CST);
}
void left(void) { __atomic_sub_fetch(&inside, 1, __ATOMIC_SEQ_CST); }
void sleeps(long us) { usleep((unsigned)us); }

union number { double d; long l; };
struct both { union number n; double other; };
union real { double d; float f; };
double real_of(union real r) { return r.d; }
long number_of(union number n, double d) { return n.l + (long)d; }
struct both both_of(long l, double d) { struct both b; b.n.l = l; b.other = d; return b; }

/* storm sends the process what preempts goroutines and what samples them, until *stop, and
 * once at least: on a busy machine it may begin late. */
long storm(int *stop)
{
	long sent = 0;
	do {
		kill(getpid(), SIGURG);
		kill(getpid(), SIGPROF);
		sent += 2;
		usleep(50);
	} while (!__atomic_load_n(stop, __ATOMIC_RELAXED));
	return sent;
}
