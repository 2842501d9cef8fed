// Mapping ELF files; sections.h reads them.
#ifndef SEAM_IMAGE_H
#define SEAM_IMAGE_H

#include "sections.h"
#include "unwind.h"

typedef csys_image seam_image;

// seam_open maps a file, "" being the program's own; at is NULL if it can't. It allocates by
// the kernel alone.
seam_image seam_open(const char *path);

#endif
