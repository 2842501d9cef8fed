#ifndef SEAM_NETIO_ENDED_H
#define SEAM_NETIO_ENDED_H

#include <seam/coro.h>

enum {
	ENDED_OPEN, ENDED_OPENAT, ENDED_OPEN64,
	ENDED_FGETS, ENDED_FREAD, ENDED_FGETC, ENDED_GETLINE,
	ENDED_FWRITE, ENDED_FPRINTF, ENDED_VMSPLICE,
	ENDED_COUNT
};

typedef struct {
	const char *path; /* of a FIFO */
	int32_t fd, how, started;
} seam_test_ended_args;

/* Waits until another has opened the FIFO, or reads from fd or writes to it. Returns what came, as ended.c has it. */
int64_t seam_test_ended(seam_coro *co, seam_test_ended_args *a);
#endif
