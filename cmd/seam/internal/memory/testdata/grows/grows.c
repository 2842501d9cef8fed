#include "grows.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void *touched(size_t n) { return memset(malloc(n), 1, n); }

// Strings that the caller is to free, and doesn't.
static char *answer(long n) {
	char text[64];
	snprintf(text, sizeof text, "the answer to question %12ld is not known", n);
	return strdup(text);
}

void answers(long want) {
	static long n;
	for (; n * 64 < want; n++)
		answer(n);
}

// A table of objects, as JNI has one: each request takes twenty handles, and forgets to give one back.
void requests(long want) {
	enum { OBJECT = 500 };
	static void **table;
	static long n, room;
	while (n * OBJECT < want) {
		void *taken[20];
		for (int i = 0; i < 20; i++)
			taken[i] = touched(OBJECT);
		if (n == room)
			table = realloc(table, (room = room ? 2 * room : 64) * sizeof *table);
		table[n++] = taken[0];
		for (int i = 1; i < 20; i++)
			free(taken[i]);
	}
}

// A worker with an arena of its own keeps the beginning of each block that it has had, and the next one's
// blocks are larger, so they don't fit in between.
static void *worker(void *arg) {
	enum { BLOCKS = 100 };
	size_t n = *(size_t *)arg;
	void *blocks[BLOCKS];
	for (int i = 0; i < BLOCKS; i++)
		blocks[i] = touched(n);
	for (int i = 0; i < BLOCKS; i++)
		blocks[i] = realloc(blocks[i], 32);
	__asm__ volatile("" : : "r"(blocks) : "memory"); // or the compiler may leave it all out
	return NULL;
}

void workers(long want) {
	static long had;
	static size_t n = 4000;
	while (had < want) {
		pthread_t t;
		if (pthread_create(&t, NULL, worker, &n) != 0)
			abort();
		pthread_join(t, NULL);
		had += 100 * n;
		n += 32;
	}
}

// Threads that nobody ends.
static void *waits(void *arg) {
	char room[96 << 10];
	memset(room, 1, sizeof room);
	__asm__ volatile("" : : "r"(room) : "memory");
	for (;;)
		pause();
	return arg;
}

void forgotten_threads(long want) {
	static long n;
	for (pthread_t t; n * (100 << 10) < want; n++)
		if (pthread_create(&t, NULL, waits, NULL) != 0)
			abort();
}

void mappings(long want) {
	static long had;
	for (; had < want; had += 64 << 10)
		memset(mmap(NULL, 64 << 10, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 1, 64 << 10);
}

// A store that maps its file, as LMDB does.
void store(char *name, long want) {
	enum { ROOM = 1 << 28 };
	static char *map;
	static long had;
	if (!map) {
		int fd = open(name, O_RDWR | O_CREAT, 0600);
		if (fd < 0 || ftruncate(fd, ROOM) != 0)
			abort();
		map = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	}
	for (; had < want && had < ROOM; had += 4096)
		map[had] = 1;
}
