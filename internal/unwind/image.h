// ELF files, mapped. They are read on no trust: each offset is looked at.
#ifndef SEAM_IMAGE_H
#define SEAM_IMAGE_H

#include "unwind.h"

#include <elf.h>

typedef struct {
	const char *at;
	size_t size;
} seam_image;

// seam_open maps a file, "" being the program's own; at is NULL if it can't. It allocates by
// the kernel alone.
seam_image seam_open(const char *path);

int seam_inside(seam_image, uint64_t offset, uint64_t n);

// seam_sections returns the section headers, and how many there are.
const Elf64_Shdr *seam_sections(seam_image, size_t *count);

// seam_is_strings tells whether a section has strings that end.
int seam_is_strings(seam_image, const Elf64_Shdr *);

// seam_section finds a section by its name.
const Elf64_Shdr *seam_section(seam_image, const char *name);

#endif
