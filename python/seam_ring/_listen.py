"""Connections by a path: Listener and dial."""

import errno
import fcntl
import os
import select
import socket
import stat
import time

from ._conn import Conn
from ._ring import GoneError

_ABSENT = (errno.ENOENT, errno.ECONNREFUSED, errno.ECONNRESET, errno.EAGAIN)


def _path(path):
    """The path as a string, if a socket can be there that dial() finds in all languages."""
    path = os.fsdecode(path)
    if not 1 <= len(os.fsencode(path)) <= 107 or "\0" in path:
        raise ValueError("%r can't be a socket's path: that has from 1 to 107 bytes, and no zero" % path)
    if path[0] == "@":
        raise ValueError("%r would be an abstract socket, which any user may connect to: name a file (./%s)" % (path, path))
    return path


class Listener:
    """Listener(path, capacity=0, *, drop_oldest=False, untrusted=False) serves a path.

    It is that of a Unix socket, which is made, for processes of the same user (os.chmod lets
    others in), and of a file PATH.lock beside it. What a process that was killed left there is
    replaced; a path that another one serves is a ValueError. The options are those of Conn.serve,
    for each connection.
    """

    _socket, _lock = None, -1

    def __init__(self, path, capacity=0, *, drop_oldest=False, untrusted=False):
        if capacity and not (64 <= capacity <= 1 << 30 and capacity & (capacity - 1) == 0):
            raise ValueError("a capacity is a power of two from 64 to 2^30, not %r" % capacity)
        self._path, self._owner = _path(path), os.getpid()
        self._options = {"capacity": capacity, "drop_oldest": drop_oldest, "untrusted": untrusted}
        self._lock = os.open(self._path + ".lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            self._listen()
        except BaseException:
            self.close()
            raise

    def _listen(self):
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ValueError(
                "%s: another process serves it, or this one does already, or a child has it that one has forked"
                " (fuser %s.lock)" % (self._path, self._path)
            ) from None
        try:
            if not stat.S_ISSOCK(os.lstat(self._path).st_mode):
                raise ValueError("%s is there, and is no socket" % self._path)
            os.unlink(self._path)
        except FileNotFoundError:
            pass
        s = socket.socket(socket.AF_UNIX)
        try:
            os.fchmod(s.fileno(), 0o600)
            s.bind(self._path)
            self._made = os.lstat(self._path)
            s.listen(128)
            s.setblocking(False)
        except BaseException:
            s.close()
            raise
        self._socket = s

    def accept(self, timeout=None):
        """Waits for a peer, and returns a Conn. One that is silent has a second for its set-up; it,
        and one that doesn't fit, is passed over. TimeoutError: none came in time."""
        until = None if timeout is None else time.monotonic() + timeout
        while True:
            listening, sock = self._socket, None
            left = 0.1 if until is None else min(0.1, until - time.monotonic())
            try:
                if listening is not None:
                    p = select.poll()
                    p.register(listening, select.POLLIN)
                    p.poll(max(left, 0) * 1000)
                    sock = listening.accept()[0]
            except (BlockingIOError, ConnectionAbortedError):
                pass
            except (OSError, ValueError):
                if self._socket is not None:
                    raise
            if sock is None and self._socket is None:
                raise ValueError("the listener is closed")
            if sock is not None:
                sock.setblocking(True)
                try:
                    return Conn.serve(sock, timeout=1, **self._options)
                except (GoneError, RuntimeError, TimeoutError):
                    pass  # the peer knows why
            if until is not None and time.monotonic() >= until:
                raise TimeoutError("nobody came in time")

    def close(self):
        """Frees the path, and ends accept() of another thread within a tenth of a second. What else
        is at the path by now, as seen from this process's folder, stays. In a forked child it frees
        the copy."""
        s, self._socket = self._socket, None
        if s is not None:
            if self._owner == os.getpid():
                try:
                    if os.path.samestat(os.lstat(self._path), self._made):
                        os.unlink(self._path)
                except FileNotFoundError:
                    pass
            s.close()
        lock, self._lock = self._lock, -1
        if lock >= 0:
            os.close(lock)

    __del__ = close

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()


def dial(path, timeout=None, **options):
    """Connects to who serves a path, and returns a Conn. It waits for one, so it is also what to
    call when the peer has died. The options are those of Conn. TimeoutError: nobody in time."""
    path = _path(path)
    until = None if timeout is None else time.monotonic() + timeout
    wait = 0.001
    while True:
        sock = socket.socket(socket.AF_UNIX)
        try:
            sock.setblocking(False)
            sock.connect(path)
            sock.setblocking(True)
            return Conn(sock, timeout=None if until is None else max(until - time.monotonic(), 0.001), **options)
        except GoneError as e:
            why = e
        except OSError as e:
            if e.errno not in _ABSENT or isinstance(e, TimeoutError):
                raise
            why = e
        finally:
            sock.close()  # what a Conn has taken is no longer its
        if until is not None and time.monotonic() >= until:
            raise TimeoutError("no connection at %s: %s" % (path, why))
        time.sleep(wait if until is None else max(0, min(wait, until - time.monotonic())))
        wait = min(2 * wait, 0.1)
