// The jumps of a file's PLT to functions of other files. They have no symbols: the relocation of
// the word that a stub jumps by names its function.
#ifndef SEAM_PLT_H
#define SEAM_PLT_H

#include "image.h"

typedef struct {
	uint64_t at, size;
	const char *function; // NULL where it is one of this file, which is chosen by
	uint64_t resolver;    // the function that is here
} seam_stub;

// seam_stubs calls each for every stub that is known, in the order of their sections.
void seam_stubs(seam_image f, void (*each)(void *arg, seam_stub), void *arg);

// seam_is_plt reports whether a section of the file has stubs.
int seam_is_plt(seam_image f, const Elf64_Shdr *);

#endif
