//go:build cgo && linux && !android && (amd64 || arm64)

// std::call_once, whose function fails the first times: the next one tries again.
#include <mutex>
#include <stdexcept>
#include <unistd.h>
#include "locks.h"

static std::once_flag *flag;
static int tries;

extern "C" void call_once_begin(void) {
	delete flag;
	flag = new std::once_flag;
	tries = 0;
}

// Returns how often it has seen an exception.
extern "C" int64_t call_once_use(seam_coro *, void *) {
	for (int64_t seen = 0;; seen++)
		try {
			std::call_once(*flag, [] {
				usleep(5000);
				if (++tries < 4)
					throw std::runtime_error("not yet");
			});
			return seen;
		} catch (const std::runtime_error &) {
		}
}
