//go:build cgo && linux && (amd64 || arm64)

// Names of functions, from the symbol table of the file. They are asked for when a profile is
// written, and while a program crashes, when malloc's lock may be held and Go is of no use: so
// memory and files come from the kernel, and a table that somebody is just making is waited
// for a while and then done without.
#define _GNU_SOURCE
#include "kernel.h"
#include "traceback.h"

#ifdef SEAM_UNWIND
#include <elf.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

typedef struct {
	uint64_t at, size;
	uint32_t name; // where in the strings
} symbol;

// The functions of a file, in the order of their addresses. It stays for good.
typedef struct names names;
struct names {
	names *next;
	uintptr_t base;
	uint64_t digest;
	const char *strings;
	size_t strings_size;
	symbol *list;
	size_t count;
};

static names *known;
static _Atomic int busy;

typedef struct {
	const char *at;
	size_t size;
} image;

static int inside(image f, uint64_t offset, uint64_t n) { return offset <= f.size && n <= f.size - offset; }

static void sift(symbol *s, size_t i, size_t n) {
	for (size_t child; (child = 2 * i + 1) < n; i = child) {
		if (child + 1 < n && s[child + 1].at > s[child].at)
			child++;
		if (s[i].at >= s[child].at)
			return;
		symbol t = s[i];
		s[i] = s[child];
		s[child] = t;
	}
}

static void sort(symbol *s, size_t n) {
	for (size_t i = n / 2; i-- > 0;)
		sift(s, i, n);
	for (size_t i = n; i-- > 1;) {
		symbol t = s[0];
		s[0] = s[i];
		s[i] = t;
		sift(s, 0, i);
	}
}

// Collects the functions of one symbol table. Go's own are left out: Go knows them.
static void collect(names *n, image f, const Elf64_Shdr *table, const Elf64_Shdr *strings, uintptr_t base) {
	n->strings = f.at + strings->sh_offset;
	n->strings_size = strings->sh_size;
	size_t all = table->sh_size / sizeof(Elf64_Sym);
	n->list = seam_pages(all * sizeof *n->list);
	for (size_t i = 0; n->list && i < all; i++) {
		Elf64_Sym s;
		memcpy(&s, f.at + table->sh_offset + i * sizeof s, sizeof s);
		int type = ELF64_ST_TYPE(s.st_info);
		uintptr_t at = base + s.st_value;
		if ((type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE) && s.st_shndx != SHN_UNDEF && s.st_name && s.st_name < strings->sh_size &&
		    n->strings[s.st_name] && n->strings[s.st_name] != '$' && !(at >= seam_go_low && at < seam_go_high) && (type != STT_NOTYPE || s.st_size))
			n->list[n->count++] = (symbol){at, s.st_size, s.st_name};
	}
	sort(n->list, n->count);
}

static int read_names(names *n, image f, uintptr_t base) {
	Elf64_Ehdr h;
	if (!inside(f, 0, sizeof h))
		return 0;
	memcpy(&h, f.at, sizeof h);
	if (memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 || h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_shentsize != sizeof(Elf64_Shdr) ||
	    (h.e_shoff & 7) || !inside(f, h.e_shoff, (uint64_t)h.e_shnum * sizeof(Elf64_Shdr)))
		return 0;
	const Elf64_Shdr *sections = (const Elf64_Shdr *)(f.at + h.e_shoff), *best = NULL;
	for (int i = 0; i < h.e_shnum; i++) {
		const Elf64_Shdr *s = &sections[i];
		if ((s->sh_type != SHT_SYMTAB && !(s->sh_type == SHT_DYNSYM && !best)) || s->sh_link >= h.e_shnum || !inside(f, s->sh_offset, s->sh_size))
			continue;
		const Elf64_Shdr *strings = &sections[s->sh_link];
		if (inside(f, strings->sh_offset, strings->sh_size) && strings->sh_size && f.at[strings->sh_offset + strings->sh_size - 1] == 0)
			best = s;
	}
	if (best)
		collect(n, f, best, &sections[best->sh_link], base);
	return best != NULL;
}

static image open_image(const char *path) {
	image f = {0};
	struct stat st;
	int fd = (int)seam_kernel(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0);
	if (fd < 0)
		return f;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
		void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (p != MAP_FAILED)
			f = (image){p, (size_t)st.st_size};
	}
	seam_kernel(SYS_close, fd, 0, 0, 0, 0, 0);
	return f;
}

static names *names_of(const seam_object *o) {
	for (names *n = known; n; n = n->next)
		if (n->base == o->base && n->digest == o->digest)
			return n;
	names *n = seam_pages(sizeof *n);
	if (!n)
		return NULL;
	n->base = o->base;
	n->digest = o->digest;
	image f = open_image(o->path[0] ? o->path : "/proc/self/exe");
	if (f.at && !read_names(n, f, o->base))
		munmap((void *)f.at, f.size);
	n->next = known;
	known = n;
	return n;
}

// The last function that begins at pc or before it, unless it ends before.
static const symbol *look_up(const names *n, uintptr_t pc) {
	size_t low = 0, high = n->count;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (n->list[middle].at <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	for (size_t i = low, tries = 8; i-- > 0 && tries--;) { // aliases, and labels in assembly
		const symbol *s = &n->list[i];
		if (pc - s->at < s->size || (s->size == 0 && i == low - 1))
			return s;
	}
	return NULL;
}

void seam_symbolize(seam_symbol_arg *arg) {
	uintptr_t pc = arg->pc;
	arg->file = arg->function = NULL;
	arg->line = arg->entry = arg->more = 0;
	if (pc == 0)
		return;
	if (pc == (uintptr_t)seam_truncated) {
		arg->function = "[truncated]";
		return;
	}
	for (int tries = 1000; atomic_exchange(&busy, 1);) {
		if (tries-- == 0)
			return;
		seam_kernel(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
	}
	int epoch;
	const seam_snapshot *s = seam_enter(&epoch);
	const seam_object *o = seam_find(s, pc);
	if (o) {
		const names *n = names_of(o);
		const symbol *found = n ? look_up(n, pc) : NULL;
		if (found) {
			arg->function = n->strings + found->name;
			arg->entry = found->at;
		} else if (strncmp(o->path, "linux-vdso", 10) == 0)
			arg->function = "[vdso]";
	}
	seam_leave(epoch);
	atomic_store(&busy, 0);
}
#endif
