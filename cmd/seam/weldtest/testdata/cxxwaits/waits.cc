#include "waits.h"
#include <atomic>
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <future>
#include <latch>
#include <mutex>
#include <semaphore>
#include <unistd.h>

// A static variable whose making waits: 1 if it was made once.
static std::atomic<int> made;
struct slow {
	int value;
	slow() {
		usleep(20000);
		value = ++made;
	}
};
int made_once(void) {
	static slow s;
	return s.value;
}

// It fails three times: then the next one makes it.
static std::atomic<int> tried;
struct fails {
	int value;
	fails() {
		usleep(5000);
		if (++tried <= 3)
			throw 7;
		value = tried;
	}
};
int made_after_throw(void) {
	for (;;)
		try {
			static fails f;
			return f.value;
		} catch (int) {
		}
}

static std::barrier<> *barrier;
static std::atomic<int> came;
void barrier_for(int n) { barrier = new std::barrier<>(n); }
int meet(int n, int rounds) {
	int wrong = 0;
	for (int i = 1; i <= rounds; i++) {
		came++;
		barrier->arrive_and_wait();
		wrong += came < i * n;
		usleep(i % 3 * 100);
	}
	return wrong;
}

static std::latch latch(1);
int latched(int last) {
	if (last)
		latch.count_down();
	latch.wait();
	return 1;
}

static std::counting_semaphore<1000> tokens(0);
int acquire(int ms) {
	if (ms)
		return tokens.try_acquire_for(std::chrono::milliseconds(ms));
	tokens.acquire();
	return 1;
}
void release(int n) { tokens.release(n); }

static std::atomic<long> value; // as wide as no futex
static std::atomic<int> waiting;
int wait_value(int old) {
	waiting++;
	value.wait(old);
	waiting--;
	return value != old;
}
void set_value(int v) {
	value = v;
	value.notify_all();
}
int waits_for_value(void) { return waiting; }

// A lock that is held over a wait, and a condition that never comes.
int guarded(int ms) {
	static std::mutex m;
	static std::condition_variable never;
	static std::timed_mutex timed;
	static int holders;
	std::unique_lock<std::mutex> l(m);
	int others = holders++;
	usleep(1000);
	holders--;
	if (never.wait_for(l, std::chrono::milliseconds(ms)) != std::cv_status::timeout)
		return 100;
	std::unique_lock<std::timed_mutex> t(timed, std::chrono::seconds(60));
	usleep(1000);
	return t.owns_lock() ? others : 200;
}

int future(int ms) {
	auto f = std::async(std::launch::async, [ms] {
		usleep(ms * 1000);
		return ms;
	});
	return f.get();
}

// Others throw while this one has its exception in hand.
int caught(int code, int ms) {
	try {
		try {
			usleep(ms * 1000);
			throw code;
		} catch (int) {
			usleep(ms * 1000);
			throw;
		}
	} catch (int c) {
		usleep(ms * 1000);
		return c;
	}
	return -1;
}
