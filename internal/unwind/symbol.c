//go:build cgo && linux && (amd64 || arm64)

// Names of functions, from the symbol table of the file. They are asked for when a profile is
// written, and while a program crashes, when malloc's lock may be held and Go is of no use: so
// memory and files come from the kernel, and a table that somebody is just making is waited
// for a while and then done without.
#define _GNU_SOURCE
#include "image.h"
#include "plt.h"
#include "sort.h"
#include "traceback.h"

#ifdef SEAM_UNWIND
#include <stdatomic.h>
#include <string.h>

typedef struct {
	uint64_t at, size;
	const char *name;
	int open; // it has no size: it ends with its section, or where another begins
} symbol;

// The functions of a file, in the order of their addresses. It stays for good.
typedef struct names names;
struct names {
	names *next;
	uintptr_t base;
	uint64_t digest;
	symbol *list;
	size_t count;
	char unnamed[64]; // what functions without a name are called: [libc.so.6]
};

static names *known;
static _Atomic int busy;

// Of those that begin together the longest comes first.
static int before(const symbol *a, const symbol *b) { return a->at < b->at || (a->at == b->at && a->size > b->size); }

SEAM_SORT(sort, symbol, before)

// Behind the section of _init, which has no size, are the jumps to other files.
static uint64_t size_of(seam_image f, const Elf64_Sym *s) {
	size_t count;
	const Elf64_Shdr *sections = csys_sections(f, &count);
	if (s->st_size || s->st_shndx >= count)
		return s->st_size;
	uint64_t end = sections[s->st_shndx].sh_addr + sections[s->st_shndx].sh_size;
	return end > s->st_value ? end - s->st_value : 0;
}

// Collects the functions of one symbol table. Go's own are left out: Go knows them, and gcc's f.localalias is f.
static void collect(names *n, seam_image f, const Elf64_Shdr *table, const Elf64_Shdr *strings, uintptr_t base) {
	const char *text = f.at + strings->sh_offset;
	size_t all = table->sh_size / sizeof(Elf64_Sym);
	for (size_t i = 0; i < all; i++) {
		Elf64_Sym s;
		memcpy(&s, f.at + table->sh_offset + i * sizeof s, sizeof s);
		int type = ELF64_ST_TYPE(s.st_info);
		uintptr_t at = base + s.st_value;
		if (ELF64_ST_BIND(s.st_info) == STB_LOCAL && s.st_name < strings->sh_size && strstr(text + s.st_name, ".localalias"))
			continue;
		if ((type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE) && s.st_shndx != SHN_UNDEF && s.st_name && s.st_name < strings->sh_size &&
		    text[s.st_name] && text[s.st_name] != '$' && !(at >= seam_go_low && at < seam_go_high) && (type != STT_NOTYPE || s.st_size))
			n->list[n->count++] = (symbol){at, size_of(f, &s), text + s.st_name, s.st_size == 0};
	}
	sort(n->list, n->count);
}

static const symbol *look_up(const names *n, uintptr_t pc);

// The stubs of a PLT, which get names: first how many there are, and the room for their names.
typedef struct {
	names *n;
	uintptr_t base;
	size_t count, room;
	char *text;
} stubs;

static const char *name_of_stub(const stubs *s, seam_stub stub) {
	if (stub.function)
		return stub.function;
	const symbol *chosen = look_up(s->n, s->base + stub.resolver);
	return chosen ? chosen->name : NULL;
}

static void count_stub(void *arg, seam_stub stub) {
	stubs *s = arg;
	const char *name = name_of_stub(s, stub);
	s->count += name != NULL;
	s->room += name ? strlen(name) + sizeof "@plt" : 0;
}

static void add_stub(void *arg, seam_stub stub) {
	stubs *s = arg;
	const char *name = name_of_stub(s, stub);
	if (!name)
		return;
	size_t size = strlen(name);
	memcpy(s->text, name, size);
	memcpy(s->text + size, "@plt", sizeof "@plt");
	s->n->list[s->n->count + s->count++] = (symbol){s->base + stub.at, stub.size, s->text, 0};
	s->text += size + sizeof "@plt";
}

static const Elf64_Shdr *symbols_of(seam_image f, const Elf64_Shdr *sections, size_t count) {
	const Elf64_Shdr *best = NULL;
	for (size_t i = 0; i < count; i++) {
		const Elf64_Shdr *s = &sections[i];
		if ((s->sh_type != SHT_SYMTAB && !(s->sh_type == SHT_DYNSYM && !best)) || s->sh_link >= count || !csys_has(f, s->sh_offset, s->sh_size))
			continue;
		if (csys_is_strings(f, &sections[s->sh_link]))
			best = s;
	}
	return best;
}

// Returns whether names lie in the file's memory.
static int read_names(names *n, seam_image f, uintptr_t base) {
	size_t count, plts = 0;
	const Elf64_Shdr *sections = csys_sections(f, &count), *table = symbols_of(f, sections, count);
	size_t symbols = table ? table->sh_size / sizeof(Elf64_Sym) : 0;
	for (size_t i = 0; i < count; i++)
		plts += (size_t)seam_is_plt(f, &sections[i]);
	stubs s = {.n = n, .base = base};
	n->list = seam_pages(symbols * sizeof *n->list);
	if (n->list && table)
		collect(n, f, table, &sections[table->sh_link], base);
	seam_stubs(f, count_stub, &s);
	symbol *list = seam_pages((n->count + s.count + plts) * sizeof *list);
	s.text = seam_pages(s.room);
	if (!list || !s.text)
		return table != NULL; // without the stubs
	if (n->count)
		memcpy(list, n->list, n->count * sizeof *list);
	seam_free_pages(n->list, symbols * sizeof *n->list);
	n->list = list;
	s.count = 0;
	seam_stubs(f, add_stub, &s);
	n->count += s.count;
	for (size_t i = 0; i < count; i++) // what is no stub in it
		if (seam_is_plt(f, &sections[i]))
			n->list[n->count++] = (symbol){base + sections[i].sh_addr, sections[i].sh_size, "[plt]", 0};
	sort(n->list, n->count);
	return table != NULL;
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
		if (pc - s->at < s->size && (!s->open || i == low - 1))
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
	if (seam_is_mark(pc)) {
		arg->function = pc == (uintptr_t)seam_truncated ? "[truncated]" : pc == (uintptr_t)seam_recursion ? "[recursion]" : "[left out]";
		return;
	}
	// Go asks once for each address, and keeps what it hears for the whole profile: on a busy
	// machine it may ask before the thread that renews the tables has run.
	seam_await_object(pc);
	for (int tries = 1000; atomic_exchange(&busy, 1);) {
		if (tries-- == 0)
			return;
		csys_kernel(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
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
		arg->function = found->name;
		arg->entry = found->at;
	}
	seam_leave(epoch);
	atomic_store(&busy, 0);
}
#endif
