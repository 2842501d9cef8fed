// ELF files, mapped. They are read on no trust: each offset is looked at.
#ifndef SEAM_CSYS_SECTIONS_H
#define SEAM_CSYS_SECTIONS_H

#include "kernel.h"
#include <elf.h>
#include <stddef.h>

typedef struct {
	const char *at;
	size_t size;
} csys_image;

// Whether the file has n bytes at offset.
CSYS int csys_has(csys_image f, uint64_t offset, uint64_t n) { return offset <= f.size && n <= f.size - offset; }

// csys_sections returns the section headers, and how many there are.
CSYS const Elf64_Shdr *csys_sections(csys_image f, size_t *count) {
	const Elf64_Ehdr *h = (const Elf64_Ehdr *)f.at;
	*count = 0;
	if (!csys_has(f, 0, sizeof *h) || memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 || h->e_ident[EI_CLASS] != ELFCLASS64 ||
	    h->e_shentsize != sizeof(Elf64_Shdr) || (h->e_shoff & 7) || !csys_has(f, h->e_shoff, (uint64_t)h->e_shnum * sizeof(Elf64_Shdr)))
		return NULL;
	*count = h->e_shnum;
	return (const Elf64_Shdr *)(f.at + h->e_shoff);
}

// csys_is_strings reports whether a section has strings that end.
CSYS int csys_is_strings(csys_image f, const Elf64_Shdr *s) {
	return s->sh_type == SHT_STRTAB && s->sh_size && csys_has(f, s->sh_offset, s->sh_size) && f.at[s->sh_offset + s->sh_size - 1] == 0;
}

// csys_section finds a section by its name.
CSYS const Elf64_Shdr *csys_section(csys_image f, const char *name) {
	size_t count, i, index;
	const Elf64_Shdr *s = csys_sections(f, &count), *names;
	if (!s || (index = ((const Elf64_Ehdr *)f.at)->e_shstrndx) >= count || !csys_is_strings(f, &s[index]))
		return NULL;
	names = &s[index];
	for (i = 0; i < count; i++)
		if (s[i].sh_name < names->sh_size && strcmp(f.at + names->sh_offset + s[i].sh_name, name) == 0)
			return &s[i];
	return NULL;
}

#endif
