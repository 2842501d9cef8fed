#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
#include <time.h>
#include "guard.h"
#include "seam_weld.h"
#include "seam_weld_impl.h"

static void seam_lab_empty_body(void *v)
{
	__asm__ volatile("" : : "r"(v) : "memory");
}

static void seam_lab_busy_body(void *v)
{
	struct seam_lab_busy *b = v;
	struct timespec start, now;
	clock_gettime(CLOCK_MONOTONIC, &start);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - start.tv_sec) * 1000000000L + now.tv_nsec - start.tv_nsec < b->ns);
}

SEAM_WELD(seam_lab_empty_slot, "lab.empty", seam_lab_empty_body, seam_lab_empty, seam_lab_empty_probe, seam_lab_empty_watched, 20000ull, 10000ull)
SEAM_WELD(seam_lab_busy_slot, "lab.busy", seam_lab_busy_body, seam_lab_busy, seam_lab_busy_probe, seam_lab_busy_watched, 20000ull, 10000ull)

void *seam_lab_empty_slot_address(void) { return &seam_lab_empty_slot; }
void *seam_lab_empty_body_address(void) { return (void *)seam_lab_empty_body; }
void *seam_lab_busy_slot_address(void)
{
	seam_lab_busy_slot._logged = 1; /* that it is demoted is no news here */
	return &seam_lab_busy_slot;
}
void *seam_lab_busy_body_address(void) { return (void *)seam_lab_busy_body; }

int seam_lab_through(void *f, void *arg)
{
	((void (*)(void *))f)(arg);
	return 0;
}
#endif
