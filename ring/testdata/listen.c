/* Who serves a path or dials it, for the tests, in C and, compiled as such, in C++:
 *
 *     serve PATH RECORDS     takes one connection, echoes so many records, and kills itself at the next
 *     dial PATH RECORDS      has so many echoed, and dials again when its peer has gone
 *     gives PATH RECORDS     appends so many, waits until its peer is gone, and prints how many that took
 *     collects PATH 0        takes one connection, and writes the first 4 bytes of each record to standard output
 *     places DIR 0           tries paths and limits that are not right
 *
 * dial prints how often it was connected. */
#include <seam/publish.h>

#include <stdlib.h>

static int failed(const char *what, int err, const char *error) {
	fprintf(stderr, "%s: %s: %s\n", what, seam_ring_strerror(err), error);
	return 1;
}

static int serve(const char *path, int records) {
	const void *rec;
	size_t n;
	int i, err;
#ifdef __cplusplus
	seam::ring_listener l;
	seam::ring_conn one;
	seam_ring_conn *c = &one.c;
	if ((err = l.listen(path)) != SEAM_RING_OK)
		return failed("listen", err, l.l.error);
	err = l.accept(one);
#else
	seam_ring_listener l;
	seam_ring_conn one, *c = &one;
	if ((err = seam_ring_listen(&l, path)) != SEAM_RING_OK)
		return failed("listen", err, l.error);
	err = seam_ring_accept(&l, c, NULL, -1);
#endif
	if (err != SEAM_RING_OK)
		return failed("accept", err, c->error);
	for (i = 0; i < records; i++)
		if ((err = seam_ring_next(&c->reader, &rec, &n, -1)) != SEAM_RING_OK || (err = seam_ring_send(&c->writer, rec, n, -1)) != SEAM_RING_OK)
			return failed("echo", err, "");
	err = seam_ring_next(&c->reader, &rec, &n, -1);
	raise(SIGKILL);
	return err;
}

static int dial(const char *path, int records) {
	const void *rec;
	size_t n;
	int i, err, connected = 0;
#ifdef __cplusplus
	seam::ring_conn one;
	seam_ring_conn *c = &one.c;
#else
	seam_ring_conn one, *c = &one;
	memset(c, 0, sizeof *c);
#endif
	for (i = 0; i < records;) {
		if (c->map == NULL) {
#ifdef __cplusplus
			err = seam::dial(one, path);
#else
			err = seam_ring_dial(c, path, NULL, -1);
#endif
			if (err != SEAM_RING_OK)
				return failed("dial", err, c->error);
			connected++;
		}
		if ((err = seam_ring_send(&c->writer, &i, sizeof i, -1)) == SEAM_RING_OK && (err = seam_ring_next(&c->reader, &rec, &n, -1)) == SEAM_RING_OK) {
			if (n != sizeof i || memcmp(rec, &i, n) != 0)
				return failed("another record came back", 0, "");
			i++;
		} else if (err == SEAM_RING_EGONE) {
			seam_ring_conn_abort(c);
		} else {
			return failed("echo", err, "");
		}
	}
	printf("%d\n", connected);
	seam_ring_conn_close(c);
	return 0;
}

static int collects(const char *path) {
	seam_ring_listener l;
	seam_ring_conn c;
	const void *rec;
	size_t n;
	int err = seam_ring_listen(&l, path);
	if (err != SEAM_RING_OK)
		return failed("listen", err, l.error);
	if ((err = seam_ring_accept(&l, &c, NULL, -1)) != SEAM_RING_OK)
		return failed("accept", err, c.error);
	while ((err = seam_ring_next(&c.reader, &rec, &n, -1)) == SEAM_RING_OK)
		if (write(1, rec, 4) != 4)
			return failed("write", 0, strerror(errno));
	if (err != SEAM_RING_END)
		return failed("next", err, "");
	seam_ring_conn_close(&c);
	seam_ring_listener_close(&l);
	return 0;
}

static int gives(const char *path, int records) {
	seam_ring_conn c;
	const void *rec;
	size_t n;
	int i, err = seam_ring_dial(&c, path, NULL, -1);
	if (err != SEAM_RING_OK)
		return failed("dial", err, c.error);
	for (i = 0; i < records && err == SEAM_RING_OK; i++)
		err = i % 2 ? seam_ring_append(&c.writer, path, (size_t)(i % 7), -1) : seam_ring_append_many(&c.writer, path, 3, 1, NULL, -1);
	if (err != SEAM_RING_OK || (err = seam_ring_flush(&c.writer)) != SEAM_RING_OK)
		return failed("give", err, "");
	if ((err = seam_ring_next(&c.reader, &rec, &n, -1)) != SEAM_RING_EGONE)
		return failed("the peer isn't gone", err, "");
	printf("%llu\n", (unsigned long long)seam_ring_taken(&c.writer));
	seam_ring_conn_close(&c);
	return 0;
}

#define REQUIRE(what, ok) do { if (!(ok)) return failed(what, err, said); } while (0)

static int places(const char *dir) {
	static char far[200];
	const char *bad[3] = {"", "@x", far}, *said = "";
	seam_ring_listener l;
	seam_ring_conn c;
	seam_ring_publisher p;
	seam_ring_subscriber s;
	struct rlimit few = {1 << 16, 1 << 16};
	int i, err = 0, pair[2];
	FILE *f;
	memset(far, 'x', sizeof far - 1);
	REQUIRE("chdir", chdir(dir) == 0);
	for (i = 0; i < 3; i++) {
		err = seam_ring_listen(&l, bad[i]);
		REQUIRE("listen there", err == SEAM_RING_EINVALID && strstr(said = l.error, i == 1 ? "abstract" : "from 1 to 107 bytes"));
		err = seam_ring_dial(&c, bad[i], NULL, 0);
		REQUIRE("dial there", err == SEAM_RING_EINVALID && strstr(said = c.error, i == 1 ? "abstract" : "from 1 to 107 bytes"));
		err = seam_ring_subscribe(&s, bad[i], NULL, 0);
		REQUIRE("subscribe there", err == SEAM_RING_EINVALID && strstr(said = s.error, i == 1 ? "abstract" : "from 1 to 107 bytes"));
	}
	REQUIRE("a lock is left", access("@x.lock", F_OK) != 0 && access(".lock", F_OK) != 0);
	REQUIRE("symlink", symlink("target", "link.lock") == 0);
	err = seam_ring_listen(&l, "link");
	REQUIRE("a lock that is a link", err == SEAM_RING_ESYSTEM && strstr(said = l.error, "link: ") && access("target", F_OK) != 0);
	err = seam_ring_listen(&l, "here");
	REQUIRE("listen", err == SEAM_RING_OK);
	REQUIRE("rename", rename("here", "there") == 0 && (f = fopen("here", "w")) != NULL && fclose(f) == 0);
	seam_ring_listener_close(&l);
	REQUIRE("a file that isn't its is removed", access("here", F_OK) == 0);
	REQUIRE("socketpair", socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) == 0);
	err = seam_ring_connect(&c, pair[0], NULL);
	REQUIRE("connect over packets", err == SEAM_RING_EINVALID && strstr(said = c.error, "another kind"));
	REQUIRE("setrlimit", setrlimit(RLIMIT_FSIZE, &few) == 0);
	err = seam_ring_publish(&p, "news", 1 << 20);
	REQUIRE("publish above the limit", err == SEAM_RING_ESYSTEM && strstr(said = p.error, "ulimit -f"));
	return 0;
}

int main(int argc, char **argv) {
	if (argc == 4 && !strcmp(argv[1], "serve"))
		return serve(argv[2], atoi(argv[3]));
	if (argc == 4 && !strcmp(argv[1], "dial"))
		return dial(argv[2], atoi(argv[3]));
	if (argc == 4 && !strcmp(argv[1], "collects"))
		return collects(argv[2]);
	if (argc == 4 && !strcmp(argv[1], "gives"))
		return gives(argv[2], atoi(argv[3]));
	if (argc == 4 && !strcmp(argv[1], "places"))
		return places(argv[2]);
	return 2;
}
