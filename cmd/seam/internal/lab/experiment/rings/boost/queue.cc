// A queue of boost::lockfree between two threads, for records of a size that is known when it
// is compiled. It is built when it is measured, and loaded.
#include <boost/lockfree/spsc_queue.hpp>

#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <sched.h>
#include <thread>
#include <vector>

namespace {

void pause(unsigned looks)
{
	if (looks % 4096 == 4095)
		sched_yield(); // a busy machine
#if defined(__x86_64__) || defined(__i386__)
	else
		__builtin_ia32_pause();
#elif defined(__aarch64__)
	else
		__asm__ volatile("isb");
#endif
}

struct queue {
	virtual ~queue() = default;
	virtual void send(long n, long together) = 0;
};

template <size_t size> struct record { unsigned char bytes[size]; };

template <size_t size> struct queue_of final : queue {
	boost::lockfree::spsc_queue<record<size>> q;
	alignas(128) std::atomic<long> taken{0};
	std::vector<record<size>> batch;
	alignas(128) std::mutex m;
	std::condition_variable changed;
	long sent = 0; // by m
	bool over = false;
	std::thread consumer;

	queue_of(size_t capacity, size_t together) : q(capacity / size), batch(together), consumer([this] { take(); }) {}

	~queue_of() override
	{
		{
			std::lock_guard<std::mutex> l(m);
			over = true;
		}
		changed.notify_one();
		consumer.join();
	}

	// due returns how many records there will be, when there are more than n, or n at the end.
	// Meanwhile it takes no processor, which something else is measured on.
	long due(long n)
	{
		std::unique_lock<std::mutex> l(m);
		changed.wait(l, [&] { return over || sent != n; });
		return sent;
	}

	// take looks at each record where it lies.
	void take()
	{
		long n = 0, until = 0;
		unsigned char sum = 0;
		for (unsigned looks = 0;;) {
			if (n == until && (until = due(n)) == n)
				break;
			size_t k = q.consume_all([&](const record<size> &r) { sum = static_cast<unsigned char>(sum + r.bytes[0]); });
			if (k == 0) {
				pause(looks++);
				continue;
			}
			looks = 0;
			n += static_cast<long>(k);
			taken.store(n, std::memory_order_release);
		}
		__asm__ volatile("" ::"r"(sum));
	}

	void push(const record<size> *r, size_t k)
	{
		for (unsigned looks = 0; k > 0;) {
			size_t done = q.push(r, k);
			r += done;
			k -= done;
			if (done == 0)
				pause(looks++);
		}
	}

	void send(long n, long together) override
	{
		long all;
		{
			std::lock_guard<std::mutex> l(m);
			all = sent += n;
		}
		changed.notify_one();
		size_t k = 0;
		for (long i = 1; i <= n; i++) {
			memset(batch[k++].bytes, static_cast<int>(i), size);
			if (k == static_cast<size_t>(together)) {
				push(batch.data(), k);
				k = 0;
			}
		}
		push(batch.data(), k);
		for (unsigned looks = 0; taken.load(std::memory_order_acquire) != all;)
			pause(looks++);
	}
};

template <size_t size> queue *make(size_t capacity, size_t together) { return new queue_of<size>(capacity, together); }

} // namespace

// seam_rings_boost_new returns nullptr where there is no memory, or no thread, or no such size.
extern "C" void *seam_rings_boost_new(size_t capacity, size_t size, long together)
{
	sigset_t all, old;
	queue *q = nullptr;
	// Signals are for Go's threads.
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	try {
		size_t k = static_cast<size_t>(together);
		switch (size) {
		case 8: q = make<8>(capacity, k); break;
		case 64: q = make<64>(capacity, k); break;
		case 1024: q = make<1024>(capacity, k); break;
		case 65536: q = make<65536>(capacity, k); break;
		}
	} catch (...) {
	}
	pthread_sigmask(SIG_SETMASK, &old, nullptr);
	return q;
}

extern "C" void seam_rings_boost_send(void *q, long n, long together) { static_cast<queue *>(q)->send(n, together); }

extern "C" void seam_rings_boost_free(void *q) { delete static_cast<queue *>(q); }
