//go:build cgo && linux && (amd64 || arm64)

// Names of functions, from the symbol table of the file. They are asked for when a profile is
// written, and while a program crashes, when malloc's lock may be held and Go is of no use: so
// memory and files come from the kernel, and a table that somebody is just making is waited
// for a while and then done without.
#define _GNU_SOURCE
#include "image.h"
#include "kernel.h"
#include "traceback.h"

#ifdef SEAM_UNWIND
#include <stdatomic.h>
#include <string.h>

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
	char unnamed[64]; // what functions without a name are called: [libc.so.6]
};

static names *known;
static _Atomic int busy;

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
static void collect(names *n, seam_image f, const Elf64_Shdr *table, const Elf64_Shdr *strings, uintptr_t base) {
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

static int read_names(names *n, seam_image f, uintptr_t base) {
	size_t count;
	const Elf64_Shdr *sections = seam_sections(f, &count), *best = NULL;
	for (size_t i = 0; i < count; i++) {
		const Elf64_Shdr *s = &sections[i];
		if ((s->sh_type != SHT_SYMTAB && !(s->sh_type == SHT_DYNSYM && !best)) || s->sh_link >= count || !seam_inside(f, s->sh_offset, s->sh_size))
			continue;
		if (seam_is_strings(f, &sections[s->sh_link]))
			best = s;
	}
	if (best)
		collect(n, f, best, &sections[best->sh_link], base);
	return best != NULL;
}

// What functions of a file are called that has no names.
static void name_unnamed(names *n, const char *path) {
	const char *base = path;
	for (const char *p = path; *p; p++)
		if (*p == '/')
			base = p + 1;
	if (!*base)
		base = "program";
	size_t size = strnlen(base, sizeof n->unnamed - 3);
	n->unnamed[0] = '[';
	memcpy(n->unnamed + 1, base, size);
	n->unnamed[size + 1] = ']';
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
	name_unnamed(n, o->path);
	seam_image f = seam_open(o->path);
	if (f.at && !read_names(n, f, o->base))
		seam_free_pages((void *)f.at, f.size);
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
	// Go asks once for each address, and keeps what it hears for the whole profile: on a busy
	// machine it may ask before the thread that renews the tables has run.
	seam_await_object(pc);
	for (int tries = 1000; atomic_exchange(&busy, 1);) {
		if (tries-- == 0)
			return;
		seam_kernel(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
	}
	int epoch;
	const seam_snapshot *s = seam_enter(&epoch);
	const seam_object *o = seam_find(s, pc);
	const names *n = o ? names_of(o) : NULL;
	// A name for each: a profile with one address that has none is taken for one without names
	// by go tool pprof, which then looks for all of them itself.
	arg->function = n ? n->unnamed : "[unknown]";
	const symbol *found = n ? look_up(n, pc) : NULL;
	if (found) {
		arg->function = n->strings + found->name;
		arg->entry = found->at;
	}
	seam_leave(epoch);
	atomic_store(&busy, 0);
}
#endif
