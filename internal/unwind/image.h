// Mapping ELF files; sections.h reads them.
#ifndef SEAM_IMAGE_H
#define SEAM_IMAGE_H

#include "sections.h"
#include "unwind.h"

typedef csys_image seam_image;

// seam_open maps a file, "" being the program's own; at is NULL if it can't. It allocates by
// the kernel alone.
seam_image seam_open(const char *path);

// seam_find_symbol reports whether a file defines a symbol, or else imports it, and its value.
int seam_find_symbol(seam_image f, const char *name, int defined, uintptr_t *value);

#endif
