#ifndef SEAM_GRID_WORK_H
#define SEAM_GRID_WORK_H

#include <stdint.h>

// seam_grid_fold returns 0 + 1 + … + count without a loop.
//
// The published C was a loop. clang, the compiler of its machine, turns that
// into a formula; gcc keeps it (gcc 12 as it is, later ones two steps at a
// time). So that the experiment is the same with either, the formula is
// written out here.
int64_t seam_grid_fold(int64_t count);

// seam_grid_nofold is nofoldGo: a chain that can be neither shortened nor done
// in parallel.
int64_t seam_grid_nofold(int64_t count);

// The same two for leaf, which passes one pointer.
typedef struct {
	int64_t count;
	int64_t result;
} seam_grid_args;

void seam_grid_fold_args(void *args);
void seam_grid_nofold_args(void *args);

#endif
