/* The other process of the tests. Usage: peer ROLE [N [serve] [drop] [few] [untrusted] [capacity=N]
 * [timeout=MS]], with the socket as descriptor 3. */
#include <seam/ring.h>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>

static __attribute__((noreturn)) void die(const char *what, int err) {
	fprintf(stderr, "peer: %s: %d, errno %d\n", what, err, errno);
	exit(1);
}

/* Record i has i % 301 bytes: i, and then i + the byte's number. */
static size_t make(uint8_t *p, uint32_t i) {
	size_t n = i % 301, k;
	for (k = 0; k < n; k++)
		p[k] = (uint8_t)(i + k);
	return n;
}

static void check(const void *p, size_t n, uint32_t i) {
	uint8_t want[301];
	if (n != make(want, i) || memcmp(p, want, n) != 0) {
		fprintf(stderr, "peer: record %u of %zu bytes is wrong\n", i, n);
		exit(1);
	}
}

/* Sends what it receives back. */
static void echo(seam_ring_conn *c) {
	const void *p;
	size_t n;
	int err;
	while ((err = seam_ring_next(&c->reader, &p, &n, -1)) == SEAM_RING_OK)
		if ((err = seam_ring_send(&c->writer, p, n, -1)) != SEAM_RING_OK)
			die("send", err);
	if (err != SEAM_RING_END)
		die("next", err);
}

/* The same over the socket, 64 bytes at a time. */
static void echo_socket(void) {
	char p[64];
	while (recv(3, p, sizeof p, MSG_WAITALL) == sizeof p)
		if (send(3, p, sizeof p, 0) != sizeof p)
			die("send", 0);
}

/* Takes n records and looks at none. */
static void drain(seam_ring_conn *c, uint32_t n) {
	const void *p;
	size_t k;
	for (; n > 0; n--)
		if (seam_ring_next(&c->reader, &p, &k, -1) != SEAM_RING_OK)
			die("next", 0);
	if (seam_ring_send(&c->writer, "", 0, -1) != SEAM_RING_OK)
		die("send", 0);
}

static void produce(seam_ring_writer *w, uint32_t n) {
	uint32_t i;
	uint8_t p[301];
	int err;
	for (i = 0; i < n; i++) {
		size_t k = make(p, i);
		err = i % 5 == 0 ? seam_ring_send(w, p, k, -1) : seam_ring_append(w, p, k, -1);
		if (err != SEAM_RING_OK)
			die("append", err);
	}
	seam_ring_end_of_records(w);
}

static void consume(seam_ring_reader *r, uint32_t n) {
	const void *p;
	size_t k;
	uint32_t i;
	int err;
	for (i = 0; i < n; i++) {
		if ((err = seam_ring_next(r, &p, &k, -1)) != SEAM_RING_OK)
			die("next", err);
		check(p, k, i);
	}
	if ((err = seam_ring_next(r, &p, &k, -1)) != SEAM_RING_END)
		die("next, at the end", err);
}

/* Sends two records and is killed at a step on the way to the third. */
static void dies_writing(seam_ring_writer *w, int step) {
	void *room;
	uint8_t p[301];
	if (seam_ring_append(w, p, make(p, 0), -1) || seam_ring_append(w, p, make(p, 1), -1) || seam_ring_flush(w))
		die("send", 0);
	if (step == 0)
		raise(SIGKILL);
	if (seam_ring_reserve(w, 200, &room, -1))
		die("reserve", 0);
	if (step == 1)
		raise(SIGKILL);
	memset(room, 0xee, 100);
	if (step == 2)
		raise(SIGKILL);
	make((uint8_t *)room, 2);
	if (step == 3)
		raise(SIGKILL);
	seam_ring_commit(w, 2);
	if (step == 4)
		raise(SIGKILL);
	__atomic_exchange_n(&w->e.control->written, w->e.pos, __ATOMIC_SEQ_CST);
	if (step == 5) /* it is there, and nobody is told */
		raise(SIGKILL);
	seam_ring_wake_(&w->e);
	raise(SIGKILL);
}

/* Reads two records of a full ring and is killed at a step. */
static void dies_reading(seam_ring_reader *r, int step) {
	const void *p;
	size_t n;
	if (seam_ring_next(r, &p, &n, -1))
		die("next", 0);
	if (step == 0)
		raise(SIGKILL);
	seam_ring_release(r);
	if (step == 1)
		raise(SIGKILL);
	if (seam_ring_next(r, &p, &n, -1))
		die("next", 0);
	__atomic_exchange_n(&r->e.control->read, r->e.pos, __ATOMIC_SEQ_CST);
	if (step == 2)
		raise(SIGKILL);
	seam_ring_wake_(&r->e);
	raise(SIGKILL);
}

/* A ring between two threads. */
static uint32_t rounds;
static void *consumer(void *r) {
	consume((seam_ring_reader *)r, rounds);
	return NULL;
}

/* begin_at makes an empty ring one of which so many bytes have been read. */
static void begin_at(seam_ring_writer *w, seam_ring_reader *r, uint64_t at) {
	w->e.control->written = w->e.control->read = at;
	w->e.pos = w->e.published = w->e.seen = w->e.edge = w->e.promised = at;
	r->e.pos = r->e.published = r->e.seen = r->e.edge = at;
}

static void local(uint32_t n) {
	/* Where 32 and 63 bits are full, and where 64 are. */
	static const uint64_t starts[] = {0, 0xfffff000, 0x7ffffffffffff000, 0xfffffffffffff000};
	int i;
	static union {
		_Alignas(128) uint8_t bytes[sizeof(seam_ring_control) + 1024];
	} memory;
	seam_ring_writer w;
	seam_ring_reader r;
	pthread_t t;
	void *room;
	const void *p;
	size_t k;
	rounds = n;
	if (seam_ring_local(&memory, 1000, 0, &w, &r) != SEAM_RING_EINVALID || seam_ring_local(&memory, 1024, 0, &w, &r))
		die("local", 0);
	if (seam_ring_next(&r, &p, &k, 0) != SEAM_RING_EAGAIN || seam_ring_next(&r, &p, &k, 50) != SEAM_RING_EAGAIN)
		die("an empty ring", 0);
	if (r.e.mine->sleeps > 20)
		die("it didn't sleep, but looked again and again", 0);
	if (seam_ring_reserve(&w, 1017, &room, -1) != SEAM_RING_EINVALID)
		die("a record that is too large", 0);
	for (i = 0; i < 4; i++) {
		if (seam_ring_local(memset(&memory, 0, sizeof memory), 1024, 0, &w, &r))
			die("local", i);
		begin_at(&w, &r, starts[i]);
		if (pthread_create(&t, NULL, consumer, &r))
			die("pthread_create", 0);
		produce(&w, n);
		pthread_join(t, NULL);
	}
}

/* A reader that gives back 8 bytes at a time, each time within the writer's timeout. */
static atomic_int gave_up;
static void *trickler(void *control) {
	while (!atomic_load(&gave_up)) {
		struct timespec t = {0, 20 * 1000000};
		seam_ring_control *c = (seam_ring_control *)control;
		nanosleep(&t, NULL);
		if (atomic_load(&gave_up) == 0 && __atomic_load_n(&c->read, __ATOMIC_SEQ_CST) < 32768)
			__atomic_fetch_add(&c->read, 8, __ATOMIC_SEQ_CST);
		if (__atomic_fetch_and(&c->writer.state, ~SEAM_RING_WAITS_, __ATOMIC_SEQ_CST) & SEAM_RING_WAITS_)
			syscall(SYS_futex, &c->writer.state, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
	}
	return NULL;
}

static void trickle(void) {
	static union {
		_Alignas(128) uint8_t bytes[sizeof(seam_ring_control) + 32768];
	} memory;
	static uint8_t record[32760];
	seam_ring_writer w;
	seam_ring_reader r;
	pthread_t t;
	int err;
	if (seam_ring_local(&memory, 32768, 0, &w, &r) || seam_ring_send(&w, record, sizeof record, 0))
		die("send", 0);
	if (pthread_create(&t, NULL, trickler, &memory))
		die("pthread_create", 0);
	err = seam_ring_send(&w, record, sizeof record, 200);
	atomic_store(&gave_up, 1);
	pthread_join(t, NULL);
	if (err != SEAM_RING_EAGAIN)
		die("send, without room", err);
}

/* Sends records and has each of them back. */
static void drive(seam_ring_conn *c, uint32_t n) {
	uint8_t p[301];
	const void *back;
	size_t k;
	uint32_t i;
	int err;
	for (i = 0; i < n; i++) {
		if ((err = seam_ring_send(&c->writer, p, make(p, i), -1)) != SEAM_RING_OK)
			die("send", err);
		if ((err = seam_ring_next(&c->reader, &back, &k, -1)) != SEAM_RING_OK)
			die("next", err);
		check(back, k, i);
	}
	seam_ring_end_of_records(&c->writer);
	if ((err = seam_ring_next(&c->reader, &back, &k, -1)) != SEAM_RING_END)
		die("next, at the end", err);
}

/* Publishes records, each by itself, for a reader that says it sleeps and takes no wake-up, until
 * that is gone. It never has to wait for room. */
static void floods(seam_ring_writer *w) {
	static const uint8_t record[24];
	int err = SEAM_RING_OK;
	while (err == SEAM_RING_OK) {
		while (w->e.pos - __atomic_load_n(w->e.watched, __ATOMIC_ACQUIRE) > w->e.capacity / 2 &&
		       !(__atomic_load_n(&w->e.theirs->state, __ATOMIC_ACQUIRE) & SEAM_RING_CLOSED_))
			sched_yield();
		err = seam_ring_send(w, record, sizeof record, -1);
	}
	if (err != SEAM_RING_EGONE || w->e.mine->sleeps != 0)
		die("send", err);
}

/* Says that it is there and waits to be killed. */
static void hang(seam_ring_conn *c) {
	const void *p;
	size_t n;
	if (seam_ring_send(&c->writer, "here", 4, -1))
		die("send", 0);
	while (seam_ring_next(&c->reader, &p, &n, -1) == SEAM_RING_OK)
		;
	die("next has ended", 0);
}

/* Is killed while a child that it has forked lives on, without the socket but with the memory.
 * The child ends with the test. */
static void forks(seam_ring_conn *c) {
	char b;
	switch (fork()) {
	case -1:
		die("fork", 0);
	case 0:
		close(c->sock);
		if (read(0, &b, 1) != 0) /* until the test ends */
			die("read", 0);
		_exit(0);
	}
	if (seam_ring_send(&c->writer, "whole", 5, -1) || seam_ring_append(&c->writer, "kept", 4, -1))
		die("send", 0);
	raise(SIGKILL);
}

/* Batch b of many records: 0 to 40 of 0 to 300 bytes each. */
static size_t count_of(uint32_t b) { return b * 7 % 41; }

static void *many_consumer(void *arg) {
	seam_ring_reader *r = (seam_ring_reader *)arg;
	uint32_t b, i;
	for (b = 0; b < rounds; b++) {
		for (i = 0; i < count_of(b); i++) {
			const void *p;
			size_t n, k;
			int err;
			while ((err = seam_ring_next(r, &p, &n, b % 2 ? -1 : 0)) == SEAM_RING_EAGAIN)
				sched_yield();
			if (err != SEAM_RING_OK)
				die("next", err);
			if (n != b % 301)
				die("a record of many has another length", (int)n);
			for (k = 0; k < n; k++)
				if (((const uint8_t *)p)[k] != (uint8_t)(b + i + k))
					die("a record of many is wrong", (int)b);
		}
	}
	return NULL;
}

static void local_many(uint32_t n) {
	static const size_t capacities[] = {512, 1024, 1 << 14};
	static union {
		_Alignas(128) uint8_t bytes[sizeof(seam_ring_control) + (1 << 14)];
	} memory;
	static uint8_t batch[41 * 301];
	seam_ring_writer w;
	seam_ring_reader r;
	const void *p;
	size_t i, k, done;
	uint32_t b;
	unsigned c;
	for (c = 0; c < sizeof capacities / sizeof *capacities; c++) {
		pthread_t t;
		memset(memory.bytes, 0, sizeof memory);
		if (seam_ring_local(memory.bytes, capacities[c], 0, &w, &r))
			die("local", 0);
		begin_at(&w, &r, 0xfffffffffffff000);
		rounds = n;
		if (pthread_create(&t, NULL, many_consumer, &r))
			die("pthread_create", 0);
		for (b = 0; b < n; b++) {
			size_t size = b % 301, count = count_of(b);
			for (i = 0; i < count; i++)
				for (k = 0; k < size; k++)
					batch[i * size + k] = (uint8_t)(b + i + k);
			if (b % 4 < 2) {
				if (seam_ring_append_many(&w, batch, size, count, b % 2 ? &done : NULL, -1) || (b % 2 && done != count))
					die("append_many", (int)b);
			} else {
				for (i = 0; i < count; i += done) {
					int err = seam_ring_append_many(&w, batch + i * size, size, count - i, &done, 0);
					if (err != (i + done < count ? SEAM_RING_EAGAIN : SEAM_RING_OK))
						die("append_many without waiting", err);
					if (done == 0)
						sched_yield();
				}
			}
			if (b % 3 == 0 && seam_ring_flush(&w))
				die("flush", (int)b);
		}
		seam_ring_end_of_records(&w);
		pthread_join(t, NULL);
	}
	/* Nothing of the writer's stack is in the ring, and what there is no room for is told. */
	memset(memory.bytes, 0xee, sizeof memory);
	memset(memory.bytes, 0, sizeof(seam_ring_control));
	if (seam_ring_local(memory.bytes, 1024, 0, &w, &r))
		die("local", 0);
	memset(batch, 0xab, sizeof batch);
	if (seam_ring_append_many(&w, batch, 13, 60, &done, 0) != SEAM_RING_EAGAIN || done != 1024 / 24)
		die("append_many without room", (int)done);
	for (i = 0; i < done; i++) {
		const uint8_t *at = memory.bytes + sizeof(seam_ring_control) + i * 24;
		if (memcmp(at, "\15\0\0\0\0\0\0\0", 8) != 0 || memcmp(at + 8, batch, 13) != 0 || (memcmp(at + 21, "\0\0\0", 3) != 0 && memcmp(at + 21, "\xee\xee\xee", 3) != 0))
			die("a record of many lies wrong", (int)i);
		if (seam_ring_next(&r, &p, &k, 0) || k != 13)
			die("next", (int)k);
	}
	if (seam_ring_next(&r, &p, &k, 0) != SEAM_RING_EAGAIN)
		die("there are more records than were said", (int)k);
	if (seam_ring_append_many(&w, batch, 2000, 2, &done, 0) != SEAM_RING_EINVALID || done != 0)
		die("records larger than the ring", (int)done);
}

/* What can't be committed, and isn't. */
static void commits(void) {
	static union {
		_Alignas(128) uint8_t bytes[sizeof(seam_ring_control) + 1024];
	} memory;
	seam_ring_writer w;
	seam_ring_reader r;
	const void *p;
	void *room;
	size_t n, i;
	static const size_t lengths[] = {40, 16, 0, 3};
	if (seam_ring_local(memory.bytes, 1024, 0, &w, &r))
		die("local", 0);
	if (seam_ring_commit(&w, 0) != SEAM_RING_EINVALID)
		die("a commit of nothing reserved", 0);
	for (i = 0; i < 2; i++) { /* with the room to be looked for, and without */
		if (seam_ring_reserve(&w, 40, &room, 0) || seam_ring_commit(&w, 41) != SEAM_RING_EINVALID || seam_ring_commit(&w, SIZE_MAX) != SEAM_RING_EINVALID)
			die("a commit of more than was reserved", (int)i);
		if (seam_ring_commit(&w, lengths[i]) || seam_ring_commit(&w, 0) != SEAM_RING_EINVALID)
			die("a second commit", (int)i);
	}
	if (seam_ring_reserve(&w, 100, &room, 0) || seam_ring_append(&w, "", 0, 0) || seam_ring_commit(&w, 1) != SEAM_RING_EINVALID)
		die("a commit of what append took back", 0);
	if (seam_ring_reserve(&w, 100, &room, 0) || seam_ring_append_many(&w, "abcdef", 3, 2, NULL, 0) || seam_ring_commit(&w, 1) != SEAM_RING_EINVALID)
		die("a commit of what append_many took back", 0);
	if (seam_ring_reserve(&w, SIZE_MAX, &room, 0) != SEAM_RING_EINVALID || room != NULL || seam_ring_reserve(&w, SIZE_MAX - 7, &room, 0) != SEAM_RING_EINVALID)
		die("a reserve of everything", 0);
	for (i = 0; i < 5; i++) {
		static const size_t want[] = {40, 16, 0, 3, 3};
		if (i == 0 && seam_ring_flush(&w))
			die("flush", 0);
		if (seam_ring_next(&r, &p, &n, 0) || n != want[i])
			die("another record than was committed", (int)i);
	}
	if (seam_ring_next(&r, &p, &n, 0) != SEAM_RING_EAGAIN)
		die("more records than were committed", 0);
	/* A reader whose place was moved to where nothing is yet has nothing. */
	{
		static union {
			_Alignas(128) uint8_t bytes[sizeof(seam_ring_control) + 64];
		} small;
		seam_ring_writer dropper;
		seam_ring_reader late;
		static const uint8_t large[56] = "large";
		if (seam_ring_local(small.bytes, 64, 1, &dropper, &late) || seam_ring_send(&dropper, "a", 1, 0) || seam_ring_append(&dropper, large, sizeof large, 0))
			die("a record as large as the ring", 0);
		for (i = 0; i < 3; i++)
			if (seam_ring_next(&late, &p, &n, 0) != SEAM_RING_EAGAIN)
				die("a record that isn't published", (int)n);
		if (seam_ring_flush(&dropper) || seam_ring_next(&late, &p, &n, 0) || n != sizeof large || memcmp(p, large, n) != 0)
			die("a record after what was dropped", (int)n);
	}
	seam_ring_shut_(&r.e, SEAM_RING_EGONE);
	if (seam_ring_reserve(&w, 8, &room, 0) || seam_ring_flush(&w) != SEAM_RING_EGONE || seam_ring_commit(&w, 8) != SEAM_RING_EGONE || seam_ring_reserve(&w, 8, &room, 0) != SEAM_RING_EGONE || seam_ring_append_many(&w, "ab", 1, 2, NULL, 0) != SEAM_RING_EGONE)
		die("a writer whose reader has gone goes on", 0);
}

/* An end between processes learns how long to look before it sleeps, as one in Go does. */
static void learns(void) {
	static seam_ring_control control;
	seam_ring_end e;
	int64_t began = 0;
	int i;
	seam_ring_begin_(&e, &control, 64, 0, 0);
	e.judges = 1;
	if (!e.judges)
		die("an end between processes doesn't learn", 0);
	for (i = 0; i < 20; i++)
		seam_ring_learn_(&e, 16000);
	if (seam_ring_budget_(&e) < 30000 || seam_ring_budget_(&e) > 50000)
		die("answers take 16 us, and it looks for so many ns", (int)seam_ring_budget_(&e));
	for (i = 0; i < 20; i++)
		seam_ring_learn_(&e, 0);
	if (seam_ring_budget_(&e) < 1000 || seam_ring_budget_(&e) > 10000)
		die("answers are there at once, and it looks for so many ns", (int)seam_ring_budget_(&e));
	seam_ring_learn_(&e, INT64_MAX / 2);
	if (seam_ring_budget_(&e) < 10000)
		die("after one long wait it looks for so many ns", (int)seam_ring_budget_(&e));
	for (i = 0; i < 8; i++)
		seam_ring_learn_(&e, 1000000);
	if (seam_ring_budget_(&e) != 0)
		die("answers take a millisecond, and it looks for so many ns", (int)seam_ring_budget_(&e));
	e.vain = 63;
	if (seam_ring_budget_(&e) != 50000)
		die("the 64th time it looks for so many ns", (int)seam_ring_budget_(&e));
	if (seam_ring_spin_(&e, &began) || began == 0 || e.vain != 64)
		die("it didn't look in vain", (int)e.vain);
	e.expect = 8000;
	control.written = 8; /* and it sees that at once, and learns nothing */
	began = 0;
	if (!seam_ring_spin_(&e, &began) || began != 0 || e.vain != 0 || e.expect != 8000)
		die("it didn't see", (int)e.vain);
	seam_ring_spins(&e, 0); /* who says how often means it */
	e.seen = 8;
	if (e.judges || seam_ring_spin_(&e, &began) || began != 0)
		die("it looked, and was told not to", 0);
	seam_ring_begin_(&e, &control, 64, 0, 0);
	if (e.judges)
		die("an end between threads learns", 0);
}

/* A wait that sleeps is learnt from, too, whether something comes or the time is over. */
static void sleeps(seam_ring_conn *c) {
	seam_ring_end *e = &c->reader.e;
	const void *p;
	size_t n;
	int i, err;
	for (i = 0; i < 30; i++)
		if ((err = seam_ring_next(&c->reader, &p, &n, 1)) != SEAM_RING_EAGAIN)
			die("next", err);
	if (e->expect <= SEAM_RING_LONGEST_ || seam_ring_budget_(e) != (e->vain % 64 == 63 ? SEAM_RING_LONGEST_ : 0))
		die("it waits for milliseconds, and hasn't learnt it", (int)e->expect);
	if (seam_ring_send(&c->writer, "", 0, -1))
		die("send", 0);
	e->expect = 0;
	e->vain = 0;
	if ((err = seam_ring_next(&c->reader, &p, &n, -1)) != SEAM_RING_OK || e->expect == 0)
		die("it slept, and hasn't learnt it", err);
}

static void wait_ms(long ms) {
	struct timespec t = {ms / 1000, ms % 1000 * 1000000};
	nanosleep(&t, NULL);
}

/* Writes, now and then, to a peer that is killed meanwhile, and never has to wait: the ring is
 * larger than what is written. */
static void lonely(seam_ring_conn *c) {
	const void *p;
	size_t n;
	uint32_t i;
	int err = SEAM_RING_OK;
	if ((err = seam_ring_next(&c->reader, &p, &n, -1)) != SEAM_RING_OK)
		die("next", err);
	printf("ready\n");
	fflush(stdout);
	for (i = 0; i < 50000 && err == SEAM_RING_OK; i++) {
		wait_ms(1);
		err = seam_ring_send(&c->writer, "", 0, -1);
	}
	if (err != SEAM_RING_EGONE || c->writer.e.pos > c->writer.e.capacity / 2 || c->writer.e.mine->sleeps != 0)
		die("it didn't notice without waiting", err);
	if ((err = seam_ring_next(&c->reader, &p, &n, -1)) != SEAM_RING_EGONE)
		die("next, at the end", err);
}

/* Waits for a record that does not come, since the peer is killed. */
static void awaits(seam_ring_conn *c) {
	const void *p;
	size_t n;
	int err;
	if ((err = seam_ring_next(&c->reader, &p, &n, -1)) != SEAM_RING_OK)
		die("next", err);
	printf("ready\n");
	fflush(stdout);
	if ((err = seam_ring_next(&c->reader, &p, &n, -1)) != SEAM_RING_EGONE)
		die("next, at the end", err);
}

/* Publishes many records, and looks at the socket seldom. */
static void busy(seam_ring_conn *c, uint32_t n) {
	int64_t began = seam_ring_ms_(), seen = 0;
	long looks = 0;
	for (; n > 0; n--) {
		if (seam_ring_send(&c->writer, "", 0, -1))
			die("send", 0);
		looks += c->writer.e.looked != seen;
		seen = c->writer.e.looked;
	}
	if (looks > (seam_ring_ms_() - began) / SEAM_RING_LOOK_MS_ + 2)
		die("it looked too often", (int)looks);
}

/* Records of a writer that drops the oldest: a number, and up to 40 bytes that follow from it. */
static size_t numbered(uint8_t *p, uint32_t i) {
	size_t n = 4 + i % 41, k;
	memcpy(p, &i, 4);
	for (k = 4; k < n; k++)
		p[k] = (uint8_t)(i + k);
	return n;
}

static void produce_dropping(seam_ring_writer *w, uint32_t n) {
	uint32_t i;
	uint8_t p[64];
	int err;
	for (i = 0; i < n; i++) {
		size_t k = numbered(p, i);
		while ((err = seam_ring_send(w, p, k, -1)) == SEAM_RING_EAGAIN)
			sched_yield(); /* the reader looks at the oldest */
		if (err != SEAM_RING_OK)
			die("send", err);
	}
	seam_ring_end_of_records(w);
}

static void consume_dropped(seam_ring_reader *r, uint32_t n) {
	const void *p;
	size_t k;
	uint32_t i, next = 0, got = 0;
	uint8_t want[64];
	int err;
	while ((err = seam_ring_next(r, &p, &k, -1)) == SEAM_RING_OK) {
		if (k < 4)
			die("a short record", (int)k);
		memcpy(&i, p, 4);
		if (i < next || k != numbered(want, i) || memcmp(p, want, k) != 0)
			die("a wrong record", (int)i);
		next = i + 1;
		if (++got % 64 == 0)
			sched_yield();
		if (got % 1000 == 999)
			seam_ring_release(r);
	}
	if (err != SEAM_RING_END || next != n || __atomic_load_n(&r->e.theirs->dropped, __ATOMIC_RELAXED) != n - got)
		die("at the end", err);
}

static void *dropped_consumer(void *r) {
	consume_dropped((seam_ring_reader *)r, rounds);
	return NULL;
}

static void local_drop(uint32_t n) {
	static union {
		_Alignas(128) uint8_t bytes[sizeof(seam_ring_control) + 256];
	} memory;
	seam_ring_writer w;
	seam_ring_reader r;
	pthread_t t;
	const void *p;
	void *room;
	size_t k;
	int i;
	rounds = n;
	if (seam_ring_local(&memory, 256, 1, &w, &r))
		die("local", 0);
	if (seam_ring_next(&r, &p, &k, 0) != SEAM_RING_EAGAIN || seam_ring_ready(&r))
		die("an empty ring", 0);
	for (i = 0; i < 20; i++) { /* 32 bytes each */
		int rec[5] = {i};
		if (seam_ring_send(&w, rec, sizeof rec, 0))
			die("send, without a reader", 0);
	}
	if (seam_ring_next(&r, &p, &k, 0) || *(const int *)p != 12 || w.e.mine->dropped != 12)
		die("the oldest that is left", *(const int *)p);
	if (seam_ring_reserve(&w, 248, &room, 0) != SEAM_RING_EAGAIN)
		die("the record that the reader looks at was dropped", 0);
	if (*(const int *)p != 12)
		die("the record that the reader looks at was overwritten", 0);
	seam_ring_release(&r);
	for (i = 0; seam_ring_next(&r, &p, &k, 0) == SEAM_RING_OK; i++)
		;
	if (i > 7 || seam_ring_ready(&r))
		die("what was left", i);
	seam_ring_local(memset(&memory, 0, sizeof memory), 256, 1, &w, &r);
	begin_at(&w, &r, 0x7ffffffffffff000);
	if (pthread_create(&t, NULL, dropped_consumer, &r))
		die("pthread_create", 0);
	produce_dropping(&w, n);
	pthread_join(t, NULL);
}

/* What the other end of a ring may have written: it ends the use of this end, and nothing outside
 * of the ring is read or written. The table is that of TestHostileWriter. */
static void hostile_writer(seam_ring_control *c) {
	static const struct { uint64_t written, at, header; } lies[] = {
		{264, 0, 8},                                 /* more than the capacity */
		{32, 64, 8},                                 /* backwards */
		{12, 0, 8},                                  /* not a multiple of 8 */
		{UINT64_MAX, 0, 8},                          /* all ones */
		{16, 0, 9},                                  /* a record beyond what is published */
		{240 + 32, 240, 16},                         /* a record beyond the end */
		{256, 0, UINT32_MAX},                        /* an endless record */
		{256, 0, UINT64_MAX - 7},                    /* a length that overflows */
		{16, 0, (uint64_t)2 << 32 | 8},              /* a kind that there isn't */
		{256, 0, (uint64_t)SEAM_RING_PADDING_ << 32 | 248},     /* padding at the beginning */
		{32 + 16, 32, (uint64_t)SEAM_RING_PADDING_ << 32 | 8},  /* padding that doesn't fill the end */
		{240 + 8, 240, (uint64_t)SEAM_RING_PADDING_ << 32 | 8}, /* padding beyond what is published */
	};
	size_t i;
	int drops, k;
	for (i = 0; i < sizeof lies / sizeof *lies; i++)
		for (drops = 0; drops < 2; drops++) {
			seam_ring_writer w;
			seam_ring_reader r;
			const void *p;
			size_t n;
			memset(c, 0, sizeof *c + 256);
			if (seam_ring_local(c, 256, drops, &w, &r))
				die("local", 0);
			begin_at(&w, &r, lies[i].at);
			*seam_ring_header_(&r.e) = lies[i].header;
			c->written = lies[i].written;
			for (k = 0; k < 2; k++)
				if (seam_ring_next(&r, &p, &n, 0) != SEAM_RING_ECORRUPT)
					die("a lie of the writer was believed", (int)i);
			if (seam_ring_flush(&w) != SEAM_RING_EGONE)
				die("the liar isn't told", (int)i);
		}
}

static void hostile_reader(seam_ring_control *c) {
	static const uint64_t lies[] = {8, 72, (uint64_t)1 << 63, UINT64_MAX - 7, 20};
	static const uint8_t record[100];
	size_t i;
	int drops, k;
	for (i = 0; i < sizeof lies / sizeof *lies; i++)
		for (drops = 0; drops < 2; drops++) {
			seam_ring_writer w;
			seam_ring_reader r;
			memset(c, 0, sizeof *c + 128);
			if (seam_ring_local(c, 128, drops, &w, &r))
				die("local", 0);
			begin_at(&w, &r, 16);
			if (seam_ring_send(&w, record, 32, 0))
				die("send", 0);
			c->read = lies[i];
			for (k = 0; k < 2; k++)
				if (seam_ring_send(&w, record, 100, 0) != SEAM_RING_ECORRUPT)
					die("a lie of the reader was believed", (int)i);
		}
}

/* The same of ends that drop: a reader changes what the writer would drop, and a writer says
 * that it has dropped what it hasn't written. */
static void hostile_droppers(seam_ring_control *c) {
	static const uint64_t headers[] = {UINT32_MAX, 121, (uint64_t)SEAM_RING_PADDING_ << 32 | 200}, reads[] = {64, 4, (uint64_t)1 << 63, UINT64_MAX - 7};
	static const uint8_t record[100];
	seam_ring_writer w;
	seam_ring_reader r;
	const void *p;
	size_t i, n;
	for (i = 0; i < sizeof headers / sizeof *headers; i++) {
		memset(c, 0, sizeof *c + 128);
		if (seam_ring_local(c, 128, 1, &w, &r) || seam_ring_send(&w, record, 100, 0))
			die("send", 0);
		*seam_ring_header_(&r.e) = headers[i];
		if (seam_ring_send(&w, record, 100, 0) != SEAM_RING_ECORRUPT)
			die("a changed record was dropped", (int)i);
	}
	for (i = 0; i < sizeof reads / sizeof *reads; i++) {
		memset(c, 0, sizeof *c + 128);
		if (seam_ring_local(c, 128, 1, &w, &r) || seam_ring_send(&w, record, 24, 0))
			die("send", 0);
		c->read = reads[i];
		if (seam_ring_next(&r, &p, &n, 0) != SEAM_RING_ECORRUPT)
			die("what wasn't written was dropped", (int)i);
	}
}

static uint64_t some(uint64_t *state) {
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Rings in which anything may be, before memory that can't be touched. */
static void hostile_random(uint8_t *end, uint32_t n) {
	static const uint8_t record[1024];
	uint64_t g = 88172645463325252u;
	uint32_t round;
	unsigned long passed = 0, corrupt = 0;
	for (round = 0; round < n; round++) {
		uint64_t capacity = (uint64_t)128 << some(&g) % 4, at, k;
		seam_ring_control *c = (seam_ring_control *)(void *)(end - capacity - sizeof *c);
		uint8_t *data = end - capacity;
		int drops = some(&g) % 2 == 0, err;
		seam_ring_writer w;
		seam_ring_reader r;
		const void *p;
		void *room;
		size_t size, all = 0;
		memset(c, 0, sizeof *c);
		if (seam_ring_local(c, capacity, drops, &w, &r))
			die("local", 0);
		at = some(&g) & ~(uint64_t)7;
		begin_at(&w, &r, at);
		for (k = 0; k < capacity; k += 8) {
			uint64_t h = some(&g);
			h = h % 4 != 0 ? h >> 8 & 0x3f : h % 8 == 0 ? h : h & (capacity * 2 - 1);
			if (some(&g) % 8 == 0)
				h |= (uint64_t)SEAM_RING_PADDING_ << 32;
			memcpy(data + k, &h, 8);
		}
		c->written = some(&g) % 8 == 0 ? some(&g) : at + (some(&g) % (capacity + 16) & ~(uint64_t)(some(&g) % 4 == 0 ? 0 : 7));
		while ((err = seam_ring_next(&r, &p, &size, 0)) == SEAM_RING_OK) {
			const uint8_t *b = (const uint8_t *)p;
			if (b < data || b > end || size > (size_t)(end - b))
				die("a record outside of the ring", (int)round);
			if ((all += size + 8) > capacity)
				die("more than the ring holds", (int)round);
			for (; size > 0; size--)
				passed += *(const volatile uint8_t *)b++ != 0;
		}
		if (err != SEAM_RING_EAGAIN && err != SEAM_RING_ECORRUPT)
			die("next", err);
		corrupt += err == SEAM_RING_ECORRUPT;
		/* and the other end */
		memset(c, 0, sizeof *c);
		if (seam_ring_local(c, capacity, drops, &w, &r))
			die("local", 0);
		begin_at(&w, &r, at);
		for (k = 0; k < 20; k++) {
			size_t want = some(&g) % capacity;
			if (k % 4 == 3)
				c->read = some(&g) % 4 == 0 ? some(&g) : c->read + (some(&g) % capacity & ~(uint64_t)7);
			if (k % 8 == 7)
				memcpy(data + some(&g) % (capacity / 8) * 8, &g, 8);
			if (k % 5 == 4)
				err = seam_ring_append_many(&w, record, want % 40, 20, NULL, 0);
			else if ((err = seam_ring_reserve(&w, want, &room, 0)) == SEAM_RING_OK) {
				uint8_t *b = (uint8_t *)room;
				if (b < data || b > end || want > (size_t)(end - b))
					die("room outside of the ring", (int)round);
				memset(b, 0xaa, want);
				if (seam_ring_commit(&w, want) || (seam_ring_flush(&w) && w.e.failed != SEAM_RING_ECORRUPT))
					die("commit", (int)round);
			}
			if (err != SEAM_RING_OK && err != SEAM_RING_EAGAIN && err != SEAM_RING_EINVALID && err != SEAM_RING_ECORRUPT)
				die("reserve", err);
		}
	}
	if (passed == 0 || corrupt == 0 || corrupt == n)
		die("it proves nothing", (int)corrupt);
}

static void hostile(uint32_t n) {
	uint8_t *page = (uint8_t *)mmap(NULL, 3 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED || mprotect(page + 4096, 4096, PROT_READ | PROT_WRITE) != 0)
		die("mmap", 0);
	hostile_writer((seam_ring_control *)(void *)(page + 2 * 4096 - sizeof(seam_ring_control) - 256));
	hostile_reader((seam_ring_control *)(void *)(page + 2 * 4096 - sizeof(seam_ring_control) - 128));
	hostile_droppers((seam_ring_control *)(void *)(page + 2 * 4096 - sizeof(seam_ring_control) - 128));
	hostile_random(page + 2 * 4096, n);
}

/* Runs a program that may not make shared memory. Its call has this number, as it may have other
   numbers than ours; 0 for ours. */
static void without_memfd(uint32_t number, char **argv) {
	struct sock_filter f[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number != 0 ? number : SYS_memfd_create, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog p = {sizeof f / sizeof *f, f};
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p) != 0)
		die("seccomp", 77);
	execv(argv[0], argv);
	die("exec", 0);
}

static int descriptors(void) {
	int fd, n = 0;
	for (fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

int main(int argc, char **argv) {
	seam_ring_conn c;
	seam_ring_options o;
	const char *role = argc > 1 ? argv[1] : "";
	uint32_t n = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
	int err, i, serves = 0, before = descriptors();
	if (strcmp(role, "local") == 0) {
		local(n);
		return 0;
	}
	if (strcmp(role, "local-many") == 0) {
		local_many(n);
		return 0;
	}
	if (strcmp(role, "commits") == 0) {
		commits();
		return 0;
	}
	if (strcmp(role, "learns") == 0) {
		learns();
		return 0;
	}
	if (strcmp(role, "local-drop") == 0) {
		local_drop(n);
		return 0;
	}
	if (strcmp(role, "trickle") == 0) {
		trickle();
		return 0;
	}
	if (strcmp(role, "echo-socket") == 0) {
		echo_socket();
		return 0;
	}
	if (strcmp(role, "hostile") == 0) {
		hostile(n);
		return 0;
	}
	if (strcmp(role, "without-memfd") == 0)
		without_memfd((uint32_t)n, argv + 3);
	memset(&o, 0, sizeof o);
	for (i = 3; i < argc; i++) {
		if (strcmp(argv[i], "serve") == 0)
			serves = 1;
		else if (strcmp(argv[i], "few") == 0) {
			struct rlimit few = {5, 5};
			setrlimit(RLIMIT_NOFILE, &few);
		} else if (strcmp(argv[i], "drop") == 0)
			o.drop_oldest = 1;
		else if (strcmp(argv[i], "untrusted") == 0)
			o.untrusted = 1;
		else if (strncmp(argv[i], "capacity=", 9) == 0)
			o.capacity = strtoul(argv[i] + 9, NULL, 10);
		else if (strncmp(argv[i], "timeout=", 8) == 0)
			o.timeout = atoi(argv[i] + 8);
		else
			die("no such word", i);
	}
	err = serves ? seam_ring_serve(&c, 3, &o) : seam_ring_connect(&c, 3, &o);
	if (err != SEAM_RING_OK) {
		fprintf(stderr, "peer: %d: %s\n", err, c.error);
		if (descriptors() != before - 1 || c.map != NULL)
			die("something is left", before - descriptors());
		seam_ring_conn_close(&c); /* does nothing */
		return 2;
	}
	if (strcmp(role, "echo-asleep") == 0) {
		seam_ring_spins(&c.reader.e, 0);
		echo(&c);
	} else if (strcmp(role, "echo") == 0)
		echo(&c);
	else if (strcmp(role, "drive") == 0)
		drive(&c, n);
	else if (strcmp(role, "hang") == 0)
		hang(&c);
	else if (strcmp(role, "floods") == 0)
		floods(&c.writer);
	else if (strcmp(role, "sleeps") == 0)
		sleeps(&c);
	else if (strcmp(role, "forks") == 0)
		forks(&c);
	else if (strcmp(role, "lonely") == 0)
		lonely(&c);
	else if (strcmp(role, "awaits") == 0)
		awaits(&c);
	else if (strcmp(role, "busy") == 0)
		busy(&c, n);
	else if (strcmp(role, "produce-dropping") == 0)
		produce_dropping(&c.writer, n);
	else if (strcmp(role, "consume-dropped") == 0)
		consume_dropped(&c.reader, n);
	else if (strcmp(role, "drain") == 0)
		drain(&c, n);
	else if (strcmp(role, "produce") == 0)
		produce(&c.writer, n);
	else if (strcmp(role, "consume") == 0)
		consume(&c.reader, n);
	else if (strcmp(role, "dies-writing") == 0)
		dies_writing(&c.writer, (int)n);
	else if (strcmp(role, "dies-reading") == 0)
		dies_reading(&c.reader, (int)n);
	else
		die("no such role", 0);
	seam_ring_conn_close(&c);
	if (descriptors() != before - 1)
		die("descriptors are left", descriptors() - before);
	return 0;
}
