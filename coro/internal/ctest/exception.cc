//go:build cgo

#include <exception>
#include <stdexcept>
#include <string>

extern "C" {
#include "ctest.h"
}

// Waits inside a catch block, where the exception is alive, and in a destructor
// that runs because one is in flight.
namespace {
struct Waits {
	seam_coro *co;
	ctest_args *a;
	~Waits() {
		int before = std::uncaught_exceptions();
		seam_sleep(co, 20000);
		if (before != 1 || std::uncaught_exceptions() != 1)
			a->sum++;
	}
};
}

extern "C" int64_t ctest_exception(seam_coro *co, void *arg) {
	ctest_args *a = (ctest_args *)arg;
	for (int64_t i = 0; i < a->n; i++) {
		std::string text = "mine " + std::to_string(a->a) + " " + std::to_string(i);
		try {
			Waits w{co, a};
			throw std::runtime_error(text);
		} catch (const std::exception &) {
			try {
				seam_sleep(co, 20000);
				throw; // the one that is being handled, not another coroutine's
			} catch (const std::exception &e) {
				if (text != e.what())
					a->sum++;
			}
		}
		if (std::uncaught_exceptions() != 0 || std::current_exception())
			a->sum++;
	}
	return 0;
}
