#include "ctest.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

int seam_mtest_empty(void *p) { (void)p; return 0; }

int seam_mtest_sum(seam_mtest_view *a) {
	const int64_t *numbers = a->numbers.data;
	a->sum = 0;
	for (size_t i = 0; i < a->in.len; i++)
		a->sum += (uint8_t)a->in.data[i];
	for (size_t i = 0; i < a->numbers.len; i++)
		a->sum += numbers[i];
	return 0;
}

/* Writes size bytes, the i-th of which is i, in pieces. */
int seam_mtest_write(seam_mtest_fill *a) {
	seam_bytes *b = &a->out;
	for (int64_t i = 0; i < a->size;) {
		uint8_t piece[100];
		size_t n = 0;
		for (; n < sizeof piece && i < a->size; n++, i++)
			piece[n] = (uint8_t)i;
		if (n % 2) {
			uint8_t *room = seam_room(b, n);
			if (room)
				memcpy(room, piece, n);
		} else
			seam_put(b, piece, n);
	}
	switch (a->lie) {
	case LEN_TOO_LONG: b->len = b->cap + 10; break;
	case LEN_NEGATIVE: b->len = (size_t)-5; break;
	case NEED_TOO_SMALL: b->need = b->cap; break;
	case NEED_HUGE: b->need = (size_t)-1; break;
	case NEED_HALF: b->need = SIZE_MAX / 2; break;
	case OTHER_DATA: b->data++; break;
	case OTHER_CAP: b->cap++; break;
	case OVERRUN: b->data[b->cap + 6] = 1; break;
	}
	return 0;
}

/* The bytes are the handle's, again and again, with a mark of the call. */
int seam_mtest_buffer_fill(seam_mtest_buffer *a) {
	uint8_t *data;
	size_t cap;
	int err = seam_buffer_data(a->pool, a->buffer, &data, &cap);
	if (err)
		return err;
	uint64_t mark = a->buffer ^ (uint64_t)a->n;
	a->result = 0;
	for (size_t i = 0; i + 8 <= cap && i < 64; i += 8) {
		memcpy(data + i, &mark, 8);
		a->result += 8;
	}
	return 0;
}

int seam_mtest_buffer_data(seam_mtest_buffer *a) {
	uint8_t *data;
	size_t cap = 0;
	int err = seam_buffer_data(a->pool, a->buffer, &data, &cap);
	a->result = (int64_t)cap;
	return err;
}

int seam_mtest_buffer_hold(seam_mtest_buffer *a) { return seam_buffer_hold(a->pool, a->buffer); }
int seam_mtest_buffer_release(seam_mtest_buffer *a) { return seam_buffer_release(a->pool, a->buffer); }

/* What must not be done: an address that is used later. */
static uint8_t *kept;

int seam_mtest_buffer_keep(seam_mtest_buffer *a) { return seam_buffer_data(a->pool, a->buffer, &kept, NULL); }

int seam_mtest_kept_write(seam_mtest_buffer *a) {
	kept[a->n] = 0x77;
	return 0;
}

/* n rows: a table and the names that it leads to. */
int seam_mtest_rows(seam_mtest_arena *a) {
	seam_mtest_row *rows = seam_arena_alloc(a->arena, (size_t)a->n * sizeof *rows, _Alignof(seam_mtest_row), &a->table);
	for (int64_t i = 0; i < a->n; i++) {
		char name[32];
		size_t len = 0;
		for (int64_t k = 0; k <= i % 20; k++)
			name[len++] = (char)('a' + (i + k) % 26);
		seam_part part;
		if (i % 2) {
			part = seam_arena_put(a->arena, name, len);
		} else { /* as if its length were not known yet */
			void *room = seam_arena_alloc(a->arena, sizeof name, 1, &part);
			if (room != NULL) {
				memcpy(room, name, len);
				seam_arena_shrink(a->arena, &part, len);
			}
		}
		if (rows)
			rows[i] = (seam_mtest_row){part, i * i};
	}
	switch (a->lie) {
	case USED_TOO_MUCH: a->arena->used = a->arena->cap + 1; break;
	case NEED_TOO_SMALL: a->arena->need = 1; break;
	case NEED_HUGE: a->arena->need = UINT64_MAX; break;
	case OTHER_DATA: a->arena->data++; break;
	case OTHER_CAP: a->arena->cap++; break;
	case OVERRUN: a->arena->data[a->arena->cap + 6] = 1; break;
	case LEN_TOO_LONG: a->table.len += 1 << 20; break;
	case LEN_NEGATIVE: a->table.at = UINT64_MAX - 3; break;
	}
	return 0;
}

/* The same a name at a time, going on where it stopped: done counts them. table is the
 * first name, the others follow. */
int seam_mtest_rows_on(seam_mtest_arena *a) {
	while (a->done < a->n) {
		int64_t value = a->done;
		seam_part part;
		void *p = seam_arena_alloc(a->arena, sizeof value, sizeof value, &part);
		if (p == NULL)
			return 0;
		memcpy(p, &value, sizeof value);
		if (a->done++ == 0)
			a->table = part;
	}
	return 0;
}

int seam_mtest_alloc_twice(seam_mtest_arena *a) {
	seam_arena_alloc(a->arena, (size_t)a->lie, 8, NULL);
	seam_arena_alloc(a->arena, 1600, 8, NULL);
	return 0;
}

int seam_mtest_poll(seam_mtest_token *a) {
	int64_t seen = 0;
	for (int64_t i = 0; i < a->n; i++)
		seen += seam_cancelled(a->token);
	a->cancelled = seen;
	a->deadline = seam_deadline_ns(a->token);
	return 0;
}

static int64_t now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* At most n nanoseconds. */
int seam_mtest_poll_until(seam_mtest_token *a) {
	int64_t end = now() + a->n;
	a->polls = 0;
	while (!(a->cancelled = seam_cancelled(a->token)) && now() < end)
		a->polls++;
	return 0;
}

int seam_mtest_now(seam_mtest_token *a) {
	a->deadline = now();
	return 0;
}

/* A thread of C's own that holds a buffer for a while and then writes to it. */
struct holder {
	pthread_t thread;
	const seam_pool *pool;
	seam_buffer buffer;
	int64_t ns, result;
};

static void *hold(void *p) {
	struct holder *h = p;
	struct timespec pause = {h->ns / 1000000000, h->ns % 1000000000};
	uint8_t *data;
	size_t cap;
	nanosleep(&pause, NULL);
	h->result = seam_buffer_data(h->pool, h->buffer, &data, &cap);
	if (h->result == 0) {
		memset(data, 0xab, cap);
		h->result = seam_buffer_release(h->pool, h->buffer);
	}
	return NULL;
}

void *seam_mtest_thread_start(const seam_pool *pool, seam_buffer b, int64_t ns) {
	struct holder *h = calloc(1, sizeof *h);
	h->pool = pool;
	h->buffer = b;
	h->ns = ns;
	if (seam_buffer_hold(pool, b) != 0 || pthread_create(&h->thread, NULL, hold, h) != 0) {
		free(h);
		return NULL;
	}
	return h;
}

int64_t seam_mtest_thread_end(void *p) {
	struct holder *h = p;
	pthread_join(h->thread, NULL);
	int64_t result = h->result;
	free(h);
	return result;
}

int64_t seam_mtest_sum_bytes(const char *data, size_t n) {
	seam_mtest_view a = {{data, n}, {NULL, 0}, 0};
	seam_mtest_sum(&a);
	return a.sum;
}
