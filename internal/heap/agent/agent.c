// The library that seam heap has programs preload. SEAM_HEAP names the folder for the record.
#define _GNU_SOURCE
#include "heap.h"
#include "image.h"
#include "kernel.h"

#ifdef SEAM_UNWIND
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

extern char **environ;
extern int seam_heap_layout_known;
void *seam_heap_allocator(void);
uintptr_t seam_heap_allocator_low, seam_heap_allocator_high;

static char folder[400];
static int refused;

static char *append_text(char *to, const char *text) {
	while (*text)
		*to++ = *text++;
	return to;
}

static char *append_number(char *to, uint64_t n) {
	char digits[24], *d = digits + sizeof digits;
	*--d = 0;
	do
		*--d = (char)('0' + n % 10);
	while (n /= 10);
	return append_text(to, d);
}

static int64_t now(void) {
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

// FOLDER/PID-TIME, and where its ending is to stand.
static char *record_name(char *name, int64_t at) { return append_number(append_text(append_number(append_text(append_text(name, folder), "/"), (uint64_t)csys_kernel(SYS_getpid, 0, 0, 0, 0, 0, 0)), "-"), (uint64_t)at); }

// A process that can't record leaves word of it, 0 for AddressSanitizer: in a link, which takes no descriptor and no block of the disk.
static void leave_word(int64_t at, long err) {
	char name[512], text[600];
	*append_text(record_name(name, at), ".none") = 0;
	char *end = append_text(append_number(text, (uint64_t)-err), " ");
	long n = csys_kernel(SYS_readlinkat, AT_FDCWD, (long)"/proc/self/exe", (long)end, 500, 0, 0);
	end[n > 0 ? n : 0] = 0;
	csys_kernel(SYS_symlinkat, (long)text, AT_FDCWD, (long)name, 0, 0, 0);
}

// Maps a new file of the record's size; its address, or -errno.
static long map_record(int fd) {
	struct rlimit most = {RLIM_INFINITY, RLIM_INFINITY};
	csys_kernel(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, (long)&most, 0, 0);
	if (most.rlim_cur < seam_heap_size()) // the kernel's answer would be a signal
		return -EFBIG;
	long err = csys_kernel(SYS_ftruncate, fd, (long)seam_heap_size(), 0, 0, 0, 0);
	return err ? err : csys_kernel(SYS_mmap, 0, (long)seam_heap_size(), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}

static void unmap_record(seam_heap_head *r) { csys_kernel(SYS_munmap, (long)r, (long)seam_heap_size(), 0, 0, 0, 0); }

// Makes the files FOLDER/PID-TIME, and maps the record.
static seam_heap_head *new_record(int64_t at) {
	char name[512], *end = record_name(name, at);
	*append_text(end, ".exe") = 0;
	// go run and go test remove the program before the names of its functions can be read.
	csys_kernel(SYS_linkat, AT_FDCWD, (long)"/proc/self/exe", AT_FDCWD, (long)name, AT_SYMLINK_FOLLOW, 0);
	*append_text(end, ".heap") = 0;
	long fd = csys_kernel(SYS_openat, AT_FDCWD, (long)name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600, 0, 0);
	long p = fd < 0 ? fd : map_record((int)fd);
	if (fd >= 0)
		csys_kernel(SYS_close, fd, 0, 0, 0, 0, 0);
	if (p < 0 && p > -4096) {
		leave_word(at, p);
		return NULL;
	}
	seam_heap_head *r = (void *)p;
	enum { FIRST = 2 * 4096 }; // the head, and the first site
	if (!seam_heap_reserve(r, 0, FIRST)) {
		unmap_record(r);
		leave_word(at, -ENOSPC);
		return NULL;
	}
	return r;
}

static void start_record(const char *rate) {
	int64_t at = now();
	seam_heap_head *r = new_record(at);
	uint64_t n = 0;
	for (; rate && *rate >= '0' && *rate <= '9' && n < 1ULL << 40; rate++)
		n = n * 10 + (uint64_t)(*rate - '0');
	if (!r)
		return;
	seam_heap_layout(r, n ? n : 512 << 10);
	if (csys_kernel(SYS_readlinkat, AT_FDCWD, (long)"/proc/self/exe", (long)r->exe, sizeof r->exe - 1, 0, 0) < 0)
		r->exe[0] = 0;
	seam_refresh(); // one thread, before main: nobody waits for anybody
	seam_heap_begin(r);
	if (!seam_heap_record)
		leave_word(at, -ENOMEM);
}

// The environment is there from libc's first function on; the dynamic linker allocates before.
int seam_heap_early(void) {
	if (refused || !environ || seam_heap_self.inside)
		return refused && !seam_heap_self.inside;
	seam_heap_self.inside = 1;
	const char *dir = getenv("SEAM_HEAP"), *rate = getenv("SEAM_HEAP_RATE");
	refused = 1;
	if (dir && *dir == '/' && strlen(dir) < sizeof folder) {
		strcpy(folder, dir);
		if (dlsym(RTLD_DEFAULT, "__asan_init"))
			leave_word(now(), 0);
		else
			start_record(rate);
	}
	seam_heap_self.inside = 0;
	return seam_heap_record == NULL;
}

// The program's data, in which the runtime's first module says where Go's functions are.
typedef struct {
	uintptr_t pclntab, low, high;
} go_search;

static int search_module(struct dl_phdr_info *info, size_t size, void *arg) {
	// moduledata: pcHeader; six slices; findfunctab; minpc, maxpc; text, etext.
	enum { MINPC = 20, MAXPC = 21, TEXT = 22, ETEXT = 23, WORDS = 24 };
	go_search *s = arg;
	(void)size;
	uintptr_t pclntab = info->dlpi_addr + s->pclntab;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		if (p->p_type != PT_LOAD || !(p->p_flags & PF_R) || p->p_flags & PF_X || p->p_filesz < WORDS * 8)
			continue;
		const uintptr_t *w = (const void *)((info->dlpi_addr + p->p_vaddr + 7) & ~(uintptr_t)7), *end = (const void *)(info->dlpi_addr + p->p_vaddr + p->p_filesz);
		for (; w + WORDS <= end; w++)
			if (w[0] == pclntab && w[MINPC] < w[MAXPC] && w[TEXT] <= w[MINPC] && w[MAXPC] <= w[ETEXT]) {
				s->low = w[TEXT];
				s->high = w[ETEXT];
				return 1;
			}
	}
	return 1; // the first is the program
}

static void find_go(seam_heap_head *r, uintptr_t *low, uintptr_t *high) {
	seam_image f = seam_open("");
	if (!f.at)
		return;
	const Elf64_Shdr *lines = csys_section(f, ".gopclntab"), *info = csys_section(f, ".go.buildinfo");
	if (lines) {
		go_search s = {.pclntab = lines->sh_addr};
		dl_iterate_phdr(search_module, &s);
		*low = s.low;
		*high = s.high;
	}
	enum { VERSION = 32 }; // behind the magic, the pointers' size and the flags: its length and it
	if (info && csys_has(f, info->sh_offset, VERSION + 64) && memcmp(f.at + info->sh_offset, "\xff Go buildinf:", 14) == 0) {
		const char *at = f.at + info->sh_offset + VERSION;
		size_t n = (unsigned char)*at;
		if (n < sizeof r->go)
			memcpy(r->go, at + 1, n);
	}
	static const char *known[] = {"go1.25", "go1.26", "go1.27"};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strncmp(r->go, known[i], 6) == 0 && !(r->go[6] >= '0' && r->go[6] <= '9'))
			seam_heap_layout_known = 1;
	seam_free_pages((void *)f.at, f.size);
}

// What is counted in the child goes to a record of its own, which begins as the parent's.
static void in_child(void) {
	int64_t at = now();
	seam_heap_head *old = seam_heap_record, *r = old ? new_record(at) : NULL;
	size_t size = seam_heap_size();
	if (r && !(seam_heap_reserve(r, old->sites_at, seam_heap_reserved[0]) && seam_heap_reserve(r, old->pcs_at, seam_heap_reserved[1]) && seam_heap_reserve(r, old->modules_at, seam_heap_reserved[2]))) {
		unmap_record(r);
		leave_word(at, -ENOSPC);
		r = NULL;
	}
	if (r) {
		memcpy((char *)r + old->sites_at, (char *)old + old->sites_at, old->sites * sizeof(seam_heap_site));
		memcpy((char *)r + old->pcs_at, (char *)old + old->pcs_at, old->pcs * sizeof(uint64_t));
		memcpy((char *)r + old->modules_at, (char *)old + old->modules_at, old->modules * sizeof(seam_heap_module));
		memcpy(r, old, sizeof *r);
		r->pid = (uint64_t)csys_kernel(SYS_getpid, 0, 0, 0, 0, 0, 0);
		r->parent = (uint64_t)csys_kernel(SYS_getppid, 0, 0, 0, 0, 0, 0);
		enum { MAYMOVE_FIXED = 3 };
		csys_kernel(SYS_mremap, (long)r, (long)size, (long)size, MAYMOVE_FIXED, (long)old, 0);
	} else
		seam_heap_record = NULL;
	seam_heap_unlock_all();
	seam_heap_self.m = 0;
	seam_heap_self.id = 0;
}

static void before_fork(void) { seam_heap_lock_all(); }
static void after_fork(void) { seam_heap_unlock_all(); }

__attribute__((constructor)) static void begin(void) {
	seam_heap_early();
	seam_heap_head *r = seam_heap_record;
	if (!r)
		return;
	seam_heap_self.inside = 1;
	uintptr_t low = 0, high = 0;
	find_go(r, &low, &high);
	r->go_low = low;
	r->go_high = high;
	if (seam_start(low, high) != 0)
		append_text(r->note, "no thread could be made: stacks in libraries that are loaded later are cut off");
	void *allocator = seam_heap_allocator(), *libc = dlsym(RTLD_DEFAULT, "getenv"), *used = dlsym(RTLD_DEFAULT, "malloc");
	int epoch;
	const seam_snapshot *s = seam_enter(&epoch);
	const seam_object *o = seam_find(s, (uintptr_t)allocator), *c = seam_find(s, (uintptr_t)libc), *u = seam_find(s, (uintptr_t)used), *self = seam_find(s, (uintptr_t)begin);
	if (u && u != self) { // it doesn't ask us
		memcpy(r->allocator, *u->path ? u->path : r->exe, sizeof r->allocator - 1);
		append_text(r->note, "bypassed");
	} else if (o && o != c) {
		memcpy(r->allocator, o->path, sizeof r->allocator - 1);
		seam_heap_allocator_low = o->low;
		seam_heap_allocator_high = o->high;
	}
	seam_leave(epoch);
	pthread_atfork(before_fork, after_fork, in_child);
	seam_heap_self.inside = 0;
}
#endif
