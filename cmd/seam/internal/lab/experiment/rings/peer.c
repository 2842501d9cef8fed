//go:build linux && cgo

#include <seam/ring.h>

#include "peer.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>

/* answer serves rings, until they end. */
static void answer(seam_ring_reader *r, seam_ring_writer *w, enum seam_rings_op op)
{
	const void *p;
	size_t n;
	while (seam_ring_next(r, &p, &n, -1) == SEAM_RING_OK) {
		if (op == SEAM_RINGS_THROUGHPUT) {
			uint64_t left;
			memcpy(&left, p, sizeof left);
			for (; left > 0; left--)
				if (seam_ring_next(r, &p, &n, -1) != SEAM_RING_OK)
					return;
			n = 0;
		}
		if (seam_ring_send(w, p, n, -1) != SEAM_RING_OK)
			return;
	}
}

void seam_rings_serve(int sock, enum seam_rings_op op)
{
	seam_ring_conn c;
	if (seam_ring_connect(&c, sock, NULL) != SEAM_RING_OK)
		return; /* the other side is told too */
	if (op == SEAM_RINGS_SPIN || op == SEAM_RINGS_PARK) {
		unsigned spins = op == SEAM_RINGS_SPIN ? SEAM_RINGS_SPINS : 0;
		seam_ring_spins(&c.reader.e, spins);
		seam_ring_spins(&c.writer.e, spins);
	}
	answer(&c.reader, &c.writer, op);
	seam_ring_conn_close(&c);
}

static int get(int fd, void *to, size_t n)
{
	char *p = to;
	while (n > 0) {
		ssize_t k = read(fd, p, n);
		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			return 0;
		p += k;
		n -= (size_t)k;
	}
	return 1;
}

static int put(int fd, const void *from, size_t n)
{
	const char *p = from;
	while (n > 0) {
		ssize_t k = write(fd, p, n);
		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			return 0;
		p += k;
		n -= (size_t)k;
	}
	return 1;
}

void seam_rings_serve_stream(int in, int out, enum seam_rings_op op, size_t size)
{
	char *rec = malloc(size);
	uint64_t n = 1;
	while (rec != NULL && (op != SEAM_RINGS_THROUGHPUT || get(in, &n, sizeof n))) {
		uint64_t left = n;
		while (left > 0 && get(in, rec, size))
			left--;
		if (left > 0 || !put(out, rec, op == SEAM_RINGS_THROUGHPUT ? 1 : size))
			break;
	}
	free(rec);
}

void seam_rings_serve_words(int sock, uint64_t *there, uint64_t *back)
{
	uint64_t n, i;
	while (get(sock, &n, sizeof n)) {
		for (i = 0; i < n; i++) {
			unsigned looks = 0;
			while (__atomic_load_n(there, __ATOMIC_ACQUIRE) != 2 * i + 1)
				if (++looks % 8192 == 0)
					sched_yield(); /* a busy machine */
				else
					seam_ring_pause_();
			__atomic_store_n(back, 2 * i + 2, __ATOMIC_RELEASE);
		}
		if (!put(sock, "", 1))
			return;
	}
}

struct seam_rings_threads {
	seam_ring_writer there, back;
	seam_ring_reader here, home;
	void *memory[2];
	pthread_t thread;
	int runs;
	uint8_t batch[128 << 10]; /* an eighth of the ring, as the most that is published together */
};

static void *thread_main(void *arg)
{
	struct seam_rings_threads *t = arg;
	prctl(PR_SET_NAME, "seam-ring");
	answer(&t->here, &t->back, SEAM_RINGS_THROUGHPUT);
	return NULL;
}

int seam_rings_threads_new(struct seam_rings_threads **out, size_t capacity)
{
	struct seam_rings_threads *t = calloc(1, sizeof *t);
	sigset_t all, old;
	int i, err = 0;
	if (t == NULL)
		return ENOMEM;
	for (i = 0; i < 2 && err == 0; i++)
		if ((err = posix_memalign(&t->memory[i], 128, sizeof(seam_ring_control) + capacity)) == 0)
			memset(t->memory[i], 0, sizeof(seam_ring_control) + capacity);
	if (err == 0 && (seam_ring_local(t->memory[0], capacity, 0, &t->there, &t->here) || seam_ring_local(t->memory[1], capacity, 0, &t->back, &t->home)))
		err = EINVAL;
	if (err == 0) {
		/* Signals are for Go's threads. */
		sigfillset(&all);
		pthread_sigmask(SIG_SETMASK, &all, &old);
		err = pthread_create(&t->thread, NULL, thread_main, t);
		pthread_sigmask(SIG_SETMASK, &old, NULL);
		t->runs = err == 0;
	}
	if (err != 0) {
		seam_rings_threads_free(t);
		return err;
	}
	*out = t;
	return 0;
}

/* Each size has code of its own below. Without this it hasn't: memset is then called for each
 * record, and boost's side makes its records without a call. */
#define ALWAYS inline __attribute__((always_inline))

/* in_place makes records where they lie. */
static ALWAYS int in_place(seam_ring_writer *w, long n, size_t size, long together)
{
	long i, k = 0;
	int err = 0;
	for (i = 1; err == 0 && i <= n; i++) {
		void *room;
		if ((err = seam_ring_reserve(w, size, &room, -1)) != 0)
			break;
		memset(room, (int)i, size);
		if ((err = seam_ring_commit(w, size)) == 0 && (++k == together || i == n)) {
			err = seam_ring_flush(w);
			k = 0;
		}
	}
	return err;
}

/* many makes an array of records and hands it over, as is done with boost's queue. */
static ALWAYS int many(seam_ring_writer *w, uint8_t *batch, long n, size_t size, long together)
{
	long i;
	size_t k = 0;
	int err = 0;
	for (i = 1; err == 0 && i <= n; i++) {
		memset(batch + k++ * size, (int)i, size);
		if (i == n || k == (size_t)together) {
			if ((err = seam_ring_append_many(w, batch, size, k, NULL, -1)) == 0)
				err = seam_ring_flush(w);
			k = 0;
		}
	}
	return err;
}

static ALWAYS int some(struct seam_rings_threads *t, long n, size_t size, long together, int array)
{
	return array ? many(&t->there, t->batch, n, size, together) : in_place(&t->there, n, size, together);
}

int seam_rings_threads_send(struct seam_rings_threads *t, long n, size_t size, long together, int array)
{
	uint64_t head = (uint64_t)n;
	const void *p;
	size_t k;
	int err;
	if (array && size * (size_t)together > sizeof t->batch)
		return SEAM_RING_EINVALID;
	if ((err = seam_ring_send(&t->there, &head, sizeof head, -1)) != 0)
		return err;
	switch (size) { /* what makes the records knows their size, as beside boost's queue */
	case 8: err = some(t, n, 8, together, array); break;
	case 64: err = some(t, n, 64, together, array); break;
	case 1024: err = some(t, n, 1024, together, array); break;
	default: err = some(t, n, size, together, array);
	}
	return err != 0 ? err : seam_ring_next(&t->home, &p, &k, -1);
}

void seam_rings_threads_free(struct seam_rings_threads *t)
{
	if (t->runs) {
		seam_ring_end_of_records(&t->there);
		pthread_join(t->thread, NULL);
	}
	free(t->memory[0]);
	free(t->memory[1]);
	free(t);
}
