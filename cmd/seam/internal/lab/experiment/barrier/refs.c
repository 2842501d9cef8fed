#include "refs.h"

int seam_barrier_swap(const seam_pool *pool, seam_buffer *slots, const seam_buffer *fresh, size_t n) {
	int refused = 0;
	for (size_t i = 0; i < n; i++) {
		if (fresh[i] != 0 && seam_buffer_hold(pool, fresh[i]) != SEAM_MEM_OK)
			refused++;
		if (slots[i] != 0 && seam_buffer_release(pool, slots[i]) != SEAM_MEM_OK)
			refused++;
		slots[i] = fresh[i];
	}
	return refused;
}
