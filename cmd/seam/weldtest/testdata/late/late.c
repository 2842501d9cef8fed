#include "_cgo_export.h"

/* Each function is a leaf until it first calls Go. p points into Go memory. */
long loop(long n, long *p)
{
	long i, sum = 0;
	for (i = 0; i < n; i++) {
		sum += goStep(i);
		p[1] = p[0] + sum; /* the argument is where it was */
	}
	return sum;
}

long add(long a, long b) { return a + b; }

/* One function a level: a demoted one would be no leaf any more. */
#define NESTED(name)				\
	long name(long depth, long *p)		\
	{					\
		long r = goNested(depth, p);	\
		return r + *p + depth;		\
	}
NESTED(nested0)
NESTED(nested1)
NESTED(nested2)
NESTED(nested3)

#define PANICS(name)				\
	int name(int how)			\
	{					\
		goPanic(how);			\
		return how;			\
	}
PANICS(panics0)
PANICS(panics1)
PANICS(panics2)
PANICS(panics3)

int fails(int code)
{
	goStep(code);
	errno = code;
	return -code;
}

struct big doubled(struct big b)
{
	int i;
	for (i = 0; i < 16; i++)
		b.v[i] += goStep(b.v[i]);
	return b;
}

/* Registers that C keeps across calls, floating point ones too, in the loop: more values than
 * any processor has such registers. */
double kept(long n, double x)
{
	double a = x, b = x * 2, c = x * 3, d = x * 5;
	long i, e = n, f = n + 1, g = n + 2, h = n + 3, j = n + 4, k = n + 5, l = n + 6, m = n + 7;
	for (i = 0; i < n; i++) {
		long s = goStep(i);
		a += s, b -= s, c += 2 * s, d -= 2 * s;
		e += s, f ^= s, g += 3 * s, h ^= 3 * s;
		j -= s, k ^= 5 * s, l -= 5 * s, m ^= 7 * s;
	}
	return a + b + c + d + (double)(e + f + g + h) + (double)(j + k + l + m);
}

extern void (*other_hook)(long);
static void other_calls(long n) { goStep(n); }
void set_hook(void) { other_hook = other_calls; }

long total(const long *p, long n)
{
	long sum = 0;
	while (n-- > 0)
		sum += p[n];
	return sum;
}
long open_total(const long *p, long n) { return total(p, n); }

/* The plan says that it can't come to Go. */
long lies(const long *p) { return goStep(*p); }
