/* seam/publish.h: one writer of records, any number of readers. C11 and C++17, header-only, Linux.
 *
 * A publisher never waits. Each reader reads at its own pace; one that is further behind than
 * the capacity loses the oldest records, and is told how many. Readers find the publisher by a
 * path, and the next one at that path when this one has died. Package ring has the same in Go
 * (ring.Publish, ring.Subscribe), and seam_ring in Python.
 *
 *     seam_ring_publisher p;
 *     if (seam_ring_publish(&p, "/run/prices", 1 << 20) != SEAM_RING_OK)
 *         die(p.error);
 *     seam_ring_publisher_send(&p, record, n);
 *     …
 *     seam_ring_publisher_close(&p);
 *
 *     seam_ring_subscriber s;
 *     seam_ring_publication rec;
 *     if (seam_ring_subscribe(&s, "/run/prices", NULL, -1) != SEAM_RING_OK)
 *         die(s.error);
 *     while ((err = seam_ring_subscriber_next(&s, &rec, -1)) == SEAM_RING_OK)
 *         use(rec.data, rec.size, rec.number, rec.lost);
 *     seam_ring_subscriber_close(&s);
 *
 * The rules:
 *
 *   - Each of them belongs to one thread at a time, and to the process that made it. A child that is
 *     only forked closes its copies, which tells nobody anything: as long as it has them, the end of
 *     its parent isn't seen, and the path isn't free.
 *   - There is no thread in here: subscribers are let in by seam_ring_publisher_send and
 *     seam_ring_publisher_flush, which look every 10 ms at most, and by
 *     seam_ring_publisher_tend, which who publishes seldom calls meanwhile.
 *   - A record that a subscriber has is a copy, which lasts until its next call.
 *   - SEAM_RING_END is what a subscriber gets after seam_ring_publisher_close. After anything
 *     else that ends a publisher it waits for the next one at the path.
 *   - Subscribers can't write to the records, nor make the publisher wait. They trust it no
 *     further than that what it says of its memory is checked.
 *
 * Timeouts are in milliseconds; -1 waits for ever and 0 not at all.
 */
#ifndef SEAM_PUBLISH_H
#define SEAM_PUBLISH_H

#include <seam/listen.h>

#include <stddef.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A record as a subscriber gets it. */
typedef struct {
	const void *data;
	size_t size;
	uint64_t number; /* the first of a publisher is 1 */
	uint64_t lost;   /* how many before it, since the one that came before, were overwritten before they
	                    were read. After a change of lives: of the old one to its end, and of the new one
	                    before this record. */
	uint64_t life;   /* the publisher's, a number that another one at the path doesn't have */
} seam_ring_publication;

/* How to subscribe. NULL or zeroes are usable. */
typedef struct {
	int history;           /* begin with the oldest record that the publisher has kept, not with its next */
	uint64_t life, number; /* of the last record that an earlier subscriber has had: go on after it */
	uint64_t max_capacity; /* of the publisher's ring; 0: 64 MiB */
	int (*cancelled)(void *data); /* asked several times a second: waits end with SEAM_RING_EAGAIN if it isn't 0 */
	void *data;
} seam_ring_subscribe_options;

/* ---- the memory, shared with package ring: see publish.go there. Not for direct use. */

typedef struct {
	uint64_t magic;
	uint32_t version, size;
	uint64_t capacity, life;
	uint8_t pad_[96];
	uint64_t written; /* up to where there are records */
	struct { uint64_t written, number; } last[2]; /* the two last of it, and the last record's number */
	uint8_t pad2_[88];
	uint64_t oldest; /* a record begins here; what lies before may be overwritten at any time */
	uint8_t pad3_[120];
	uint32_t state; /* SEAM_RING_CLOSED_ */
	uint8_t pad4_[124];
} seam_ring_published_;

/* A page for each subscriber, which both write to. */
typedef struct {
	uint32_t waits;
	uint8_t pad_[4092];
} seam_ring_seat_;

/* What a publisher sends is a greeting, with its memory and the seat: status is the size of the
 * head, layout the life, features where the next record will be, and pad_[0] its number. */
#define SEAM_RING_NEWS_ 0x53574e4d414553u
#define SEAM_RING_NEWS_VERSION_ 1u
#define SEAM_RING_NEWS_HEADER_ 16
#define SEAM_RING_FAST_ 4000 /* ns from record to record, at most */
#define SEAM_RING_NAP_ 20000 /* ns; the kernel makes about 70000 of it */

#ifdef __cplusplus
#define SEAM_RING_HOLDS_ static_assert
#else
#define SEAM_RING_HOLDS_ _Static_assert
#endif
SEAM_RING_HOLDS_(sizeof(seam_ring_published_) == 512 && offsetof(seam_ring_published_, life) == 24 && offsetof(seam_ring_published_, written) == 128 &&
	offsetof(seam_ring_published_, last) == 136 && offsetof(seam_ring_published_, oldest) == 256 && offsetof(seam_ring_published_, state) == 384 &&
	sizeof(seam_ring_seat_) == 4096 && sizeof(seam_ring_hello_) == 64, "they have the layout of Go's");
#undef SEAM_RING_HOLDS_

typedef struct {
	seam_ring_seat_ *seat;
	int sock;
} seam_ring_seated_;

static inline uint64_t seam_ring_news_size_(uint64_t n) { return SEAM_RING_NEWS_HEADER_ + ((n + 7) & ~(uint64_t)7); }

static inline size_t seam_ring_news_bytes_(uint64_t capacity) {
	return (size_t)((sizeof(seam_ring_published_) + capacity + 4095) & ~(uint64_t)4095);
}

static inline uint64_t *seam_ring_news_at_(uint8_t *data, uint64_t capacity, uint64_t pos) {
	return (uint64_t *)(void *)(data + (pos & (capacity - 1)));
}

/* ---- the publisher */

typedef struct {
	seam_ring_published_ *head; /* NULL when closed */
	uint8_t *data;
	uint64_t capacity, pos, oldest;
	uint64_t number; /* of the last record */
	uint64_t flushes;
	int memory;
	seam_ring_listener listener;
	seam_ring_seated_ *seats;
	struct pollfd *polls;
	int subscribers, room;
	int64_t looked;
	int owner;
	const volatile int *self;
	char error[320]; /* what was wrong */
} seam_ring_publisher;

static inline int seam_ring_publisher_own_(seam_ring_publisher *p) {
	if (p->head == NULL)
		return SEAM_RING_ECLOSED;
	return SEAM_RING_LIKELY_(*p->self == p->owner) || (int)getpid() == p->owner ? SEAM_RING_OK : SEAM_RING_EFORKED;
}

static inline int seam_ring_broke_publisher_(seam_ring_publisher *p, const char *why) {
	int no = errno;
	snprintf(p->error, sizeof p->error, "ring: %s: %s", why, strerror(no));
	errno = no;
	return SEAM_RING_ESYSTEM;
}

static inline void seam_ring_dismiss_(seam_ring_publisher *p, int i) {
	munmap(p->seats[i].seat, sizeof(seam_ring_seat_));
	close(p->seats[i].sock);
	p->seats[i] = p->seats[--p->subscribers];
}

/* seam_ring_publisher_leave_ frees everything. */
static inline void seam_ring_publisher_leave_(seam_ring_publisher *p, int ours) {
	while (p->subscribers > 0) {
		if (ours)
			(void)shutdown(p->seats[0].sock, SHUT_RDWR); /* children may have it too */
		seam_ring_dismiss_(p, 0);
	}
	seam_ring_listener_close(&p->listener);
	seam_ring_close_(&p->memory);
	free(p->seats);
	free(p->polls);
	if (p->head != NULL)
		munmap(p->head, seam_ring_news_bytes_(p->capacity));
	p->head = NULL;
	p->seats = NULL;
	p->polls = NULL;
}

/* seam_ring_publish makes a publisher, which subscribers find by path: that of a Unix socket,
 * which is made, for processes of the same user (chmod lets others in), and of a file PATH.lock
 * beside it. What a publisher that was killed left there is replaced. capacity is how many bytes
 * of records are kept for subscribers that are behind, with 16 bytes a record: a power of two; 0
 * means 1 MiB. A record may have half of it. If this fails p->error says why. */
static inline int seam_ring_publish(seam_ring_publisher *p, const char *path, uint64_t capacity) {
	size_t size;
	void *at = MAP_FAILED;
	int err = SEAM_RING_OK;
	memset(p, 0, sizeof *p);
	p->memory = p->listener.sock = p->listener.lock = -1;
	p->capacity = capacity != 0 ? capacity : 1u << 20;
	if (!seam_ring_capacity_ok_(p->capacity)) {
		snprintf(p->error, sizeof p->error, "ring: a capacity is a power of two from 64 to 2^30");
		return SEAM_RING_EINVALID;
	}
	size = seam_ring_news_bytes_(p->capacity);
	p->memory = seam_ring_memfd_(size);
	if (p->memory < 0 || seam_ring_allocate_(p->memory, size) != 0 ||
	    (at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, p->memory, 0)) == MAP_FAILED)
		err = seam_ring_broke_publisher_(p, errno == EFBIG ? "the records' memory is above the limit of file sizes (ulimit -f)" : "there is no memory for the records");
	else if (syscall(SYS_fcntl, p->memory, 1033 /* F_ADD_SEALS */, 1 | 2 | 4 | 16 /* F_SEAL_FUTURE_WRITE */) != 0)
		err = seam_ring_broke_publisher_(p, "memory that subscribers can't write to needs Linux 5.1");
	if (at != MAP_FAILED) {
		p->head = (seam_ring_published_ *)at;
		p->data = (uint8_t *)at + sizeof *p->head;
		p->head->magic = SEAM_RING_NEWS_;
		p->head->version = SEAM_RING_NEWS_VERSION_;
		p->head->size = sizeof *p->head;
		p->head->capacity = p->capacity;
		p->head->life = (((uint64_t)seam_ring_ns_() << 22) ^ (uint64_t)(unsigned)getpid()) | 1;
		(void)syscall(SYS_getrandom, &p->head->life, sizeof p->head->life, 1 /* GRND_NONBLOCK */);
		p->head->life |= 1;
	}
	if (err == SEAM_RING_OK && (err = seam_ring_listen(&p->listener, path)) != SEAM_RING_OK)
		snprintf(p->error, sizeof p->error, "%s", p->listener.error);
	p->owner = (int)getpid();
	p->self = seam_ring_self_();
	if (err != SEAM_RING_OK) {
		int no = errno;
		seam_ring_publisher_leave_(p, 1);
		errno = no;
	}
	return err;
}

/* seam_ring_welcome_ gives a subscriber the memory and a seat. Nothing is asked of it. */
static inline void seam_ring_welcome_(seam_ring_publisher *p, int sock) {
	seam_ring_hello_ h;
	seam_ring_options o;
	seam_ring_conn c; /* what sends greetings wants one */
	int fds[2];
	void *at = MAP_FAILED;
	if (p->subscribers == p->room) {
		int room = p->room * 2 + 8;
		void *seats = realloc(p->seats, (size_t)room * sizeof *p->seats), *polls;
		if (seats != NULL)
			p->seats = (seam_ring_seated_ *)seats;
		polls = realloc(p->polls, (size_t)(room + 1) * sizeof *p->polls);
		if (polls != NULL)
			p->polls = (struct pollfd *)polls;
		if (seats == NULL || polls == NULL) {
			close(sock); /* it tries again */
			return;
		}
		p->room = room;
	}
	memset(&h, 0, sizeof h);
	memset(&o, 0, sizeof o);
	memset(&c, 0, sizeof c);
	h.magic = SEAM_RING_NEWS_;
	h.version = SEAM_RING_NEWS_VERSION_;
	h.status = sizeof *p->head;
	h.capacity = p->capacity;
	h.layout = p->head->life;
	h.features = p->pos;
	h.pad_[0] = p->number + 1;
	c.sock = sock;
	fds[0] = p->memory;
	fds[1] = seam_ring_memfd_(sizeof(seam_ring_seat_));
	if (fds[1] >= 0 && syscall(SYS_fcntl, fds[1], 1033, 1 | 2 | 4) == 0 && seam_ring_allocate_(fds[1], sizeof(seam_ring_seat_)) == 0)
		at = mmap(NULL, sizeof(seam_ring_seat_), PROT_READ | PROT_WRITE, MAP_SHARED, fds[1], 0);
	/* The socket's buffer is empty, so the greeting never has to wait. */
	if (at != MAP_FAILED && seam_ring_greet_(&c, &h, fds, 2, &o, 0) == SEAM_RING_OK) {
		p->seats[p->subscribers].seat = (seam_ring_seat_ *)at;
		p->seats[p->subscribers++].sock = sock;
	} else {
		if (at != MAP_FAILED)
			munmap(at, sizeof(seam_ring_seat_));
		close(sock);
	}
	seam_ring_close_(&fds[1]);
}

/* seam_ring_news_move_ publishes, and wakes who sleeps: a full fence between, as in a ring. */
static inline void seam_ring_news_move_(seam_ring_publisher *p) {
	uint8_t one = 1;
	int i, slot = (int)(p->flushes & 1);
	if (p->head->written == p->pos)
		return;
	p->flushes++;
	/* Before written, so one of the two is its, wherever this process dies. */
	__atomic_store_n(&p->head->last[slot].written, p->pos, __ATOMIC_RELAXED);
	__atomic_store_n(&p->head->last[slot].number, p->number, __ATOMIC_RELAXED);
	(void)__atomic_exchange_n(&p->head->written, p->pos, __ATOMIC_SEQ_CST);
	for (i = 0; i < p->subscribers; i++) {
		seam_ring_seat_ *seat = p->seats[i].seat;
		if (__atomic_load_n(&seat->waits, __ATOMIC_SEQ_CST) != 0 && __atomic_exchange_n(&seat->waits, 0, __ATOMIC_SEQ_CST) != 0) {
			ssize_t n = send(p->seats[i].sock, &one, 1, MSG_DONTWAIT | MSG_NOSIGNAL);
			(void)n; /* if the buffer is full, bytes that weren't taken wake it as well */
		}
	}
}

/* seam_ring_publisher_tend lets subscribers in, and forgets those that have gone. It waits up to
 * timeout for one that comes or goes. */
static inline int seam_ring_publisher_tend(seam_ring_publisher *p, int timeout) {
	int i, n, sock, err = seam_ring_publisher_own_(p);
	struct pollfd alone, *polls = p->polls != NULL ? p->polls : &alone;
	if (err != SEAM_RING_OK)
		return err;
	seam_ring_news_move_(p); /* so that the next record's place and number are known */
	polls[0].fd = p->listener.sock;
	polls[0].events = POLLIN;
	for (i = 0; i < p->subscribers; i++) {
		polls[i + 1].fd = p->seats[i].sock;
		polls[i + 1].events = POLLIN;
	}
	n = poll(polls, (nfds_t)p->subscribers + 1, timeout);
	if (n < 0 && errno != EINTR)
		return seam_ring_broke_publisher_(p, "poll failed");
	if (n <= 0)
		return SEAM_RING_OK;
	n = polls[0].revents;
	for (i = p->subscribers - 1; i >= 0; i--)
		if (polls[i + 1].revents != 0) /* whatever it says, it has nothing to say */
			seam_ring_dismiss_(p, i);
	if (n != 0)
		while ((sock = accept4(p->listener.sock, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0)
			seam_ring_welcome_(p, sock);
	return SEAM_RING_OK;
}

/* seam_ring_publisher_append adds a record, which subscribers see after the next
 * seam_ring_publisher_flush or _send: publishing many together is cheaper. */
static inline int seam_ring_publisher_append(seam_ring_publisher *p, const void *record, size_t n) {
	uint64_t need, take, tail, *at;
	int err = seam_ring_publisher_own_(p);
	if (err != SEAM_RING_OK)
		return err;
	if (n > p->capacity / 2 - SEAM_RING_NEWS_HEADER_)
		return SEAM_RING_EINVALID;
	need = take = seam_ring_news_size_(n);
	tail = p->capacity - (p->pos & (p->capacity - 1));
	if (tail < need)
		take += tail;
	if (p->pos + take - p->oldest > p->capacity) {
		/* An eighth more than it must: subscribers look at head->oldest after each record, and
		 * fetch its line again each time that it moves. */
		uint64_t more = take + p->capacity / 8, to = p->pos + (more < p->capacity ? more : p->capacity);
		if (to - p->head->written > p->capacity)
			seam_ring_news_move_(p); /* nothing is given up before it was published */
		while (to - p->oldest > p->capacity && p->oldest != p->pos) {
			uint64_t w = *seam_ring_news_at_(p->data, p->capacity, p->oldest);
			p->oldest += w >> 32 == SEAM_RING_PADDING_ ? (w & 0xffffffffu) + 8 : seam_ring_news_size_(w);
		}
		__atomic_store_n(&p->head->oldest, p->oldest, __ATOMIC_RELAXED);
		__atomic_thread_fence(__ATOMIC_RELEASE); /* before what is overwritten now */
	}
	if (tail < need) {
		*seam_ring_news_at_(p->data, p->capacity, p->pos) = (uint64_t)SEAM_RING_PADDING_ << 32 | (tail - 8);
		p->pos += tail;
	}
	at = seam_ring_news_at_(p->data, p->capacity, p->pos);
	at[0] = n;
	at[1] = ++p->number;
	if (n > 0)
		memcpy(at + 2, record, n);
	p->pos += need;
	return SEAM_RING_OK;
}

/* seam_ring_publisher_flush publishes what was appended. */
static inline int seam_ring_publisher_flush(seam_ring_publisher *p) {
	struct timespec t;
	int64_t now;
	int err = seam_ring_publisher_own_(p);
	if (err != SEAM_RING_OK)
		return err;
	seam_ring_news_move_(p);
	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	now = (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
	if (now - p->looked < SEAM_RING_LOOK_MS_)
		return SEAM_RING_OK;
	p->looked = now;
	return seam_ring_publisher_tend(p, 0);
}

/* seam_ring_publisher_send publishes a record, and all that were appended before. */
static inline int seam_ring_publisher_send(seam_ring_publisher *p, const void *record, size_t n) {
	int err = seam_ring_publisher_append(p, record, n);
	return err == SEAM_RING_OK ? seam_ring_publisher_flush(p) : err;
}

/* seam_ring_publisher_abort ends a publisher as if this process had died: subscribers read what
 * was published, and wait for the next one at the path. In a forked child it frees the copy. */
static inline void seam_ring_publisher_abort(seam_ring_publisher *p) {
	if (p->head != NULL)
		seam_ring_publisher_leave_(p, seam_ring_publisher_own_(p) == SEAM_RING_OK);
}

/* seam_ring_publisher_close publishes what was appended, says that nothing follows, and frees
 * everything. While a C++ exception unwinds the stack it is seam_ring_publisher_abort. */
static inline void seam_ring_publisher_close(seam_ring_publisher *p) {
	if (seam_ring_publisher_own_(p) == SEAM_RING_OK && !seam_ring_unwinding_()) {
		(void)seam_ring_publisher_tend(p, 0); /* who has connected gets the end too */
		__atomic_fetch_or(&p->head->state, SEAM_RING_CLOSED_, __ATOMIC_SEQ_CST);
	}
	seam_ring_publisher_abort(p);
}

/* ---- the subscriber */

typedef struct {
	seam_ring_published_ *head; /* NULL while there is no publisher */
	uint8_t *data;
	uint64_t capacity;
	seam_ring_seat_ *seat;
	uint64_t pos, seen; /* of the next record, and up to where there are records */
	uint64_t next;      /* the number that the next record should have */
	uint64_t life;      /* of the publisher whose number that is; 0: there was none */
	uint64_t lost;      /* how many records were lost so far */
	uint64_t rest;      /* those of them that aren't told yet: the end of a life */
	int sock;           /* -1 without; a publisher that hasn't answered has no head yet */
	int gone;           /* it has hung up */
	int open;
	int owner;
	const volatile int *self;
	int64_t expect; /* what waits have taken lately, in ns */
	int64_t caught; /* when everything had been read the last time, */
	uint64_t caught_at; /* and the number that the next record should have had */
	unsigned naps; /* 0, or how often everything had been read since a nap was in vain */
	void *copy;
	size_t room;
	seam_ring_subscribe_options o;
	struct sockaddr_un at;
	char error[320]; /* what was wrong */
} seam_ring_subscriber;

static inline void seam_ring_subscriber_leave_(seam_ring_subscriber *s) {
	seam_ring_close_(&s->sock);
	if (s->head != NULL) {
		munmap(s->head, seam_ring_news_bytes_(s->capacity));
		munmap(s->seat, sizeof *s->seat);
	}
	s->head = NULL;
	s->seat = NULL;
	s->gone = 0;
}

static inline void seam_ring_subscriber_close(seam_ring_subscriber *s) {
	if (!s->open)
		return;
	s->open = 0;
	seam_ring_subscriber_leave_(s);
	free(s->copy);
	s->copy = NULL;
	s->room = 0;
}

static inline int seam_ring_mismatch_(seam_ring_subscriber *s, const char *why) {
	snprintf(s->error, sizeof s->error, "ring: %s", why);
	return SEAM_RING_EMISMATCH;
}

/* seam_ring_view_ maps what a publisher has sent. */
static inline int seam_ring_view_(seam_ring_subscriber *s, const seam_ring_hello_ *h, const int *fds, int count) {
	uint64_t limit = s->o.max_capacity != 0 ? s->o.max_capacity : 64u << 20, last;
	size_t sizes[2];
	void *at[2];
	int i;
	if (h->magic != SEAM_RING_NEWS_)
		return seam_ring_mismatch_(s, "who listens there is no publisher");
	if (h->version != SEAM_RING_NEWS_VERSION_ || h->status != sizeof *s->head)
		return seam_ring_mismatch_(s, "the publisher has another version of the layout");
	if (count != 2)
		return seam_ring_mismatch_(s, "the publisher sent a wrong number of descriptors");
	if (!seam_ring_capacity_ok_(h->capacity) || h->capacity > limit)
		return seam_ring_mismatch_(s, "the publisher's ring is above the limit, or its size no power of two");
	sizes[0] = seam_ring_news_bytes_(h->capacity);
	sizes[1] = sizeof *s->seat;
	for (i = 0; i < 2; i++) {
		long have = syscall(SYS_fcntl, fds[i], 1034 /* F_GET_SEALS */, 0);
		struct stat st;
		if (have < 0 || (have & 7) != 7 || fstat(fds[i], &st) != 0 || (uint64_t)st.st_size != sizes[i])
			return seam_ring_mismatch_(s, "the publisher's memory isn't sealed, or has a wrong size");
	}
	at[0] = mmap(NULL, sizes[0], PROT_READ, MAP_SHARED, fds[0], 0);
	at[1] = mmap(NULL, sizes[1], PROT_READ | PROT_WRITE, MAP_SHARED, fds[1], 0);
	if (at[0] == MAP_FAILED || at[1] == MAP_FAILED) {
		int no = errno;
		for (i = 0; i < 2; i++)
			if (at[i] != MAP_FAILED)
				munmap(at[i], sizes[i]);
		snprintf(s->error, sizeof s->error, "ring: the publisher's memory can't be mapped: %s", strerror(no));
		errno = no;
		return SEAM_RING_ESYSTEM;
	}
	s->head = (seam_ring_published_ *)at[0];
	s->data = (uint8_t *)at[0] + sizeof *s->head;
	s->seat = (seam_ring_seat_ *)at[1];
	s->capacity = h->capacity;
	last = s->life != 0 ? s->life : s->o.life;
	if (s->life == 0 && s->o.life != 0)
		s->next = s->o.number + 1;
	if (last == 0 && !s->o.history) {
		s->pos = h->features;
		s->next = h->pad_[0];
	} else {
		s->pos = __atomic_load_n(&s->head->oldest, __ATOMIC_ACQUIRE);
		if (last != h->layout)
			s->next = 1;
	}
	s->seen = s->pos;
	s->life = h->layout;
	return SEAM_RING_OK;
}

/* seam_ring_dial_ connects to the publisher that is there: SEAM_RING_EGONE if there is none. */
static inline int seam_ring_dial_(seam_ring_subscriber *s, int64_t until) {
	seam_ring_hello_ h;
	seam_ring_options o;
	seam_ring_conn c; /* what receives greetings wants one */
	int fds[8], count = 0, err;
	if (s->sock < 0) {
		if ((s->sock = seam_ring_dial_at_(&s->at, SOCK_NONBLOCK)) < 0) {
			int no = errno;
			snprintf(s->error, sizeof s->error, "ring: no publisher at %s: %s", s->at.sun_path, strerror(no));
			errno = no;
			return seam_ring_absent_(no) ? SEAM_RING_EGONE : SEAM_RING_ESYSTEM;
		}
	}
	memset(&h, 0, sizeof h);
	memset(&o, 0, sizeof o);
	memset(&c, 0, sizeof c);
	c.sock = s->sock;
	o.cancelled = s->o.cancelled;
	o.data = s->o.data;
	err = seam_ring_receive_(&c, &h, fds, &count, &o, until);
	if (err == SEAM_RING_OK)
		err = seam_ring_view_(s, &h, fds, count);
	else if (err == SEAM_RING_EAGAIN)
		snprintf(s->error, sizeof s->error, "ring: who listens at %s has sent nothing: a publisher in C or Python lets readers in when it publishes or tends, and who accepts connections is none", s->at.sun_path);
	else
		snprintf(s->error, sizeof s->error, "%s", c.error);
	while (count > 0)
		close(fds[--count]);
	if (err != SEAM_RING_OK && err != SEAM_RING_EAGAIN) /* who is only late is waited for the next time */
		seam_ring_close_(&s->sock);
	return err;
}

/* seam_ring_left_ is how long a wait may take, at most most ms, until a time that is 0 for never.
 * -1: it is over, or cancelled. */
static inline int seam_ring_left_(seam_ring_subscriber *s, int64_t until, int most) {
	int64_t left = until != 0 ? until - seam_ring_ms_() : most;
	if (left <= 0 || (s->o.cancelled != NULL && s->o.cancelled(s->o.data)))
		return -1;
	return left < most ? (int)left : most;
}

/* seam_ring_find_ waits for a publisher. */
static inline int seam_ring_find_(seam_ring_subscriber *s, int64_t until) {
	int wait = 1, left, err;
	while ((err = seam_ring_dial_(s, until)) == SEAM_RING_EGONE) {
		if ((left = seam_ring_left_(s, until, wait)) < 0)
			return SEAM_RING_EAGAIN;
		(void)poll(NULL, 0, left);
		wait = wait < 64 ? 2 * wait : 100;
	}
	return err;
}

/* seam_ring_subscribe finds the publisher at a path, and waits for one. If it fails s->error says
 * why; with SEAM_RING_EAGAIN there was none within the timeout. */
static inline int seam_ring_subscribe(seam_ring_subscriber *s, const char *path, const seam_ring_subscribe_options *options, int timeout) {
	int err;
	memset(s, 0, sizeof *s);
	s->sock = -1;
	if (options != NULL)
		s->o = *options;
	if (seam_ring_path_(&s->at, path, s->error, sizeof s->error) != SEAM_RING_OK)
		return SEAM_RING_EINVALID;
	s->open = 1;
	s->owner = (int)getpid();
	s->self = seam_ring_self_();
	if ((err = seam_ring_find_(s, seam_ring_until_(timeout))) != SEAM_RING_OK)
		seam_ring_subscriber_close(s);
	return err;
}

/* What lies at a position. */
enum { SEAM_RING_RECORD_, SEAM_RING_GAP_, SEAM_RING_OVERTOOK_ };

/* seam_ring_news_read_ copies the record at s->pos, and then looks whether it was overwritten
 * meanwhile: the publisher moves head->oldest beyond a record before it overwrites it. What is
 * copied may change meanwhile, and is thrown away then. */
static inline int seam_ring_news_read_(seam_ring_subscriber *s, seam_ring_publication *p, int *what) {
	uint64_t tail = s->capacity - (s->pos & (s->capacity - 1)), *at = seam_ring_news_at_(s->data, s->capacity, s->pos);
	uint64_t word = __atomic_load_n(at, __ATOMIC_RELAXED), n = word & 0xffffffffu, kind = word >> 32, number = 0, size = seam_ring_news_size_(n), there = s->seen - s->pos;
	int valid;
	if (kind == SEAM_RING_PADDING_) {
		size = tail;
		valid = n + 8 == tail && tail <= there;
	} else {
		valid = kind == 0 && size <= tail && size <= s->capacity / 2 && size <= there;
		if (valid) {
			number = __atomic_load_n(at + 1, __ATOMIC_RELAXED);
			if (n > s->room) {
				void *more = realloc(s->copy, (size_t)n * 2);
				if (more == NULL) {
					snprintf(s->error, sizeof s->error, "ring: no memory for a record");
					return SEAM_RING_ESYSTEM;
				}
				s->copy = more;
				s->room = (size_t)n * 2;
			}
			if (n > 0)
				memcpy(s->copy, at + 2, (size_t)n);
		}
	}
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if ((int64_t)(__atomic_load_n(&s->head->oldest, __ATOMIC_RELAXED) - s->pos) > 0) {
		*what = SEAM_RING_OVERTOOK_;
		return SEAM_RING_OK;
	}
	if (!valid || there > s->capacity) {
		snprintf(s->error, sizeof s->error, "ring: the publisher broke the protocol");
		return SEAM_RING_ECORRUPT;
	}
	s->pos += size;
	*what = SEAM_RING_GAP_;
	if (kind == SEAM_RING_PADDING_ || number < s->next)
		return SEAM_RING_OK;
	*what = SEAM_RING_RECORD_;
	p->data = s->copy;
	p->size = (size_t)n;
	p->number = number;
	p->lost = number - s->next + s->rest;
	p->life = s->life;
	s->lost += number - s->next;
	s->rest = 0;
	s->next = number + 1;
	return SEAM_RING_OK;
}

static inline int seam_ring_moved_(seam_ring_subscriber *s) {
	s->seen = __atomic_load_n(&s->head->written, __ATOMIC_SEQ_CST);
	return s->seen != s->pos;
}

/* seam_ring_last_ counts what was lost at the end of a life, where no record comes whose number
 * would tell. */
static inline int seam_ring_last_(seam_ring_subscriber *s) {
	int i;
	for (i = 0; i < 2; i++) {
		uint64_t n = __atomic_load_n(&s->head->last[i].number, __ATOMIC_RELAXED) + 1;
		if (__atomic_load_n(&s->head->last[i].written, __ATOMIC_RELAXED) != s->pos)
			continue;
		if (n > s->next) {
			s->lost += n - s->next;
			s->rest += n - s->next;
			s->next = n;
		}
		return SEAM_RING_OK;
	}
	snprintf(s->error, sizeof s->error, "ring: the publisher broke the protocol: its last record has no number");
	return SEAM_RING_ECORRUPT;
}

/* seam_ring_news_await_ returns SEAM_RING_OK when there is something at s->pos, or may be. */
static inline int seam_ring_news_await_(seam_ring_subscriber *s, int timeout, int64_t until) {
	int ended, gone = s->gone, left, i;
	int64_t begin = 0;
	int fast = 0;
	if (seam_ring_moved_(s))
		return SEAM_RING_OK;
	if (timeout != 0 && !gone) {
		int64_t budget = s->expect > SEAM_RING_LONGEST_ ? 300 : 2 * s->expect + 6000;
		begin = seam_ring_ns_();
		fast = (uint64_t)(begin - s->caught) / SEAM_RING_FAST_ < s->next - s->caught_at;
		s->caught = begin;
		s->caught_at = s->next;
		do {
			for (i = 0; i < 64; i++) {
				seam_ring_pause_();
				if (seam_ring_moved_(s)) {
					s->expect += (seam_ring_ns_() - begin - s->expect) / 8;
					return SEAM_RING_OK;
				}
			}
		} while (seam_ring_ns_() - begin < (budget < SEAM_RING_LONGEST_ ? budget : SEAM_RING_LONGEST_));
	}
	/* In a fast stream a reader that has caught up leaves its processor for a moment, and asks nobody
	 * to wake it: to wake it for the next few records would cost the publisher more than they do, and
	 * lines that the publisher has only just written are slow to come. */
	if (fast && (s->naps == 0 || s->naps++ % 4 == 0)) {
		struct timespec nap = {0, SEAM_RING_NAP_};
		(void)nanosleep(&nap, NULL);
		s->naps = seam_ring_moved_(s) ? 0 : 1;
		if (s->naps == 0)
			return SEAM_RING_OK;
	}
	ended = (__atomic_load_n(&s->head->state, __ATOMIC_SEQ_CST) & SEAM_RING_CLOSED_) != 0;
	if (seam_ring_moved_(s))
		return SEAM_RING_OK;
	if (ended || gone) {
		if ((i = seam_ring_last_(s)) != SEAM_RING_OK || ended)
			return i != SEAM_RING_OK ? i : SEAM_RING_END;
		seam_ring_subscriber_leave_(s);
		return SEAM_RING_OK;
	}
	if ((left = timeout == 0 ? 0 : seam_ring_left_(s, until, s->o.cancelled != NULL ? SEAM_RING_ASK_MS_ : 3600 * 1000)) < 0)
		return SEAM_RING_EAGAIN;
	__atomic_exchange_n(&s->seat->waits, 1, __ATOMIC_SEQ_CST);
	if (!seam_ring_moved_(s) && !(__atomic_load_n(&s->head->state, __ATOMIC_SEQ_CST) & SEAM_RING_CLOSED_)) {
		struct pollfd p;
		char bytes[64];
		p.fd = s->sock;
		p.events = POLLIN;
		p.revents = 0;
		if (poll(&p, 1, left) > 0) {
			ssize_t n = recv(s->sock, bytes, sizeof bytes, MSG_DONTWAIT);
			if (n == 0 || (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR))
				s->gone = 1;
			else if (begin != 0)
				s->expect += ((seam_ring_ns_() - begin < 2 * SEAM_RING_LONGEST_ ? seam_ring_ns_() - begin : 2 * SEAM_RING_LONGEST_) - s->expect) / 8;
		} else if (timeout == 0) {
			__atomic_exchange_n(&s->seat->waits, 0, __ATOMIC_SEQ_CST);
			return seam_ring_moved_(s) ? SEAM_RING_OK : SEAM_RING_EAGAIN;
		}
		return SEAM_RING_OK;
	}
	__atomic_exchange_n(&s->seat->waits, 0, __ATOMIC_SEQ_CST);
	return SEAM_RING_OK;
}

/* seam_ring_subscriber_lost returns how many records were lost so far: all that records have told,
 * and what was lost at the end of a life. */
static inline uint64_t seam_ring_subscriber_lost(const seam_ring_subscriber *s) { return s->lost; }

/* seam_ring_subscriber_next gives the next record, which is the caller's until the next call;
 * SEAM_RING_END when the publisher has closed and everything was read, and SEAM_RING_EAGAIN after
 * the timeout. When the publisher has died it waits for the next one at the path. */
static inline int seam_ring_subscriber_next(seam_ring_subscriber *s, seam_ring_publication *p, int timeout) {
	int64_t until = seam_ring_until_(timeout);
	int err, what, overtaken = 0;
	if (!s->open)
		return SEAM_RING_ECLOSED;
	if (SEAM_RING_LIKELY_(*s->self == s->owner) ? 0 : (int)getpid() != s->owner)
		return SEAM_RING_EFORKED;
	for (;;) {
		if (s->head == NULL) {
			if ((err = seam_ring_find_(s, until)) != SEAM_RING_OK)
				return err;
		} else if (s->pos % 8 != 0) { /* where no word can be loaded */
			snprintf(s->error, sizeof s->error, "ring: the publisher broke the protocol");
			seam_ring_subscriber_leave_(s);
			return SEAM_RING_ECORRUPT;
		} else if (s->pos == s->seen) {
			if ((err = seam_ring_news_await_(s, timeout, until)) != SEAM_RING_OK)
				return err;
		} else if ((err = seam_ring_news_read_(s, p, &what)) != SEAM_RING_OK) {
			seam_ring_subscriber_leave_(s);
			return err;
		} else if (what == SEAM_RING_RECORD_) {
			return SEAM_RING_OK;
		} else if (what == SEAM_RING_OVERTOOK_) {
			/* Once more from the oldest; and if that is overwritten too before it has been read,
			 * from what comes next. */
			s->pos = __atomic_load_n(&s->head->oldest, __ATOMIC_SEQ_CST);
			(void)seam_ring_moved_(s);
			if (overtaken++ > 0)
				s->pos = s->seen;
		}
	}
}

#ifdef __cplusplus
}

namespace seam {

/* A publisher that ends by itself. Only close() says that nothing follows. */
class ring_publisher {
public:
	seam_ring_publisher p;

	ring_publisher() { memset(&p, 0, sizeof p); }
	~ring_publisher() { abort(); }
	ring_publisher(const ring_publisher &) = delete;
	ring_publisher &operator=(const ring_publisher &) = delete;

	int publish(const char *path, uint64_t capacity = 0) { abort(); return seam_ring_publish(&p, path, capacity); }
	int append(const void *record, size_t n) { return seam_ring_publisher_append(&p, record, n); }
	int flush() { return seam_ring_publisher_flush(&p); }
	int send(const void *record, size_t n) { return seam_ring_publisher_send(&p, record, n); }
	int tend(int timeout = 0) { return seam_ring_publisher_tend(&p, timeout); }
	void close() { seam_ring_publisher_close(&p); }
	void abort() { seam_ring_publisher_abort(&p); }
};

class ring_subscriber {
public:
	seam_ring_subscriber s;

	ring_subscriber() { memset(&s, 0, sizeof s); s.sock = -1; }
	~ring_subscriber() { close(); }
	ring_subscriber(const ring_subscriber &) = delete;
	ring_subscriber &operator=(const ring_subscriber &) = delete;

	int subscribe(const char *path, const seam_ring_subscribe_options *o = nullptr, int timeout = -1) { close(); return seam_ring_subscribe(&s, path, o, timeout); }
	int next(seam_ring_publication &rec, int timeout = -1) { return seam_ring_subscriber_next(&s, &rec, timeout); }
	uint64_t lost() const { return seam_ring_subscriber_lost(&s); }
	void close() { seam_ring_subscriber_close(&s); }
};

} // namespace seam
#endif
#endif
