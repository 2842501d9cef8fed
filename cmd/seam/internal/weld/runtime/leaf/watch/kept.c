/* Code added by seam. See github.com/seamgo/seam.
 *
 * The watch of welded leaves, and of coro functions between their callbacks; see kept.h. This is a part of package
 * runtime/cgo. */
#pragma GCC system_header
#undef _GNU_SOURCE
#define _GNU_SOURCE
#include "seam_weld_slots.h"
#include "kept.h"

/* A welded package has definitions too, and the linker keeps one of them. */
struct _seam_slot *_seam_slots_v1 __attribute__((weak, visibility("hidden")));
struct _seam_standin _seamweld_standins_v1[5] __attribute__((weak, visibility("hidden")));

void _seam_watch_leaves_v1(uint32_t minor) __attribute__((visibility("hidden")));

#if defined(__linux__) && !defined(__ANDROID__) && defined(__LP64__)

/* Where the function is that was called, from the saved stack pointer of SeamCall, and of SeamCallOpen and SeamCallCoro. */
#ifdef __x86_64__
enum { SEAM_CALLED = 8, SEAM_CALLED_OPEN = 16 };
#else
enum { SEAM_CALLED = 40, SEAM_CALLED_OPEN = 40 };
#endif

/* As in internal/abi. */
enum { SEAM_G_GUARD = 16, SEAM_G_SCHED_SP = 56, SEAM_G_M = 48, SEAM_M_G0 = 0, SEAM_M_CURG = 184, SEAM_M_PROCID = 64, SEAM_P_COUNTS = 16,
	SEAM_M_P_25 = 200, SEAM_M_ALLLINK_25 = 344, SEAM_M_P_26 = 208, SEAM_M_ALLLINK_26 = 352 };

static struct _seam_slot *seam_slot_of(uintptr_t fn)
{
	struct _seam_slot *s = __atomic_load_n(&_seam_slots_v1, __ATOMIC_ACQUIRE);
	while (s && fn != (uintptr_t)s->_leaf && fn != (uintptr_t)s->_probe && fn != (uintptr_t)s->_watched)
		s = s->_next;
	return s;
}

static const char *seam_slot_name(uintptr_t fn)
{
	struct _seam_slot *s = seam_slot_of(fn);
	return s ? s->_name : NULL;
}

static void seam_count_kept(uintptr_t fn)
{
	struct _seam_slot *s = seam_slot_of(fn);
	if (s)
		__atomic_fetch_add(&s->_kept, 1, __ATOMIC_RELAXED);
}

void _seam_watch_leaves_v1(uint32_t minor)
{
	static int waits = 1; /* with a value, so that it lies before what has none: where data begin */
	csys_keepers k = {{SEAM_G_GUARD, SEAM_G_SCHED_SP, SEAM_G_M, SEAM_M_G0, SEAM_M_CURG, SEAM_M_P_26, SEAM_M_ALLLINK_26, SEAM_M_PROCID, SEAM_P_COUNTS},
		(uintptr_t)&waits, {{0, SEAM_CALLED}, {0, SEAM_CALLED_OPEN}, {0, SEAM_CALLED_OPEN}}, "weld", "mark it cgo in seam.plan", seam_slot_name, seam_count_kept};
	int i;
	if (minor < 25 || minor > 27 || !__atomic_exchange_n(&waits, 0, __ATOMIC_RELAXED))
		return;
	if (minor == 25) {
		k.at.m_p = SEAM_M_P_25;
		k.at.m_alllink = SEAM_M_ALLLINK_25;
	}
	for (i = 0; i < CSYS_ENTRIES; i++)
		k.entries[i].in_c = _seamweld_standins_v1[i]._pc;
	csys_start_keepers(&k);
}
#else
void _seam_watch_leaves_v1(uint32_t minor) { (void)minor; }
#endif
