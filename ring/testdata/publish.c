/* A publisher or subscriber for the tests, in C and, compiled as such, in C++:
 *
 *     publish PATH CAPACITY READERS RECORDS close|abort|killed
 *     subscribe PATH history|now
 *     pour PATH READERS RECORDS TOGETHER
 *     drink PATH
 *
 * It subscribes to the end, and prints how many records it got and lost. For benchmarks it pours
 * records of 64 bytes, and prints the ns for each, and who drinks the ns of its processor for each that
 * it got, and how many those are. */
#include <seam/publish.h>

#include <stdio.h>
#include <time.h>

static unsigned char bytes[320];

/* news is news() of the tests in Go. */
static size_t news(uint64_t number) {
	size_t i, n = number % 301;
	memcpy(bytes, &number, 8);
	for (i = 0; i < n; i++)
		bytes[8 + i] = (unsigned char)(number + i);
	return 8 + n;
}

static int failed(const char *what, int err, const char *error) {
	fprintf(stderr, "%s: %s: %s\n", what, seam_ring_strerror(err), error);
	return 1;
}

static int publish(char **arg) {
	uint64_t i, records = strtoull(arg[3], NULL, 10);
	int err, readers = atoi(arg[2]), opened;
#ifdef __cplusplus
	seam::ring_publisher one;
	seam_ring_publisher *p = &one.p;
	opened = one.publish(arg[0], strtoull(arg[1], NULL, 10));
#else
	seam_ring_publisher one, *p = &one;
	opened = seam_ring_publish(p, arg[0], strtoull(arg[1], NULL, 10));
#endif
	if (opened != SEAM_RING_OK)
		return failed("publish", opened, p->error);
	while (p->subscribers < readers)
		if ((err = seam_ring_publisher_tend(p, 1000)) != SEAM_RING_OK)
			return failed("tend", err, p->error);
	for (i = 1; i <= records; i++) {
		size_t n = news(i);
		err = seam_ring_publisher_append(p, bytes, n);
		if (err == SEAM_RING_OK && i % 16 == 0)
			err = seam_ring_publisher_flush(p);
		if (err != SEAM_RING_OK)
			return failed("append", err, p->error);
		if (i % 1024 == 0)
			usleep(100);
	}
	if (!strcmp(arg[4], "killed")) {
		(void)seam_ring_publisher_flush(p);
		raise(SIGKILL);
	}
#ifdef __cplusplus
	if (!strcmp(arg[4], "close"))
		one.close();
#else
	if (!strcmp(arg[4], "close"))
		seam_ring_publisher_close(p);
	seam_ring_publisher_abort(p); /* does nothing more after close */
#endif
	return 0;
}

static int subscribe(char **arg) {
	seam_ring_subscribe_options o;
	seam_ring_publication rec;
	uint64_t got = 0, lost = 0, last = 0, life = 0;
	int err;
	memset(&o, 0, sizeof o);
	o.history = !strcmp(arg[1], "history");
#ifdef __cplusplus
	seam::ring_subscriber one;
	seam_ring_subscriber *s = &one.s;
	err = one.subscribe(arg[0], &o);
#else
	seam_ring_subscriber one, *s = &one;
	err = seam_ring_subscribe(s, arg[0], &o, -1);
#endif
	if (err != SEAM_RING_OK)
		return failed("subscribe", err, s->error);
	while ((err = seam_ring_subscriber_next(s, &rec, -1)) == SEAM_RING_OK) {
		size_t n = news(rec.number);
		if (n != rec.size || memcmp(bytes, rec.data, n) != 0)
			return failed("a record isn't what was published", 0, "");
		if (rec.life == life ? rec.number != last + rec.lost + 1 : rec.number > rec.lost + 1)
			return failed("numbers that don't fit", 0, "");
		life = rec.life;
		last = rec.number;
		got++;
		lost += rec.lost;
	}
	if (err != SEAM_RING_END)
		return failed("next", err, s->error);
	if (lost > seam_ring_subscriber_lost(s))
		return failed("more lost than there was", 0, "");
	printf("%llu %llu\n", (unsigned long long)got, (unsigned long long)seam_ring_subscriber_lost(s));
#ifndef __cplusplus
	seam_ring_subscriber_close(s);
#endif
	return 0;
}

static int pour(char **arg) {
	seam_ring_publisher p;
	uint64_t i, records = strtoull(arg[2], NULL, 10), together = strtoull(arg[3], NULL, 10);
	int64_t begin;
	int readers = atoi(arg[1]), err = seam_ring_publish(&p, arg[0], 0);
	while (err == SEAM_RING_OK && p.subscribers < readers)
		err = seam_ring_publisher_tend(&p, 1000);
	begin = seam_ring_ns_();
	for (i = 1; i <= records && err == SEAM_RING_OK; i++)
		if ((err = seam_ring_publisher_append(&p, bytes, 64)) == SEAM_RING_OK && i % together == 0)
			err = seam_ring_publisher_flush(&p);
	begin = seam_ring_ns_() - begin;
	if (err != SEAM_RING_OK)
		return failed("pour", err, p.error);
	printf("%f\n", (double)begin / (double)records);
	seam_ring_publisher_close(&p);
	return 0;
}

static int drink(const char *path) {
	seam_ring_subscriber s;
	seam_ring_publication rec;
	struct timespec cpu;
	uint64_t got = 0;
	int err = seam_ring_subscribe(&s, path, NULL, -1);
	while (err == SEAM_RING_OK && (err = seam_ring_subscriber_next(&s, &rec, -1)) == SEAM_RING_OK)
		got++;
	if (err != SEAM_RING_END)
		return failed("drink", err, s.error);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
	printf("%f %llu\n", ((double)cpu.tv_sec * 1e9 + (double)cpu.tv_nsec) / (double)(got != 0 ? got : 1), (unsigned long long)got);
	seam_ring_subscriber_close(&s);
	return 0;
}

int main(int argc, char **argv) {
	if (argc == 7 && !strcmp(argv[1], "publish"))
		return publish(argv + 2);
	if (argc == 4 && !strcmp(argv[1], "subscribe"))
		return subscribe(argv + 2);
	if (argc == 6 && !strcmp(argv[1], "pour"))
		return pour(argv + 2);
	if (argc == 3 && !strcmp(argv[1], "drink"))
		return drink(argv[2]);
	return 2;
}
