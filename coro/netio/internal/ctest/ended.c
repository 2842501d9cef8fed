//go:build cgo && linux && !android && (amd64 || arm64)

#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
#include "ended.h"

static int64_t opens(const char *path, int how) {
	int fd = how == 0 ? open(path, O_RDONLY) : how == 1 ? openat(AT_FDCWD, path, O_RDONLY) : open64(path, O_RDONLY);
	char c = 0;
	int64_t n = fd < 0 ? -1 : read(fd, &c, 1);
	if (fd >= 0)
		close(fd);
	return n * c;
}

static int64_t reads(int fd, int how) {
	FILE *f = fdopen(dup(fd), "r");
	char text[8] = {0}, *line = NULL;
	size_t size = 0;
	int64_t r = -1;
	if (!f)
		return -1;
	switch (how) {
	case ENDED_FGETS:
		r = fgets(text, sizeof text, f) ? (int64_t)strlen(text) : -1;
		break;
	case ENDED_FREAD:
		r = (int64_t)fread(text, 1, 2, f);
		break;
	case ENDED_FGETC:
		r = fgetc(f);
		break;
	case ENDED_GETLINE:
		r = getline(&line, &size, f);
		free(line);
	}
	fclose(f);
	return r;
}

/* More than a pipe takes. */
enum { MUCH = 1 << 17 };

static int64_t writes(int fd, int how) {
	static char much[MUCH + 1];
	struct iovec part = {much, MUCH};
	int64_t n = 0;
	memset(much, 'x', MUCH);
	if (how == ENDED_VMSPLICE) {
		while (part.iov_len > 0) {
			ssize_t r = vmsplice(fd, &part, 1, 0);
			if (r < 0)
				return r;
			part.iov_base = (char *)part.iov_base + r;
			part.iov_len -= (size_t)r;
			n += r;
		}
		return n;
	}
	FILE *f = fdopen(dup(fd), "w");
	if (!f)
		return -1;
	n = how == ENDED_FPRINTF ? fprintf(f, "%s", much) : (int64_t)fwrite(much, 1, MUCH, f);
	if (fflush(f) != 0)
		n = -1;
	fclose(f);
	return n;
}

int64_t seam_test_ended(seam_coro *co, seam_test_ended_args *a) {
	(void)co;
	__atomic_store_n(&a->started, 1, __ATOMIC_SEQ_CST);
	return a->how <= ENDED_OPEN64 ? opens(a->path, a->how) : a->how <= ENDED_GETLINE ? reads(a->fd, a->how) : writes(a->fd, a->how);
}
