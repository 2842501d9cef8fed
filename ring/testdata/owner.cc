// The other process of the tests of who owns a connection, in C++. Usage: owner ROLE [N]. The
// socket is descriptor 3; roles that make both ends themselves don't have it.
#include <seam/ring.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <thread>

static void check(bool ok, const char *what, int n = 0) {
	if (ok)
		return;
	fprintf(stderr, "owner %d: %s: %d, %s\n", getpid(), what, n, seam_ring_strerror(n));
	_exit(1);
}

static void send(seam_ring_conn &c, const std::string &s) {
	int err = seam_ring_send(&c.writer, s.data(), s.size(), -1);
	check(err == SEAM_RING_OK, "send", err);
}

// What people write: closes however it is left.
struct closes {
	seam_ring_conn &c;
	~closes() { seam_ring_conn_close(&c); }
};

// lives on until the test has seen what it wants.
static void wait_for_stdin() {
	char b;
	while (read(0, &b, 1) > 0) {
	}
}

static int wait_for(pid_t pid) {
	int status;
	while (waitpid(pid, &status, 0) < 0) {
	}
	return status;
}

template <class F> static pid_t forked(F f) {
	pid_t pid = fork();
	if (pid == 0) {
		f();
		_exit(0);
	}
	return pid;
}

static int connected(const std::string &role, seam_ring_conn &c) {
	if (role == "aborts") {
		send(c, "one");
		check(seam_ring_append(&c.writer, "two", 3, -1) == SEAM_RING_OK, "append");
		seam_ring_conn_abort(&c);
		seam_ring_conn_close(&c); // does nothing
	} else if (role == "aborts-records") {
		send(c, "one");
		seam_ring_abort_records(&c.writer);
		seam_ring_end_of_records(&c.writer); // too late
		int err = seam_ring_send(&c.writer, "x", 1, 0);
		check(err == SEAM_RING_END, "send after the abort", err);
		const void *p;
		size_t n;
		err = seam_ring_next(&c.reader, &p, &n, -1); // the other direction goes on
		check(err == SEAM_RING_OK && n == 4, "next", err);
		seam_ring_conn_close(&c);
	} else if (role == "ends-then-aborts") {
		send(c, "one");
		seam_ring_end_of_records(&c.writer);
		seam_ring_conn_abort(&c); // the records were complete
	} else if (role == "throws") {
		try {
			closes guard{c};
			send(c, "one");
			throw std::runtime_error("disk full");
		} catch (const std::runtime_error &) {
		}
	} else if (role == "throws-in-child") {
		pid_t child = forked([&] {
			try {
				closes guard{c};
				throw std::runtime_error("in the child");
			} catch (const std::runtime_error &) {
			}
		});
		check(wait_for(child) == 0, "the child");
		send(c, "one");
		seam_ring_conn_close(&c);
	} else if (role == "forks-and-closes") {
		check(wait_for(forked([&] { seam_ring_conn_close(&c); })) == 0, "the child");
		check(wait_for(forked([&] { seam_ring_conn_abort(&c); })) == 0, "the child");
		check(wait_for(forked([&] { seam_ring_conn_abandon(&c); })) == 0, "the child");
		check(wait_for(forked([&] { seam_ring_end_of_records(&c.writer); })) == 0, "the child");
		check(wait_for(forked([&] { seam_ring_abort_records(&c.writer); })) == 0, "the child");
		send(c, "one");
		seam_ring_conn_close(&c);
	} else if (role == "forks-and-uses") {
		check(seam_ring_append(&c.writer, "mine", 4, -1) == SEAM_RING_OK, "append");
		pid_t child = forked([&] {
			const void *p;
			size_t n;
			void *room;
			int err = seam_ring_send(&c.writer, "hers", 4, -1);
			check(err == SEAM_RING_EFORKED, "send in a child", err);
			err = seam_ring_reserve(&c.writer, 4, &room, -1);
			check(err == SEAM_RING_EFORKED, "reserve in a child", err);
			err = seam_ring_append_many(&c.writer, "ab", 1, 2, nullptr, -1);
			check(err == SEAM_RING_EFORKED, "append_many in a child", err);
			err = seam_ring_flush(&c.writer);
			check(err == SEAM_RING_EFORKED, "flush in a child", err);
			err = seam_ring_next(&c.reader, &p, &n, -1);
			check(err == SEAM_RING_EFORKED, "next in a child", err);
			check(!seam_ring_arm_reader(&c.reader) && !seam_ring_arm_writer(&c.writer), "armed in a child");
			seam_ring_release(&c.reader);
			seam_ring_disarm(&c.reader.e);
			seam_ring_conn_close(&c);
		});
		check(wait_for(child) == 0, "the child");
		check(seam_ring_flush(&c.writer) == SEAM_RING_OK, "flush");
		seam_ring_conn_close(&c);
	} else if (role == "daemon") {
		send(c, "one");
		if (fork() != 0)
			_exit(0);
		setsid();
		if (fork() != 0)
			_exit(0);
		send(c, "two");
		seam_ring_conn_close(&c);
	} else if (role == "adopts") {
		send(c, "one");
		int ready[2];
		check(pipe(ready) == 0, "pipe");
		for (int i = 0; i < 2; i++) {
			pid_t child = forked([&] {
				int err = seam_ring_conn_adopt(&c);
				if (i == 0) {
					check(err == SEAM_RING_OK, "adopt", err);
					send(c, "two");
					seam_ring_conn_close(&c);
				} else {
					check(err == SEAM_RING_EFORKED, "adopt what another child has", err);
				}
			});
			check(wait_for(child) == 0, "the child");
		}
		seam_ring_conn_abandon(&c);
	} else if (role == "two-writers") {
		send(c, "one");
		check(wait_for(forked([&] {
			check(seam_ring_conn_adopt(&c) == SEAM_RING_OK, "adopt");
			send(c, "two");
			seam_ring_conn_abandon(&c);
		})) == 0, "the child");
		int err = seam_ring_send(&c.writer, "three", 5, -1); // which a child's record is overwritten by
		check(err == SEAM_RING_ECORRUPT, "send beside an adopter", err);
		seam_ring_conn_close(&c);
	} else if (role == "helper") { // starts one that reads descriptor 0, and crashes
		pid_t pid = fork();
		if (pid == 0) {
			execl("/bin/cat", "cat", nullptr);
			_exit(127);
		}
		send(c, "one");
		signal(SIGABRT, SIG_DFL);
		_exit(3);
	} else if (role == "stops") {
		std::thread reader([&] {
			const void *p;
			size_t n;
			int err = seam_ring_next(&c.reader, &p, &n, -1);
			check(err == SEAM_RING_ECLOSED, "next when stopped", err);
		});
		std::thread writer([&] {
			int err = SEAM_RING_OK;
			while (err == SEAM_RING_OK)
				err = seam_ring_send(&c.writer, "x", 1, -1);
			check(err == SEAM_RING_ECLOSED, "send when stopped", err);
		});
		while (!(__atomic_load_n(&c.writer.e.mine->state, __ATOMIC_SEQ_CST) & __atomic_load_n(&c.reader.e.mine->state, __ATOMIC_SEQ_CST) & SEAM_RING_WAITS_))
			usleep(100);
		seam_ring_conn_stop(&c);
		reader.join();
		writer.join();
		seam_ring_conn_close(&c);
		return 0;
	} else if (role == "duplex") { // a reading and a writing thread, both of which have to sleep
		const int records = 20000;
		seam_ring_spins(&c.reader.e, 0);
		seam_ring_spins(&c.writer.e, 0);
		std::thread reader([&] {
			for (int i = 0; i < records; i++) {
				const void *p;
				size_t n;
				int got, err = seam_ring_next(&c.reader, &p, &n, -1);
				check(err == SEAM_RING_OK && n == 100, "next", err);
				memcpy(&got, p, sizeof got);
				check(got == i, "another record", got);
			}
		});
		char rec[100] = {};
		for (int i = 0; i < records; i++) {
			memcpy(rec, &i, sizeof i);
			int err = seam_ring_send(&c.writer, rec, sizeof rec, -1);
			check(err == SEAM_RING_OK, "send", err);
		}
		reader.join();
		seam_ring_conn_close(&c);
		return 0;
	} else if (role == "holds") { // keeps the connection until it is told
		send(c, "one");
		wait_for_stdin();
		seam_ring_conn_close(&c);
		return 0;
	} else {
		check(false, "no such role");
	}
	wait_for_stdin();
	return 0;
}

// Throws at a random place of a random function, round by round: the reader gets what was sent,
// and the end only if nothing was thrown.
static void tortures(int rounds) {
	std::mt19937 random(rounds);
	for (int round = 0; round < rounds; round++) {
		int sv[2];
		check(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | (round % 2 ? SOCK_NONBLOCK : 0), 0, sv) == 0, "socketpair");
		seam_ring_options o = {};
		o.capacity = 256;
		o.untrusted = round % 3 == 0;
		std::atomic<int> sent{0};
		bool threw = false, raii = random() % 2, early = false;
		unsigned where = random() % 40, how = random() % 3;
		std::thread writer([&] {
			try {
				seam::ring_conn mine;
				int err = mine.serve(sv[0], &o);
				check(err == SEAM_RING_OK, mine.c.error, err);
				seam_ring_conn plain;
				if (!raii) {
					plain = mine.c;
					mine.c.map = nullptr; // it has moved
				}
				seam_ring_conn &c = raii ? mine.c : plain;
				struct guard {
					seam_ring_conn *c;
					~guard() {
						if (c != nullptr)
							seam_ring_conn_close(c);
					}
				} g{raii ? nullptr : &plain};
				for (unsigned i = 0; i < 30; i++) {
					void *room;
					err = seam_ring_reserve(&c.writer, 1 + i, &room, -1);
					check(err == SEAM_RING_OK, "reserve", err);
					if (i == where && how == 0)
						throw std::runtime_error("reserved");
					if (i == where && how == 1 && raii) {
						early = true;
						return;
					}
					memset(room, (int)i, 1 + i);
					check(seam_ring_commit(&c.writer, 1 + i) == SEAM_RING_OK, "commit");
					if (i == where && how == 2)
						throw std::runtime_error("committed");
					err = seam_ring_flush(&c.writer);
					check(err == SEAM_RING_OK, "flush", err);
					sent++;
				}
				if (raii)
					mine.close();
			} catch (const std::runtime_error &) {
				threw = true;
			}
		});
		seam_ring_conn c;
		int got = 0, err = seam_ring_connect(&c, sv[1], nullptr);
		check(err == SEAM_RING_OK, c.error, err);
		const void *p;
		size_t n;
		while ((err = seam_ring_next(&c.reader, &p, &n, -1)) == SEAM_RING_OK)
			got++;
		writer.join();
		/* A writer that has to wait for room publishes by itself, so one more may be there. */
		check(got == sent || (threw && how == 2 && got == sent + 1), "records that were sent", got);
		check(err == (threw || early ? SEAM_RING_EGONE : SEAM_RING_END), "the end", err);
		seam_ring_conn_close(&c);
	}
}

int main(int argc, char **argv) {
	std::string role = argc > 1 ? argv[1] : "";
	int n = argc > 2 ? atoi(argv[2]) : 0;
	signal(SIGPIPE, SIG_IGN);
	if (role == "tortures") {
		tortures(n);
		return 0;
	}
	if (role == "raii-returns" || role == "raii-closes") {
		{
			seam::ring_conn c;
			check(c.connect(3) == SEAM_RING_OK, c.c.error);
			send(c.c, "one");
			if (role == "raii-closes")
				c.close();
		}
		wait_for_stdin();
		return 0;
	}
	if (n == 1) // the socket doesn't block
		fcntl(3, F_SETFL, O_NONBLOCK);
	seam_ring_conn c;
	int err = seam_ring_connect(&c, 3, nullptr);
	check(err == SEAM_RING_OK, c.error, err);
	return connected(role, c);
}
