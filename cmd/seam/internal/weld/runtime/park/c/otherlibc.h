/* With a C library other than glibc nothing is parked. */
#include "kernel.h"
#define PARK __attribute__((visibility("hidden")))
void _seam_park_begin_v1(uint32_t *f) PARK;
void _seam_park_submit_v1(void *r) PARK;
void _seam_park_resume_v1(void *r) PARK;
void _seam_park_finish_v1(void *r) PARK;
void _seam_park_drop_v1(void *r) PARK;
int _seam_park_cross_v1(void *f, void *a) PARK;
void _seam_park_begin_v1(uint32_t *f) {
	static int told;
	f[1] = 2; /* usable */
	if (!__atomic_exchange_n(&told, 1, __ATOMIC_RELAXED))
		csys_say("seam: functions can be parked with glibc only; those of the plan are called through cgo\n");
}
void _seam_park_submit_v1(void *r) { (void)r; }
void _seam_park_resume_v1(void *r) { (void)r; }
void _seam_park_finish_v1(void *r) { (void)r; }
void _seam_park_drop_v1(void *r) { (void)r; }
int _seam_park_cross_v1(void *f, void *a) {
	(void)f, (void)a;
	return 0;
}
