// Sorting by a heap, for there is no malloc in it and no bad case.
#ifndef SEAM_SORT_H
#define SEAM_SORT_H

#include "unwind.h"

// SEAM_SORT defines sort, for which before says what comes first.
#define SEAM_SORT(sort, type, before) \
	static void sift_##sort(type *s, size_t i, size_t n) { \
		for (size_t child; (child = 2 * i + 1) < n; i = child) { \
			child += child + 1 < n && before(&s[child], &s[child + 1]); \
			if (!before(&s[i], &s[child])) \
				return; \
			type t = s[i]; \
			s[i] = s[child]; \
			s[child] = t; \
		} \
	} \
	static void sort(type *s, size_t n) { \
		size_t i = 1; \
		while (i < n && !before(&s[i], &s[i - 1])) \
			i++; \
		if (i >= n) \
			return; /* as linkers write them, mostly */ \
		for (i = n / 2; i-- > 0;) \
			sift_##sort(s, i, n); \
		for (i = n; i-- > 1;) { \
			type t = s[0]; \
			s[0] = s[i]; \
			s[i] = t; \
			sift_##sort(s, 0, i); \
		} \
	}

#endif
