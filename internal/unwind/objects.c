//go:build cgo && linux && (amd64 || arm64)

// The tables of what is loaded.
//
// A snapshot is made by one thread at a time, outside of handlers, under the loader's own
// lock (dl_iterate_phdr), so no object goes away meanwhile. Handlers see it through one
// pointer. What a new one replaces is freed when no handler can still read it: handlers count
// themselves in and out of the epoch they began in, and the epoch that was is waited for.
//
// Handlers can't ask the loader whether anything has changed. When one meets an address that
// belongs to nothing, and after every 128 walks, it wakes a thread that asks.
#define _GNU_SOURCE
#include "image.h"
#include "thread.h"

#ifdef SEAM_UNWIND
#include <limits.h>
#include <link.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

// Of linux/futex.h, which musl-gcc doesn't find.
enum { FUTEX_WAIT = 0, FUTEX_WAKE = 1, FUTEX_PRIVATE_FLAG = 128 };

uintptr_t seam_go_low, seam_go_high;

static seam_snapshot nothing;
static seam_snapshot *_Atomic current = &nothing;
static _Atomic unsigned epoch_now;
static _Atomic long inside[2];
static pthread_mutex_t refreshing = PTHREAD_MUTEX_INITIALIZER;
static _Atomic uint32_t stale; // what the refreshing thread sleeps on
static _Atomic uint32_t begun, ended; // its refreshes; who waits for one sleeps on the second

void *seam_pages(size_t size) {
	long p = csys_kernel(SYS_mmap, 0, (long)(size ? size : 1), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return p < 0 ? NULL : (void *)p;
}

void seam_free_pages(void *p, size_t size) {
	if (p)
		csys_kernel(SYS_munmap, (long)p, (long)(size ? size : 1), 0, 0, 0, 0);
}

SEAM_PLAIN void seam_stale(void) {
	if (atomic_exchange_explicit(&stale, 1, memory_order_relaxed) == 0)
		csys_kernel(SYS_futex, (long)&stale, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1, 0, 0, 0);
}

SEAM_PLAIN seam_snapshot *seam_enter(int *epoch) {
	for (;;) {
		unsigned e = atomic_load(&epoch_now);
		atomic_fetch_add(&inside[e & 1], 1);
		// Had the epoch passed between the two, nobody might wait for us.
		if (atomic_load(&epoch_now) == e) {
			*epoch = (int)(e & 1);
			return atomic_load(&current);
		}
		atomic_fetch_sub(&inside[e & 1], 1);
	}
}

SEAM_PLAIN void seam_leave(int epoch) { atomic_fetch_sub(&inside[epoch], 1); }

SEAM_PLAIN const seam_object *seam_find(const seam_snapshot *s, uintptr_t pc) {
	size_t low = 0, high = s->count; // the first object that ends after pc
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (s->objects[middle]->high <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low < s->count && s->objects[low]->low <= pc ? s->objects[low] : NULL;
}

enum { BLOCK = 12 }; // of the index: 1 << BLOCK bytes of text

SEAM_PLAIN seam_row seam_find_row(const seam_object *o, uintptr_t pc) {
	static const seam_row none = {0, SEAM_NO_TABLE, SEAM_LOST, SEAM_LOST};
	uint32_t at = (uint32_t)(pc - o->low);
	if (o->count == 0)
		return none;
	// The first row after pc; that before it holds.
	uint32_t low = o->index[at >> BLOCK], high = o->index[(at >> BLOCK) + 1];
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (o->rows[middle].pc <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? o->rows[low - 1] : none;
}

static void free_object(const seam_object *o) {
	seam_free_pages((void *)o->rows, o->row_room);
	seam_free_pages((void *)o->index, o->index_room);
	seam_free_pages((void *)o, sizeof *o);
}

// FNV-1a, to tell objects apart.
static uint64_t mix(uint64_t h, const void *p, size_t n) {
	for (const uint8_t *b = p; n--; b++)
		h = (h ^ *b) * 0x100000001b3;
	return h;
}

typedef struct {
	uintptr_t low, high; // text
	uintptr_t header;    // .eh_frame_hdr, or 0
	int has_go;
	uint64_t digest;
} outline;

// How many bytes from at on lie in a segment that is loaded and can be read: nothing is read
// that the program headers don't cover.
static size_t loaded(const struct dl_phdr_info *info, uintptr_t at) {
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t low = info->dlpi_addr + p->p_vaddr;
		if (p->p_type == PT_LOAD && (p->p_flags & PF_R) && at >= low && at - low < p->p_filesz)
			return low + p->p_filesz - at;
	}
	return 0;
}

// Finds a note, and returns what it says; NULL where there is none.
static const uint8_t *note(const char *at, size_t size, uint32_t type, const char *name, size_t *n_desc) {
	ElfW(Nhdr) n;
	for (size_t next; size >= sizeof n; at += next, size -= next) {
		memcpy(&n, at, sizeof n);
		size_t named = ((size_t)n.n_namesz + 3) & ~(size_t)3;
		next = sizeof n + named + (((size_t)n.n_descsz + 3) & ~(size_t)3);
		if (next > size)
			break;
		if (n.n_type == type && n.n_namesz == 4 && memcmp(at + sizeof n, name, 4) == 0) {
			*n_desc = n.n_descsz;
			return (const uint8_t *)at + sizeof n + named;
		}
	}
	return NULL;
}

enum { NOTE_GO = 4, NOTE_GNU = 3 }; // build IDs

// The build ID that is the file's name for good: the linker's, or else Go's.
static void read_build_id(seam_object *o, const struct dl_phdr_info *info) {
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t at = info->dlpi_addr + p->p_vaddr;
		if (p->p_type != PT_NOTE || loaded(info, at) < p->p_memsz)
			continue;
		size_t n;
		const uint8_t *id = note((const char *)at, p->p_memsz, NOTE_GNU, "GNU", &n);
		if (id && n > 0 && n < sizeof o->build_id / 2) {
			for (size_t k = 0; k < n; k++) {
				o->build_id[2 * k] = "0123456789abcdef"[id[k] >> 4];
				o->build_id[2 * k + 1] = "0123456789abcdef"[id[k] & 15];
			}
			o->build_id[2 * n] = 0;
			return;
		}
		id = note((const char *)at, p->p_memsz, NOTE_GO, "Go\0", &n);
		if (id && !*o->build_id && n < sizeof o->build_id)
			memcpy(o->build_id, id, n);
	}
}

static outline outline_of(const struct dl_phdr_info *info) {
	outline o = {.low = UINTPTR_MAX, .digest = 0xcbf29ce484222325};
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t at = info->dlpi_addr + p->p_vaddr;
		size_t room = loaded(info, at), most = p->p_memsz < 1024 ? p->p_memsz : 1024;
		if (p->p_type == PT_LOAD && (p->p_flags & PF_X)) {
			o.low = at < o.low ? at : o.low;
			o.high = at + p->p_memsz > o.high ? at + p->p_memsz : o.high;
		}
		if (p->p_type == PT_GNU_EH_FRAME && room >= 8)
			o.header = at;
		if ((p->p_type == PT_GNU_EH_FRAME || p->p_type == PT_NOTE) && room >= most) // a build ID is a note
			o.digest = mix(o.digest, (const void *)at, most);
		size_t n;
		if (p->p_type == PT_NOTE && room >= p->p_memsz && note((const char *)at, p->p_memsz, NOTE_GO, "Go\0", &n))
			o.has_go = 1;
	}
	o.digest = mix(o.digest, info->dlpi_phdr, info->dlpi_phnum * sizeof *info->dlpi_phdr);
	o.digest = mix(o.digest, info->dlpi_name, strlen(info->dlpi_name));
	return o;
}

// The header says where .eh_frame begins. Static programs have none: the file's sections say
// it. It ends with a zero, or with its segment.
static seam_bytes frames_of(const struct dl_phdr_info *info, uintptr_t header, const char *path) {
	uintptr_t at = 0;
	if (header) {
		const uint8_t *h = (const uint8_t *)header;
		int32_t distance;
		memcpy(&distance, h + 4, 4);
		if (h[0] == 1 && h[1] == 0x1b) // pcrel, sdata4: what all linkers write
			at = header + 4 + (uintptr_t)(intptr_t)distance;
	} else {
		seam_image f = seam_open(path);
		const Elf64_Shdr *s = f.at ? csys_section(f, ".eh_frame") : NULL;
		if (s && (s->sh_flags & SHF_ALLOC))
			at = info->dlpi_addr + s->sh_addr;
		seam_free_pages((void *)f.at, f.size);
	}
	return (seam_bytes){(const uint8_t *)at, at ? loaded(info, at) : 0, at};
}

static int make_index(seam_object *o) {
	size_t blocks = ((o->high - o->low) >> BLOCK) + 2;
	o->index_room = blocks * sizeof(uint32_t);
	uint32_t *index = seam_pages(o->index_room), row = 0;
	if (!index)
		return 0;
	for (size_t b = 0; b < blocks; b++) {
		while (row < o->count && o->rows[row].pc < (uint64_t)b << BLOCK)
			row++;
		index[b] = row;
	}
	o->index = index;
	return 1;
}

static seam_object *new_object(const struct dl_phdr_info *info, const outline *l, const char *path) {
	seam_object *o = seam_pages(sizeof *o);
	if (!o)
		return NULL;
	o->low = l->low;
	o->high = l->high;
	o->base = info->dlpi_addr;
	o->digest = l->digest;
	o->has_go = l->has_go && (seam_go_low < l->low || seam_go_low >= l->high);
	read_build_id(o, info);
	size_t n = strlen(path);
	if (n < sizeof o->path)
		memcpy(o->path, path, n);
	else
		o->path[0] = '?'; // a file that is not found
	seam_row *rows;
	long count = seam_table(frames_of(info, l->header, path), l->low, l->high, l->header, &rows, &o->row_room);
	o->rows = rows;
	o->count = count > 0 ? (uint32_t)count : 0;
	if (count < 0 || (count > 0 && !make_index(o))) {
		free_object(o);
		return NULL;
	}
	return o;
}

typedef struct {
	const seam_snapshot *old;
	seam_snapshot *new;
	size_t room; // how many objects new has space for
	size_t met;
	uint64_t adds, subs;
	int same, short_of_memory;
} survey;

static int look(struct dl_phdr_info *info, size_t size, void *arg) {
	survey *s = arg;
	(void)size;
	s->met++;
	if (s->met == 1) {
		s->adds = info->dlpi_adds;
		s->subs = info->dlpi_subs;
		if (s->old->count && s->old->adds == s->adds && s->old->subs == s->subs) {
			s->same = 1;
			return 1;
		}
	}
	if (!s->new || s->new->count == s->room)
		return 0; // only counting, or one that has come since
	outline l = outline_of(info);
	if (l.low >= l.high)
		return 0;
	const seam_object *o = NULL;
	for (size_t i = 0; i < s->old->count && !o; i++) {
		const seam_object *had = s->old->objects[i];
		if (had->low == l.low && had->high == l.high && had->base == info->dlpi_addr && had->digest == l.digest)
			o = had;
	}
	// The first is the program. glibc gives it no name, musl the one that it was started by.
	if (!o && !(o = new_object(info, &l, s->met == 1 ? "" : info->dlpi_name))) {
		s->short_of_memory = 1;
		return 1;
	}
	size_t i = s->new->count++;
	for (; i > 0 && s->new->objects[i - 1]->low > o->low; i--)
		s->new->objects[i] = s->new->objects[i - 1];
	s->new->objects[i] = o;
	return 0;
}

// musl's dl_iterate_phdr leaves the vDSO out, in which clock_gettime runs.
static void look_at_vdso(survey *s) {
	const char *at = (const char *)getauxval(AT_SYSINFO_EHDR);
	if (!at)
		return;
	const ElfW(Ehdr) *e = (const void *)at;
	struct dl_phdr_info info = {.dlpi_name = "linux-vdso.so.1", .dlpi_phdr = (const void *)(at + e->e_phoff), .dlpi_phnum = e->e_phnum, .dlpi_addr = (uintptr_t)at};
	for (int i = info.dlpi_phnum; i-- > 0;)
		if (info.dlpi_phdr[i].p_type == PT_LOAD)
			info.dlpi_addr = (uintptr_t)at + info.dlpi_phdr[i].p_offset - info.dlpi_phdr[i].p_vaddr;
	outline l = outline_of(&info);
	if (!seam_find(s->new, l.low))
		look(&info, sizeof info, s);
}

static size_t snapshot_size(size_t objects) { return sizeof(seam_snapshot) + objects * sizeof(seam_object *); }

static int has(const seam_snapshot *s, const seam_object *o) {
	for (size_t i = 0; i < s->count; i++)
		if (s->objects[i] == o)
			return 1;
	return 0;
}

// Frees a snapshot and what only it has.
static void drop(const seam_snapshot *s, const seam_snapshot *keep) {
	if (s == &nothing)
		return;
	for (size_t i = 0; i < s->count; i++)
		if (!has(keep, s->objects[i]))
			free_object(s->objects[i]);
	seam_free_pages((void *)s, snapshot_size(s->room));
}

// Waits until no handler is left that may have seen what was current before. There are
// always two epochs, so that handlers which begin meanwhile don't prolong it.
static void wait_for_handlers(void) {
	unsigned old = atomic_fetch_add(&epoch_now, 1) & 1;
	while (atomic_load(&inside[old]) != 0) {
		struct timespec ms = {0, 1000000};
		nanosleep(&ms, NULL);
	}
}

static int refresh(void) {
	survey s = {.old = atomic_load(&current)};
	dl_iterate_phdr(look, &s);
	if (s.same)
		return 0;
	s.room = s.met + 8;
	s.new = seam_pages(snapshot_size(s.room));
	if (!s.new)
		return ENOMEM;
	s.new->room = s.room;
	s.met = 0;
	dl_iterate_phdr(look, &s);
	if (!s.same && !s.short_of_memory)
		look_at_vdso(&s);
	if (s.same || s.short_of_memory) { // with same: it has changed back
		drop(s.new, s.old);
		return s.same ? 0 : ENOMEM;
	}
	s.new->adds = s.adds;
	s.new->subs = s.subs;
	atomic_store(&current, s.new);
	wait_for_handlers();
	drop(s.old, s.new);
	return 0;
}

int seam_refresh(void) {
	pthread_mutex_lock(&refreshing);
	int err = refresh();
	pthread_mutex_unlock(&refreshing);
	return err;
}

static int is_loaded(uintptr_t pc) {
	int epoch;
	int is = seam_find(seam_enter(&epoch), pc) != NULL;
	seam_leave(epoch);
	return is;
}

void seam_await_refresh(void) {
	const int64_t patience = 500000000;
	int64_t start = csys_now();
	uint32_t want = atomic_load(&begun) + 1; // one that has begun already may have missed it
	seam_stale();
	for (;;) {
		uint32_t seen = atomic_load(&ended);
		int64_t left = start + patience - csys_now();
		if ((int32_t)(seen - want) >= 0 || left <= 0)
			break;
		struct timespec timeout = {0, (long)left};
		csys_kernel(SYS_futex, (long)&ended, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, seen, (long)&timeout, 0, 0);
	}
}

void seam_await_object(uintptr_t pc) {
	static _Atomic int64_t next; // when waiting is allowed again
	int64_t start = csys_now();
	if (is_loaded(pc) || start < atomic_load(&next))
		return;
	seam_await_refresh();
	// Addresses that belong to nothing ever cost a tenth of the time at most.
	if (!is_loaded(pc)) {
		int64_t end = csys_now();
		atomic_store(&next, end + 9 * (end - start));
	}
}

static void *keep_fresh(void *unused) {
	enum { SET_NAME = 15 }; // PR_SET_NAME
	csys_kernel(SYS_prctl, SET_NAME, (long)"seam-tables", 0, 0, 0, 0);
	for (;;) {
		while (atomic_exchange(&stale, 0) == 0)
			csys_kernel(SYS_futex, (long)&stale, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 0, 0, 0, 0);
		uint32_t this = atomic_fetch_add(&begun, 1) + 1;
		seam_refresh(); // an error is met again at the next walk that needs it
		atomic_store(&ended, this);
		csys_kernel(SYS_futex, (long)&ended, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, INT_MAX, 0, 0, 0);
		// Addresses that belong to nothing ever (code made at run time) must not keep us
		// busy.
		struct timespec pause = {0, 20000000};
		nanosleep(&pause, NULL);
	}
	return unused;
}

// A child made by fork has only the thread that forked: while it does, nobody refreshes.
static void before_fork(void) { pthread_mutex_lock(&refreshing); }
static void after_fork(void) { pthread_mutex_unlock(&refreshing); }

int seam_forked;

static void in_child(void) {
	seam_forked = 1;
	after_fork();
}

int seam_start(uintptr_t low, uintptr_t high) {
	seam_go_low = low;
	seam_go_high = high;
	int err = seam_refresh();
	if (err == 0)
		err = pthread_atfork(before_fork, after_fork, in_child);
	if (err != 0)
		return err;
	pthread_t thread;
	return csys_start(keep_fresh, NULL, 128 << 10, 0, &thread);
}
#endif
