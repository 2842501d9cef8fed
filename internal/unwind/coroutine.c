//go:build cgo && linux && (amd64 || arm64)

#include "unwind.h"

#ifdef SEAM_UNWIND
__typeof__(seamcoro_list_v1) seamcoro_list_v1 __attribute__((weak));
__typeof__(seampark_list_v1) seampark_list_v1 __attribute__((weak));

int seam_coroutines(seam_coroutine *list, int max) {
	int n = seamcoro_list_v1 ? seamcoro_list_v1(list, max) : 0;
	if (seampark_list_v1)
		n += n < max ? seampark_list_v1(list + n, max - n) : seampark_list_v1(list, 0);
	return n;
}
#endif
