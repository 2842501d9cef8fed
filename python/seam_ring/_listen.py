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


class Listener:
    """Listener(path, capacity=0, *, drop_oldest=False, untrusted=False) serves a path.

    It is that of a Unix socket, which is made, for processes of the same user (os.chmod lets
    others in), and of a file PATH.lock beside it. What a process that was killed left there is
    replaced; a path that another one serves is a ValueError. The options are those of Conn.serve,
    for each connection.
    """

    def __init__(self, path, capacity=0, **options):
        self._path, self._options, self._owner = os.fspath(path), dict(options, capacity=capacity), os.getpid()
        self._socket = None
        self._lock = os.open(self._path + ".lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        try:
            self._listen()
        except BaseException:
            self.close()
            raise

    def _listen(self):
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ValueError("%s: another process serves it, or this one does already" % self._path) from None
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
            if self._socket is None:
                raise ValueError("the listener is closed")
            left = 0.1 if until is None else min(0.1, until - time.monotonic())
            select.select([self._socket], [], [], max(left, 0))
            try:
                sock = self._socket.accept()[0] if self._socket is not None else None
            except (BlockingIOError, ConnectionAbortedError):
                sock = None
            if sock is not None:
                sock.setblocking(True)
                try:
                    return Conn.serve(sock, timeout=1, **self._options)
                except (GoneError, RuntimeError, TimeoutError):
                    pass  # the peer knows why
            if until is not None and time.monotonic() >= until:
                raise TimeoutError("nobody came in time")

    def close(self):
        """Frees the path, and ends accept() of another thread within a tenth of a second. In a
        forked child it frees the copy."""
        s, self._socket = self._socket, None
        if s is not None:
            if self._owner == os.getpid():
                try:
                    os.unlink(self._path)
                except FileNotFoundError:
                    pass
            s.close()
        lock, self._lock = self._lock, -1
        if lock >= 0:
            os.close(lock)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()


def dial(path, timeout=None, **options):
    """Connects to who serves a path, and returns a Conn. It waits for one, so it is also what to
    call when the peer has died. The options are those of Conn. TimeoutError: nobody in time."""
    until = None if timeout is None else time.monotonic() + timeout
    wait = 0.001
    while True:
        sock = socket.socket(socket.AF_UNIX)
        try:
            sock.setblocking(False)
            sock.connect(os.fspath(path))
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
            raise TimeoutError("nobody serves %s: %s" % (path, why))
        time.sleep(wait if until is None else max(0, min(wait, until - time.monotonic())))
        wait = min(2 * wait, 0.1)
