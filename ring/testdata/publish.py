"""A publisher or subscriber of the tests: publish.c and listen.c in Python, and what only Python has.

publish PATH CAPACITY READERS RECORDS close|killed, subscribe PATH history|now, rules PATH,
serve PATH RECORDS, dial PATH RECORDS, listens PATH, gives PATH RECORDS, or places DIR 0
"""

import os
import resource
import signal
import sys
import threading
import time

import seam_ring


def news(number):
    return number.to_bytes(8, "little") + bytes((number + i) & 255 for i in range(number % 301))


def publish(path, capacity, readers, records, end):
    with seam_ring.Publisher(path, int(capacity)) as p:
        while p.subscribers < int(readers):
            p.tend(1)
        for i in range(1, int(records) + 1):
            p.append(news(i))
            if i % 16 == 0:
                p.flush()
        assert p.number == int(records)
        if end == "killed":
            p.flush()
            os.kill(os.getpid(), signal.SIGKILL)


def subscribe(path, how):
    got = told = last = life = 0
    with seam_ring.Subscriber(path, history=how == "history") as s:
        for rec in s:
            assert rec.data == news(rec.number), rec
            assert rec.number == last + rec.lost + 1 if rec.life == life else rec.number <= rec.lost + 1, (rec, last)
            got, told, last, life = got + 1, told + rec.lost, rec.number, rec.life
        assert told <= s.lost
        print(got, s.lost)


def raises(kind, f, *args, **kw):
    try:
        f(*args, **kw)
    except kind as e:
        return str(e)
    raise AssertionError("no %s" % kind.__name__)


def rules(path):
    assert path in raises(TimeoutError, seam_ring.Subscriber, path, timeout=0.05)
    raises(ValueError, seam_ring.Publisher, path, 100)
    p = seam_ring.Publisher(path, 1 << 10)
    assert "another process" in raises(ValueError, seam_ring.Publisher, path)
    assert "it may have 496" in raises(ValueError, p.send, bytes(497))
    p.send(b"one")
    p.send(bytearray(b"two"))

    def tending():  # nothing runs by itself
        while not ended.is_set():
            p.tend(0.01)

    ended = threading.Event()
    thread = threading.Thread(target=tending)
    thread.start()
    try:
        s = seam_ring.Subscriber(path, history=True)
        rec = s.next()
        assert rec == (b"one", 1, 0, rec.life) and s.next(1).data == b"two"
        raises(TimeoutError, s.next, 0)
        raises(TimeoutError, s.next, timeout=0.02)
        again = seam_ring.Subscriber(path, life=rec.life, number=1)
        assert again.next().number == 2 and again.lost == 0

        class Interrupt(Exception):
            pass

        def interrupt(*_):
            raise Interrupt

        def wait():
            signal.setitimer(signal.ITIMER_REAL, 0.02)
            s.next()

        signal.signal(signal.SIGALRM, interrupt)
        raises(Interrupt, wait)

        # close() ends a next() of another thread.
        said = []
        reader = threading.Thread(target=lambda: said.append(raises(ValueError, s.next)))
        reader.start()
        time.sleep(0.02)
        s.close()
        reader.join()
        assert said == ["it is closed"], said
        raises(ValueError, s.next)
    finally:
        ended.set()
        thread.join()

    # A child closes its copies, and the parent's go on.
    child = os.fork()
    if child == 0:
        code = 1
        try:
            raises(seam_ring.ForkedError, p.send, b"")
            raises(seam_ring.ForkedError, again.next)
            p.close()
            again.close()
            code = 0
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
    p.send(b"three")
    assert again.next().data == b"three"

    # An exception isn't an end.
    def fails():
        with p:
            p.send(b"four")
            raise KeyError

    raises(KeyError, fails)
    assert not os.path.exists(path)
    assert again.next().data == b"four"
    raises(TimeoutError, again.next, 0.02)
    with seam_ring.Publisher(path) as p:
        p.send(b"five")
        while p.subscribers == 0:
            raises(TimeoutError, again.next, 0)
            p.tend()
    assert again.next()[:3] == (b"five", 1, 0)
    raises(EOFError, again.next)


def serve(path, records):
    with seam_ring.Listener(path) as listener, listener.accept() as conn:
        for _ in range(int(records)):
            conn.send(conn.next())
        conn.next()
        os.kill(os.getpid(), signal.SIGKILL)


def dial(path, records):
    i, connected, conn = 0, 0, None
    while i < int(records):
        if conn is None:
            conn = seam_ring.dial(path)
            connected += 1
        try:
            conn.send(i.to_bytes(4, "little"))
            assert bytes(conn.next()) == i.to_bytes(4, "little")
            i += 1
        except seam_ring.GoneError:
            conn.close()
            conn = None
    print(connected)
    conn.close()


def gives(path, records):
    with seam_ring.dial(path) as conn:
        for i in range(int(records)):
            conn.append(bytes(i % 7))
        conn.flush()
        raises(seam_ring.GoneError, conn.next)
        now = conn.taken
    assert conn.taken == now
    print(now)


def places(directory, _):
    os.chdir(directory)
    for path in "", "@x", "a\0b", "x" * 200, b"@x":
        for f in seam_ring.Listener, seam_ring.dial:
            assert "path" in raises(ValueError, f, path) or path[1:] in ("x", b"x"), path
    raises(TypeError, seam_ring.Listener, "p", untrust=True)
    raises(ValueError, seam_ring.Listener, "p", 100)
    assert os.listdir() == []
    os.symlink("target", "link.lock")
    raises(OSError, seam_ring.Listener, "link")
    assert not os.path.exists("target")
    listener = seam_ring.Listener(b"here")
    os.rename("here", "there")
    open("here", "w").close()
    del listener
    assert os.path.exists("here")
    os.unlink("here")
    resource.setrlimit(resource.RLIMIT_NOFILE, (1200, 1200))  # more than select() can have
    while os.dup(2) < 1100:
        pass
    with seam_ring.Listener("here") as listener:
        raises(TimeoutError, listener.accept, 0.01)
    assert not os.path.exists("here")


def listens(path):
    assert path in raises(TimeoutError, seam_ring.dial, path, 0.02)
    with seam_ring.Listener(path, 1 << 12) as listener:
        assert os.stat(path).st_mode & 0o777 == 0o600
        raises(TimeoutError, listener.accept, 0.02)
        raises(TimeoutError, seam_ring.dial, path, 0.02)  # who is there doesn't accept
        assert "who accepts connections is none" in raises(TimeoutError, seam_ring.Subscriber, path, timeout=0.05)
        for publishes in seam_ring.Listener, seam_ring.Publisher:
            assert "another process" in raises(ValueError, publishes, path)
        said = []
        accepting = threading.Thread(target=lambda: said.append(raises(ValueError, listener.accept)))
        accepting.start()
        time.sleep(0.02)
        listener.close()
        accepting.join()
        assert said == ["the listener is closed"], said
    assert not os.path.exists(path)
    with open(path, "w"):
        assert "no socket" in raises(ValueError, seam_ring.Listener, path)
    os.unlink(path)


globals()[sys.argv[1]](*sys.argv[2:])
