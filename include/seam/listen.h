/* seam/listen.h: connections of rings by a path. C11 and C++17, header-only, Linux.
 *
 *     seam_ring_listener l;                    // who serves
 *     if (seam_ring_listen(&l, "/run/engine") != SEAM_RING_OK)
 *         die(l.error);
 *     while ((err = seam_ring_accept(&l, &c, NULL, -1)) == SEAM_RING_OK)
 *         serve(&c);                           // or hand it to a thread
 *     seam_ring_listener_close(&l);
 *
 *     seam_ring_conn c;                        // who connects, and waits until somebody serves
 *     if (seam_ring_dial(&c, "/run/engine", NULL, -1) != SEAM_RING_OK)
 *         die(c.error);
 *
 * The path is that of a Unix socket, for processes of the same user (chmod lets others in), and of
 * a file PATH.lock beside it. What a listener that was killed left there is replaced. ring.Listen and
 * ring.Dial do the same in Go, seam_ring.Listener and seam_ring.dial in Python.
 */
#ifndef SEAM_LISTEN_H
#define SEAM_LISTEN_H

#include <seam/ring.h>

#include <sys/file.h>
#include <sys/un.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
	int sock, lock; /* -1 when closed */
	int owner;      /* the process that listens */
	struct sockaddr_un at;
	dev_t dev; /* the socket's that is at the path */
	ino_t ino;
	char error[320]; /* what was wrong */
} seam_ring_listener;

/* seam_ring_close_ closes a descriptor that may be none. */
static inline void seam_ring_close_(int *fd) {
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* seam_ring_path_ is an address, or SEAM_RING_EINVALID if the path can't be one. Go takes what
 * begins with @ for an abstract socket, which any user may connect to. */
static inline int seam_ring_path_(struct sockaddr_un *at, const char *path, char *error, size_t room) {
	memset(at, 0, sizeof *at);
	at->sun_family = AF_UNIX;
	if (path[0] == 0 || strlen(path) >= sizeof at->sun_path) {
		snprintf(error, room, "ring: a socket's path has from 1 to %d bytes, and this one %d", (int)sizeof at->sun_path - 1, (int)strlen(path));
		return SEAM_RING_EINVALID;
	}
	if (path[0] == '@') {
		snprintf(error, room, "ring: a path that begins with @ would be an abstract socket, which any user may connect to: name a file (./@...)");
		return SEAM_RING_EINVALID;
	}
	memcpy(at->sun_path, path, strlen(path));
	return SEAM_RING_OK;
}

/* seam_ring_until_ is when a wait of timeout ms that begins now is over; 0: never. */
static inline int64_t seam_ring_until_(int timeout) { return timeout < 0 ? 0 : seam_ring_ms_() + timeout; }

/* seam_ring_listener_close frees the path: what else is there by now, as seen from this process's
 * folder, stays. In a forked child it frees the copy. */
static inline void seam_ring_listener_close(seam_ring_listener *l) {
	struct stat st;
	if (l->sock >= 0 && l->owner == (int)getpid() && lstat(l->at.sun_path, &st) == 0 && st.st_dev == l->dev && st.st_ino == l->ino)
		(void)unlink(l->at.sun_path);
	seam_ring_close_(&l->sock);
	seam_ring_close_(&l->lock);
}

static inline int seam_ring_listen_failed_(seam_ring_listener *l, const char *why, int err) {
	int no = errno;
	snprintf(l->error, sizeof l->error, "ring: %s: %s%s%s", l->at.sun_path, why, err == SEAM_RING_ESYSTEM ? ": " : "", err == SEAM_RING_ESYSTEM ? strerror(no) : "");
	seam_ring_listener_close(l);
	errno = no;
	return err;
}

/* seam_ring_listen makes the socket. listen_linux.go in package ring says how and why. If it fails
 * l->error says why. */
static inline int seam_ring_listen(seam_ring_listener *l, const char *path) {
	char beside[sizeof l->at.sun_path + 8];
	struct stat st;
	int sock, held;
	memset(l, 0, sizeof *l);
	l->sock = l->lock = -1;
	l->owner = (int)getpid();
	if (seam_ring_path_(&l->at, path, l->error, sizeof l->error) != SEAM_RING_OK)
		return SEAM_RING_EINVALID;
	snprintf(beside, sizeof beside, "%s.lock", path);
	if ((l->lock = open(beside, O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600)) < 0)
		return seam_ring_listen_failed_(l, "the file PATH.lock can't be opened", SEAM_RING_ESYSTEM);
	held = flock(l->lock, LOCK_EX | LOCK_NB) != 0;
	if (held && errno != EWOULDBLOCK)
		return seam_ring_listen_failed_(l, "PATH.lock can't be locked", SEAM_RING_ESYSTEM);
	if (held)
		return seam_ring_listen_failed_(l, "another process serves it, or this one does already, or a child has it that one has forked (fuser PATH.lock)", SEAM_RING_EINVALID);
	if (lstat(path, &st) == 0 && !S_ISSOCK(st.st_mode))
		return seam_ring_listen_failed_(l, "the path is there, and is no socket", SEAM_RING_EINVALID);
	(void)unlink(path); /* if that fails, bind does */
	if ((sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) < 0 || fchmod(sock, 0600) != 0 ||
	    bind(sock, (struct sockaddr *)(void *)&l->at, sizeof l->at) != 0 || listen(sock, 128) != 0) {
		int no = errno;
		seam_ring_close_(&sock);
		errno = no;
		return seam_ring_listen_failed_(l, "there can't be a socket at the path", SEAM_RING_ESYSTEM);
	}
	if (lstat(path, &st) == 0) {
		l->dev = st.st_dev;
		l->ino = st.st_ino;
	}
	l->sock = sock;
	return SEAM_RING_OK;
}

/* seam_ring_accept waits up to timeout ms for a peer, and makes the rings: seam_ring_serve. A peer
 * that is silent has a second for that, or options->timeout; it, and one that doesn't fit, is passed
 * over. SEAM_RING_EAGAIN: none came in time. */
static inline int seam_ring_accept(seam_ring_listener *l, seam_ring_conn *c, const seam_ring_options *options, int timeout) {
	seam_ring_options o;
	int64_t until = seam_ring_until_(timeout);
	memset(&o, 0, sizeof o);
	if (options != NULL)
		o = *options;
	if (o.timeout == 0)
		o.timeout = 1000;
	memset(c, 0, sizeof *c);
	c->sock = -1;
	for (;;) {
		struct pollfd p;
		int64_t left = until != 0 ? until - seam_ring_ms_() : SEAM_RING_ASK_MS_;
		int sock, err;
		if (l->sock < 0)
			return seam_ring_say_(c, SEAM_RING_ECLOSED, "the listener is closed");
		p.fd = l->sock;
		p.events = POLLIN;
		p.revents = 0;
		if (poll(&p, 1, left > SEAM_RING_ASK_MS_ ? SEAM_RING_ASK_MS_ : left > 0 ? (int)left : 0) < 0 && errno != EINTR)
			return seam_ring_broke_(c, "poll failed");
		sock = accept4(l->sock, NULL, NULL, SOCK_CLOEXEC);
		if (sock < 0 && errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
			return seam_ring_broke_(c, "no connection can be accepted");
		if (sock >= 0) {
			err = seam_ring_serve(c, sock, &o);
			if (err == SEAM_RING_OK || err == SEAM_RING_ESYSTEM || err == SEAM_RING_EINVALID)
				return err;
		}
		if (o.cancelled != NULL && o.cancelled(o.data))
			return seam_ring_say_(c, SEAM_RING_EAGAIN, "the wait was cancelled");
		if (until != 0 && seam_ring_ms_() >= until)
			return seam_ring_say_(c, SEAM_RING_EAGAIN, "nobody came in time");
	}
}

/* seam_ring_dial_at_ is a socket that is connected to who listens there, or -1: errno. */
static inline int seam_ring_dial_at_(const struct sockaddr_un *at, int flags) {
	int sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
	if (sock >= 0 && connect(sock, (const struct sockaddr *)(const void *)at, sizeof *at) != 0) {
		int no = errno;
		seam_ring_close_(&sock);
		errno = no;
	}
	return sock;
}

/* seam_ring_absent_ reports whether there may be somebody later who listens. */
static inline int seam_ring_absent_(int no) {
	return no == ENOENT || no == ECONNREFUSED || no == ECONNRESET || no == EAGAIN || no == EINTR;
}

/* seam_ring_dial connects to who listens at the path, and waits for that up to timeout ms: again
 * after a peer that has died, too. c->error says why it fails; SEAM_RING_EAGAIN: nobody in time. */
static inline int seam_ring_dial(seam_ring_conn *c, const char *path, const seam_ring_options *options, int timeout) {
	seam_ring_options o;
	struct sockaddr_un at;
	int64_t until = seam_ring_until_(timeout);
	int wait = 1;
	memset(&o, 0, sizeof o);
	if (options != NULL)
		o = *options;
	memset(c, 0, sizeof *c);
	c->sock = -1;
	if (seam_ring_path_(&at, path, c->error, sizeof c->error) != SEAM_RING_OK)
		return SEAM_RING_EINVALID;
	for (;;) {
		int64_t left;
		int sock = seam_ring_dial_at_(&at, SOCK_NONBLOCK), err;
		if (sock < 0 && !seam_ring_absent_(errno))
			return seam_ring_broke_(c, "the path can't be connected to");
		if (sock < 0) {
			(void)seam_ring_broke_(c, "nobody serves the path");
		} else {
			if (until != 0) {
				left = until - seam_ring_ms_();
				o.timeout = left > 1 ? (int)left : 1;
			}
			err = seam_ring_connect(c, sock, &o);
			if (err != SEAM_RING_EGONE) /* who ends during the set-up may come again */
				return err;
		}
		left = until != 0 ? until - seam_ring_ms_() : wait;
		if (left <= 0 || (o.cancelled != NULL && o.cancelled(o.data)))
			return SEAM_RING_EAGAIN;
		(void)poll(NULL, 0, left < wait ? (int)left : wait);
		wait = wait < 64 ? 2 * wait : 100;
	}
}

#ifdef __cplusplus
}

namespace seam {

/* A listener that closes by itself. */
class ring_listener {
public:
	seam_ring_listener l;

	ring_listener() { memset(&l, 0, sizeof l); l.sock = l.lock = -1; }
	~ring_listener() { close(); }
	ring_listener(const ring_listener &) = delete;
	ring_listener &operator=(const ring_listener &) = delete;

	int listen(const char *path) { close(); return seam_ring_listen(&l, path); }
	int accept(ring_conn &c, const seam_ring_options *o = nullptr, int timeout = -1) { return seam_ring_accept(&l, &c.c, o, timeout); }
	void close() { seam_ring_listener_close(&l); }
};

inline int dial(ring_conn &c, const char *path, const seam_ring_options *o = nullptr, int timeout = -1) { return seam_ring_dial(&c.c, path, o, timeout); }

} // namespace seam
#endif
#endif
