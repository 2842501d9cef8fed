// The names of C functions, for messages. dladdr knows only those that shared libraries
// export, and takes a lock, so the symbol table of the file is read. In signal handlers too.
#ifndef SEAM_CSYS_SYMBOL_H
#define SEAM_CSYS_SYMBOL_H

#include "kernel.h"

#if defined(__linux__) && defined(__LP64__)
#include "sections.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

CSYS const char *csys_hex(const char *p, uintptr_t *v) {
	for (*v = 0;; p++) {
		if (*p >= '0' && *p <= '9')
			*v = *v << 4 | (uintptr_t)(*p - '0');
		else if (*p >= 'a' && *p <= 'f')
			*v = *v << 4 | (uintptr_t)(*p - 'a' + 10);
		else
			return p;
	}
}

// A line of /proc/self/maps: start-end perms offset device inode path.
typedef struct {
	uintptr_t start, end, offset;
	int code;         // it can be executed
	const char *path; // or NULL
	const char *line; // all of it
} csys_mapping;

CSYS int csys_parse_mapping(const char *line, csys_mapping *m) {
	const char *p = csys_hex(line, &m->start);
	p = csys_hex(p + (*p == '-'), &m->end);
	if (*p++ != ' ' || strlen(p) < 5)
		return 0;
	m->code = p[2] == 'x';
	csys_hex(p + 5, &m->offset);
	m->path = strchr(p, '/');
	m->line = line;
	return 1;
}

// csys_each_mapping calls each for what is mapped, in order, until it returns 1. It returns 0 if that can't be read.
CSYS int csys_each_mapping(int (*each)(void *arg, const csys_mapping *m), void *arg) {
	int fd = (int)csys_call(SYS_openat, AT_FDCWD, (long)"/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
	char line[1024];
	size_t have = 0;
	int cut = 0; // of a path too long to be of use the rest is left out
	csys_mapping m;
	while (fd >= 0) {
		long n = csys_call(SYS_read, fd, (long)(line + have), (long)(sizeof line - 1 - have), 0);
		char *start = line, *end;
		if (n <= 0)
			break;
		have += (size_t)n;
		line[have] = 0;
		while ((end = strchr(start, '\n')) || (start == line && have == sizeof line - 1)) {
			if (end)
				*end = 0;
			if (!cut && csys_parse_mapping(start, &m) && each(arg, &m)) {
				csys_call(SYS_close, fd, 0, 0, 0);
				return 1;
			}
			cut = !end;
			start = end ? end + 1 : line + have;
		}
		have -= (size_t)(start - line);
		memmove(line, start, have);
	}
	if (fd >= 0)
		csys_call(SYS_close, fd, 0, 0, 0);
	return fd >= 0;
}

typedef struct {
	uintptr_t at, offset; // the address, and where in the file it is
	int file;
	char *base; // the file's name without its folder
	size_t room;
} csys_place;

CSYS int csys_is_there(void *arg, const csys_mapping *m) {
	csys_place *p = (csys_place *)arg;
	if (p->at < m->start || p->at >= m->end)
		return 0;
	if (m->path) {
		p->offset = m->offset + (p->at - m->start);
		p->file = (int)csys_call(SYS_openat, AT_FDCWD, (long)m->path, O_RDONLY | O_CLOEXEC, 0);
		if (p->room) {
			const char *base = strrchr(m->path, '/') + 1;
			size_t n = strlen(base);
			if (n >= p->room)
				n = p->room - 1;
			memcpy(p->base, base, n);
			p->base[n] = 0;
		}
	}
	return 1;
}

// The symbol of a function that contains vaddr, or NULL. What gcc calls f.localalias is f.
CSYS const char *csys_find(csys_image f, uint64_t vaddr, uint32_t type, uintptr_t *into) {
	size_t count, i;
	const Elf64_Shdr *sections = csys_sections(f, &count);
	for (i = 0; i < count; i++) {
		const Elf64_Shdr *s = &sections[i], *strings;
		const Elf64_Sym *sym;
		if (s->sh_type != type || s->sh_link >= count || !csys_has(f, s->sh_offset, s->sh_size))
			continue;
		strings = &sections[s->sh_link];
		if (!csys_is_strings(f, strings))
			continue;
		sym = (const Elf64_Sym *)(f.at + s->sh_offset);
		for (; (const char *)(sym + 1) <= f.at + s->sh_offset + s->sh_size; sym++)
			if (ELF64_ST_TYPE(sym->st_info) == STT_FUNC && sym->st_shndx != SHN_UNDEF &&
			    vaddr >= sym->st_value && vaddr - sym->st_value < sym->st_size && sym->st_name < strings->sh_size && !strstr(f.at + strings->sh_offset + sym->st_name, ".localalias")) {
				*into = vaddr - sym->st_value;
				return f.at + strings->sh_offset + sym->st_name;
			}
	}
	return NULL;
}

CSYS const char *csys_lookup(csys_image f, uintptr_t offset, uintptr_t *into) {
	const Elf64_Ehdr *h = (const Elf64_Ehdr *)f.at;
	const Elf64_Phdr *p;
	int i;
	size_t count;
	if (!csys_sections(f, &count) || h->e_phentsize != sizeof *p || !csys_has(f, h->e_phoff, (uint64_t)h->e_phnum * sizeof *p))
		return NULL;
	p = (const Elf64_Phdr *)(f.at + h->e_phoff);
	for (i = 0; i < h->e_phnum; i++, p++)
		if (p->p_type == PT_LOAD && offset >= p->p_offset && offset - p->p_offset < p->p_filesz) {
			uint64_t vaddr = p->p_vaddr + (offset - p->p_offset);
			const char *name = csys_find(f, vaddr, SHT_SYMTAB, into);
			return name ? name : csys_find(f, vaddr, SHT_DYNSYM, into);
		}
	return NULL;
}

// csys_map maps the file that an address is in: at is NULL if it can't.
CSYS csys_image csys_map(csys_place *place) {
	csys_image f = {NULL, 0};
	struct stat st;
	csys_each_mapping(csys_is_there, place);
	if (place->file < 0)
		return f;
	if (fstat(place->file, &st) == 0 && st.st_size > 0) {
		void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, place->file, 0);
		if (p != MAP_FAILED) {
			f.at = (const char *)p;
			f.size = (size_t)st.st_size;
		}
	}
	csys_call(SYS_close, place->file, 0, 0, 0);
	return f;
}

// csys_symbol writes the name of the C function that contains an address, and 0. It returns its length, or 0 if the
// function isn't found. It stores how far the address is into it, and writes the name of the file, where that is known.
CSYS size_t csys_symbol(uintptr_t addr, char *name, size_t room, uintptr_t *into, char *file, size_t file_room) {
	csys_place place = {addr, 0, -1, file, file_room};
	csys_image f;
	const char *found;
	size_t n = 0;
	if (file_room)
		file[0] = 0;
	f = csys_map(&place);
	if (place.file >= 0)
		*into = place.offset;
	if (!f.at)
		return 0;
	found = csys_lookup(f, place.offset, into);
	if (found && (n = strlen(found)) >= room)
		n = room - 1;
	if (n)
		memcpy(name, found, n);
	name[n] = 0;
	munmap((void *)f.at, f.size);
	return n;
}

// csys_section_at returns where a section of the file that an address is in begins, as the file has it, and its size; 0
// if it has none in memory.
CSYS uintptr_t csys_section_at(uintptr_t addr, const char *name, uintptr_t *size) {
	csys_place place = {addr, 0, -1, NULL, 0};
	csys_image f = csys_map(&place);
	const Elf64_Shdr *s = csys_section(f, name);
	uintptr_t at = s && s->sh_flags & SHF_ALLOC ? s->sh_addr : 0;
	*size = at ? s->sh_size : 0;
	if (f.at)
		munmap((void *)f.at, f.size);
	return at;
}
#else
CSYS size_t csys_symbol(uintptr_t addr, char *name, size_t room, uintptr_t *into, char *file, size_t file_room) {
	(void)addr, (void)name, (void)room, (void)into, (void)file, (void)file_room;
	return 0;
}
#endif

// csys_name returns the name of a function, or where it is. room has 128 bytes.
CSYS const char *csys_name(uintptr_t fn, char *room) {
	uintptr_t into;
	if (csys_symbol(fn, room, 128, &into, NULL, 0))
		return room;
	memcpy(room, "at 0x", 5);
	return strcpy(room + 5, csys_hexadecimal(fn)) - 5;
}
#define csys_named(name, fn) ((name) ? (name) : csys_name(fn, (char[128]){0}))

// csys_call_name returns the name of the function that makes a system call.
CSYS const char *csys_call_name(uintptr_t pc, char *room) {
	uintptr_t into;
	return csys_symbol(pc, room, 128, &into, NULL, 0) ? room : "a system call";
}
#endif
