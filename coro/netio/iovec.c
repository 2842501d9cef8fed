//go:build cgo && linux && !android && (amd64 || arm64) && !msan

// Sizes and parts of iovecs.
#include "netio.h"

#include <limits.h>

ssize_t iov_total(const struct iovec *iov, size_t count) {
	size_t n = 0;
	size_t i;
	for (i = 0; i < count; i++) {
		if (iov[i].iov_len > (size_t)SSIZE_MAX - n)
			return -1;
		n += iov[i].iov_len;
	}
	return (ssize_t)(n < MAX_TRANSFER ? n : MAX_TRANSFER);
}

int iov_window(const struct iovec *iov, size_t count, size_t skip, size_t max, struct iovec *out) {
	int entries = 0;
	size_t i;
	for (i = 0; i < count && entries < WINDOW && max > 0; i++) {
		size_t n = iov[i].iov_len;
		if (n <= skip) {
			skip -= n;
			continue;
		}
		n -= skip;
		if (n > max)
			n = max;
		out[entries++] = (struct iovec){.iov_base = (char *)iov[i].iov_base + skip, .iov_len = n};
		max -= n;
		skip = 0;
	}
	return entries;
}
