//go:build cgo && linux && !android && (amd64 || arm64)

// std::call_once, whose function fails the first times: the next one tries again.
#include <atomic>
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

// A call waits for another thread's, which fails, and meanwhile one of another flag is made on the same thread.

static std::once_flag *failing, *other;
static std::atomic<int> step;

extern "C" int once_meets_begin(void) {
	delete failing;
	delete other;
	failing = new std::once_flag;
	other = new std::once_flag;
	step = 0;
	return 0;
}

extern "C" int once_meets_step(void) { return step; }

extern "C" int once_fails(void) {
	try {
		std::call_once(*failing, [] {
			step = 1;
			while (step < 3)
				usleep(1000);
			throw std::runtime_error("not here");
		});
	} catch (const std::runtime_error &) {
		return 1;
	}
	return 0;
}

extern "C" int64_t once_waits(seam_coro *, void *) {
	int64_t done = 0;
	step = 2;
	std::call_once(*failing, [&] { done += 1; });
	return done;
}

extern "C" int64_t once_meanwhile(seam_coro *, void *) {
	int64_t done = 0;
	std::call_once(*other, [&] { done += 10; });
	step = 3;
	return done;
}
