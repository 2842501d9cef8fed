//go:build cgo

// The names of C functions, for messages. dladdr knows only those that shared libraries
// export, and takes a lock, so the symbol table of the file is read.
#define _GNU_SOURCE
#include "native.h"

#if defined(__linux__) && defined(__LP64__)
#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// System calls that package netio puts functions of its own in front of.
static int open_file(const char *path) { return (int)seam_system_call(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0); }
static void close_file(int fd) { seam_system_call(SYS_close, fd, 0, 0, 0); }

static const char *hex(const char *p, uintptr_t *v) {
	for (*v = 0;; p++) {
		if (*p >= '0' && *p <= '9')
			*v = *v << 4 | (uintptr_t)(*p - '0');
		else if (*p >= 'a' && *p <= 'f')
			*v = *v << 4 | (uintptr_t)(*p - 'a' + 10);
		else
			return p;
	}
}

// A line of /proc/self/maps: start-end perms offset device inode path. Returns the path if
// addr is in the mapping, and where in the file it is.
static const char *parse(const char *line, uintptr_t addr, uintptr_t *offset) {
	uintptr_t start, end;
	const char *p = hex(line, &start);
	p = hex(p + (*p == '-'), &end);
	if (addr < start || addr >= end || *p++ != ' ')
		return NULL;
	while (*p && *p++ != ' ') // perms
		;
	p = hex(p, offset);
	*offset += addr - start;
	p = strchr(p, '/');
	return p;
}

// Finds the file that is mapped at addr and opens it.
static int open_mapped(uintptr_t addr, uintptr_t *offset) {
	int fd = open_file("/proc/self/maps"), file = -1;
	if (fd < 0)
		return -1;
	char line[1024];
	size_t have = 0;
	for (;;) {
		long n = seam_system_call(SYS_read, fd, (long)(line + have), (long)(sizeof line - 1 - have), 0);
		if (n <= 0)
			break;
		have += (size_t)n;
		line[have] = 0;
		char *start = line, *end;
		while ((end = strchr(start, '\n'))) {
			*end = 0;
			const char *path = parse(start, addr, offset);
			if (path) {
				file = open_file(path);
				close_file(fd);
				return file;
			}
			start = end + 1;
		}
		have -= (size_t)(start - line);
		if (have == sizeof line - 1)
			have = 0; // a path too long to be of use
		memmove(line, start, have);
	}
	close_file(fd);
	return file;
}

typedef struct {
	const char *at;
	size_t size;
} image;

// Whether the file has n bytes at offset.
static int has(image f, uint64_t offset, uint64_t n) { return offset <= f.size && n <= f.size - offset; }

// The symbol of a function that contains vaddr, or NULL.
static const char *find(image f, const Elf64_Ehdr *h, uint64_t vaddr, uint32_t type) {
	const Elf64_Shdr *sections = (const Elf64_Shdr *)(f.at + h->e_shoff);
	for (int i = 0; i < h->e_shnum; i++) {
		const Elf64_Shdr *s = &sections[i];
		if (s->sh_type != type || s->sh_link >= h->e_shnum || !has(f, s->sh_offset, s->sh_size))
			continue;
		const Elf64_Shdr *strings = &sections[s->sh_link];
		if (!has(f, strings->sh_offset, strings->sh_size) || strings->sh_size == 0 ||
		    f.at[strings->sh_offset + strings->sh_size - 1] != 0)
			continue;
		const Elf64_Sym *syms = (const Elf64_Sym *)(f.at + s->sh_offset);
		for (uint64_t n = 0; n < s->sh_size / sizeof *syms; n++) {
			const Elf64_Sym *sym = &syms[n];
			if (ELF64_ST_TYPE(sym->st_info) == STT_FUNC && sym->st_shndx != SHN_UNDEF &&
			    vaddr >= sym->st_value && vaddr - sym->st_value < sym->st_size && sym->st_name < strings->sh_size)
				return f.at + strings->sh_offset + sym->st_name;
		}
	}
	return NULL;
}

static const char *lookup(image f, uintptr_t offset) {
	const Elf64_Ehdr *h = (const Elf64_Ehdr *)f.at;
	if (!has(f, 0, sizeof *h) || memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 || h->e_ident[EI_CLASS] != ELFCLASS64 ||
	    h->e_phentsize != sizeof(Elf64_Phdr) || !has(f, h->e_phoff, (uint64_t)h->e_phnum * sizeof(Elf64_Phdr)) ||
	    h->e_shentsize != sizeof(Elf64_Shdr) || !has(f, h->e_shoff, (uint64_t)h->e_shnum * sizeof(Elf64_Shdr)))
		return NULL;
	const Elf64_Phdr *segments = (const Elf64_Phdr *)(f.at + h->e_phoff);
	for (int i = 0; i < h->e_phnum; i++) {
		const Elf64_Phdr *p = &segments[i];
		if (p->p_type != PT_LOAD || offset < p->p_offset || offset - p->p_offset >= p->p_filesz)
			continue;
		uint64_t vaddr = p->p_vaddr + (offset - p->p_offset);
		const char *name = find(f, h, vaddr, SHT_SYMTAB);
		return name ? name : find(f, h, vaddr, SHT_DYNSYM);
	}
	return NULL;
}

size_t seam_function_name(uintptr_t addr, char *name, size_t room) {
	uintptr_t offset;
	struct stat st;
	size_t n = 0;
	int fd = open_mapped(addr, &offset);
	if (fd < 0)
		return 0;
	if (fstat(fd, &st) == 0 && st.st_size > 0) {
		size_t size = (size_t)st.st_size;
		char *p = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (p != MAP_FAILED) {
			const char *found = lookup((image){p, size}, offset);
			if (found && (n = strlen(found)) >= room)
				n = room - 1;
			if (n)
				memcpy(name, found, n);
			name[n] = 0;
			munmap(p, size);
		}
	}
	close_file(fd);
	return n;
}
#else
size_t seam_function_name(uintptr_t addr, char *name, size_t room) {
	(void)addr, (void)name, (void)room;
	return 0;
}
#endif
