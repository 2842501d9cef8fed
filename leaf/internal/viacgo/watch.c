// The watch: a leaf that waits, or computes for long, is named. See kept.h.
#define _GNU_SOURCE
#include "enter.h"

uint64_t seam_leaf_kept;

#if defined(__linux__) && !defined(__ANDROID__) && defined(__LP64__)
#include "kept.h"

// ---- the names given to Of

typedef struct named {
	struct named *next;
	uintptr_t fn;
	const char *name;
} named;

static named *names;

void seam_leaf_name(uintptr_t fn, const char *name) {
	named *n = malloc(sizeof *n);
	if (!n)
		return;
	*n = (named){__atomic_load_n(&names, __ATOMIC_RELAXED), fn, name};
	while (!__atomic_compare_exchange_n(&names, &n->next, n, 1, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
}

static const char *name_of(uintptr_t fn) {
	const named *n;
	for (n = __atomic_load_n(&names, __ATOMIC_ACQUIRE); n && n->fn != fn; n = n->next)
		;
	return n ? n->name : NULL;
}

static void count(uintptr_t fn) {
	(void)fn;
	__atomic_fetch_add(&seam_leaf_kept, 1, __ATOMIC_RELAXED);
}

int seam_leaf_watch(seam_leaf_runtime r) {
	csys_keepers leaves = {{r.g_guard, r.g_sched_sp, r.g_m, r.m_g0, r.m_curg, r.m_p, r.m_alllink, r.m_procid, r.p_counts},
		r.near, {{r.in_c, r.argument}}, "leaf", "call it through cgo", name_of, count};
	return csys_start_keepers(&leaves);
}
#else
int seam_leaf_watch(seam_leaf_runtime r) {
	(void)r;
	return 0;
}
void seam_leaf_name(uintptr_t fn, const char *name) { (void)fn, (void)name; }
#endif
