/*
 * The run-time of a program that is searched for leaks. Every package that
 * allocates through cgo holds a copy in its _cgo_export.c; weak symbols make the
 * linker keep one.
 *
 * Go tells of every block that it has got from malloc and the like, and from
 * which stack. The program's executable defines free and realloc, so that
 * no matter who frees, Go, C or a shared library, comes by here. Blocks and stacks
 * lie in a file that the process maps: recordlayout.go of package leaks has their layout.
 *
 * Nothing here may call malloc or free, and a pointer that is not ours, as most
 * are, must be let through quickly.
 */
#pragma GCC system_header

#ifndef SEAM_LEAKS_IMPL_H
#define SEAM_LEAKS_IMPL_H

#include "seam_record.h"
#include "seam_leaks_file.h"
#include "seam_leaks_table.h"
#include "seam_leaks_wrong.h"
#include "seam_leaks_free.h"
#include "seam_leaks_go.h"

#define SEAM_LEAKS_PACKAGE(prefix) \
	void prefix##_seam_leaks(void *seam_v); \
	void prefix##_seam_leaks(void *seam_v) { seam_leaks_go(seam_v); }

#endif
