"""The other process of the tests in Python. Usage: peer.py ROLE, with the socket as descriptor 3."""

import asyncio
import gc
import os
import pickle
import signal
import socket
import sys
import threading
import time

import seam_ring


def echo(conn):
    for rec in conn:
        conn.send(rec)


def in_place(conn):
    for rec in conn:
        n = len(rec)
        room = conn.reserve(n + 3)
        room[:n] = rec
        conn.commit(n)
        conn.flush()


def batches(conn):
    for rec in conn:
        conn.append(rec)
        if rec[:1] in (b"", b"\x00"):  # a record without bytes, or one that begins with 0
            conn.flush()
    conn.flush()


def sleeping(conn):
    conn.spins(0)
    echo(conn)


async def async_echo(conn):
    while True:
        try:
            rec = await conn.anext()
        except EOFError:
            return
        await conn.asend(rec)


async def both_directions(conn):
    """Reads and writes in two tasks, more than the rings hold."""
    got = []

    async def read():
        while len(got) < 200:
            got.append(bytes(await conn.anext()))

    async def write():
        for i in range(200):
            await conn.asend(bytes([i]) * 100)

    await asyncio.gather(read(), write())
    for i in range(200):
        assert got[i] == bytes([i]) * 100, i


def raises(kind, f, *args):
    try:
        f(*args)
    except kind:
        return
    raise AssertionError("no %s from %s%s" % (kind.__name__, f.__name__, args))


def rules(conn):
    """What the documentation says of views, timeouts and ends."""
    raises(TimeoutError, conn.next, 0.01)
    raises(ValueError, conn.next, -1)
    conn.send(b"begin")
    first = conn.next()
    assert bytes(first) == b"one" and first.readonly
    second = conn.next()
    raises(ValueError, lambda: first[0])  # released
    part = second[1:]
    third = conn.next()
    raises(ValueError, lambda: second[0])  # released, but what was made of it is not
    array = pickle.PickleBuffer(third)  # as one of numpy does
    assert conn.try_next() is None
    assert bytes(part) == b"wo" and bytes(array) == b"three"
    part.release()
    array.release()
    assert conn.try_next() is None
    raises(ValueError, conn.reserve, 1 << 20)
    raises(ValueError, conn.reserve, -1)
    room = conn.reserve(10)
    assert not room.readonly and len(room) == 10
    room[:4] = b"four"
    raises(ValueError, conn.commit, 11)
    conn.commit(4)
    raises(ValueError, conn.commit, 1)
    conn.flush()
    # Two threads in one end.
    waits = threading.Thread(target=conn.next)
    waits.start()
    while True:
        try:
            conn.next(0.001)
        except TimeoutError:
            continue
        except RuntimeError:
            break
    assert conn.dropped == (0, 0) and not conn.drops and conn.fileno() >= 0  # no matter who is in a call
    conn.send(b"go on")
    waits.join()
    raises(EOFError, conn.next)
    kept = conn.reserve(3)
    keeps = kept[:1]
    raises(BufferError, conn.commit, 3)  # it could be changed after the peer has it
    conn.end()
    del conn, kept
    gc.collect()
    keeps[0] = 1  # the memory is still there


def arrays(conn):
    """Records in a plain loop, in which what was made of the last one is still there."""
    n = 0
    for rec in conn:
        array = pickle.PickleBuffer(rec)
        assert bytes(array) == n.to_bytes(4, "little") * 25, n
        n += 1
    assert n == 1000
    conn.send(b"all")


def hoards(conn):
    """Keeps records until they fill the ring."""
    kept = []
    try:
        while True:
            kept.append(pickle.PickleBuffer(conn.next()))
    except BufferError:
        pass
    for n, array in enumerate(kept):
        assert bytes(array) == n.to_bytes(4, "little") * 25, n
    assert len(kept) > 10
    n = len(kept)
    del kept, array
    for rec in conn:
        assert bytes(rec) == n.to_bytes(4, "little") * 25, n
        n += 1
    assert n == 1000
    conn.send(b"all")


def ends(conn, how):
    """Sends two records, commits one, and leaves in some way. The process goes on to live."""
    conn.send(b"one")
    conn.send(b"two")
    conn.append(b"three")
    if how == "close":
        conn.close()
    elif how == "abort":
        conn.abort()
        conn.close()
    elif how == "end":
        conn.end()
        conn.abort()
    elif how == "drop":
        del conn
        gc.collect()
    elif how == "with":
        with conn:
            pass
    elif how in ("raise", "raise_view", "raise_reserved", "exit", "interrupt"):
        kind = {"exit": SystemExit, "interrupt": KeyboardInterrupt}.get(how, OSError)
        try:
            with conn:
                if how == "raise_view":
                    rec = conn.next()
                    array = pickle.PickleBuffer(rec)
                elif how == "raise_reserved":
                    room = conn.reserve(10)
                    array = pickle.PickleBuffer(room)
                raise kind("disk full")
        except kind:
            pass
        raises(ValueError, conn.next)
        if how == "raise_view":
            assert bytes(array) == b"for you"
    elif how == "async":

        async def fails():
            async with conn:
                raise OSError("disk full")

        raises(OSError, lambda: asyncio.run(fails()))
    else:
        raise AssertionError(how)
    sys.stdin.read()


def forks(conn, how):
    """Children that end, close, and use what isn't theirs, and the parent goes on."""
    reading = threading.Thread(target=conn.next)  # a child has it not, and the end must not stay busy
    reading.start()
    time.sleep(0.01)

    def child(f):
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                f()
                code = 0
            finally:
                os._exit(code)
        return os.waitpid(pid, 0)[1]

    def drops():
        nonlocal conn
        del conn
        gc.collect()

    def leaves():
        with conn:
            pass

    def fails():
        with conn:
            raise OSError

    for f in (conn.close, conn.abort, conn.abandon, drops, leaves, lambda: raises(OSError, fails)):
        assert child(f) == 0, f
    assert child(lambda: raises(seam_ring.ForkedError, conn.send, b"hers")) == 0
    assert child(lambda: raises(seam_ring.ForkedError, conn.next)) == 0
    pid = os.fork()
    if pid == 0:
        sys.exit(0)  # finalisation, too
    os.waitpid(pid, 0)
    conn.send(b"one")
    reading.join()
    if how == "parent":
        conn.close()
        return
    if how == "adopted":

        def goes_on():
            conn.adopt()
            conn.send(b"two")
            conn.close()

        assert child(goes_on) == 0
        conn.abandon()
        return
    assert how == "daemon"
    if os.fork():
        os._exit(0)
    os.setsid()
    conn.send(b"two")
    conn.close()


def threads(conn, how):
    """close and abort from another thread end the waits of both ends."""

    def waits(f):
        try:
            while True:
                f()
        except ValueError as e:
            said.append(str(e))

    said = []
    readers = [threading.Thread(target=waits, args=(conn.next,)), threading.Thread(target=waits, args=(lambda: conn.send(bytes(100)),))]
    for t in readers:
        t.start()
    time.sleep(0.05)
    getattr(conn, how)()
    for t in readers:
        t.join()
    assert said == ["the connection is closed"] * 2, said
    raises(ValueError, conn.send, b"")


def closed_by_signal(conn):
    """A handler closes what the main thread waits for."""
    signal.signal(signal.SIGALRM, lambda *_: conn.close())
    signal.setitimer(signal.ITIMER_REAL, 0.02)
    raises(ValueError, conn.next)


async def closed_in_loop(conn):
    """A task closes what others wait for, and so does a thread."""
    waiting = [asyncio.ensure_future(conn.anext()), asyncio.ensure_future(fills(conn))]
    await asyncio.sleep(0.02)
    t = threading.Thread(target=conn.close)
    t.start()
    for f in waiting:
        try:
            await f
        except ValueError:
            continue
        raise AssertionError("no ValueError")
    t.join()
    assert not conn._asleep


async def fills(conn):
    while True:
        await conn.asend(bytes(100))


async def shares_loop(conn):
    """While there are always records, and always room, another task runs."""
    turns = 0

    async def other():
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    await conn.asend(b"fill the ring")
    while bytes(await conn.anext()) != b"full":
        pass
    task = asyncio.ensure_future(other())
    before, n = turns, 0
    async for rec in conn:
        n += 1
    assert n == 20000 and turns > before + 2, (n, turns)
    before = turns
    for i in range(20000):
        await conn.aappend(b"x")
    assert turns > before + 2, turns
    task.cancel()


async def beside_thread(conn):
    """asend waits for room while a thread waits for records."""
    said = []

    def read():
        for rec in conn:
            said.append(bytes(rec))

    t = threading.Thread(target=read)
    t.start()
    for i in range(300):
        await conn.asend(bytes(100))
    conn.end()
    t.join()
    assert said == [bytes(100)] * 300, len(said)


def duplex(conn):
    """A reading and a writing thread, also where one socket wakes both."""
    got = []

    def read():
        while len(got) < 3000:
            got.append(bytes(conn.next(30)))

    t = threading.Thread(target=read)
    t.start()
    for i in range(3000):
        conn.send(i.to_bytes(4, "little") * 25)
    t.join()
    assert got == [i.to_bytes(4, "little") * 25 for i in range(3000)]


def gone(conn):
    raises(seam_ring.GoneError, conn.next)
    try:
        while True:  # a writer notices when it has to wait
            conn.send(bytes(1000))
    except seam_ring.GoneError:
        pass


def lonely(conn):
    """Writes, now and then, to a peer that is killed, and never has to wait."""
    conn.next()
    print("ready", flush=True)
    try:
        for i in range(50000):
            time.sleep(0.001)
            conn.send(b"")
    except seam_ring.GoneError:
        return
    raise AssertionError("it didn't notice")


def awaits(conn):
    """Waits for a record that does not come, since the peer is killed."""
    conn.next()
    print("ready", flush=True)
    try:
        conn.next()
    except seam_ring.GoneError:
        return
    raise AssertionError("it didn't notice")


def drops(conn):
    """Reads what a writer that drops the oldest has left, and is one too."""
    assert conn.drops
    got, last = 0, -1
    conn.send(b"ready")
    for rec in conn:
        i = int.from_bytes(rec[:4], "little")
        assert i > last, (i, last)
        want = i.to_bytes(4, "little") + bytes((i + k) % 256 for k in range(4, 4 + i % 41))
        assert rec == want, i
        got, last = got + 1, i
    assert last == 99 and got + conn.dropped[1] == 100, (last, got, conn.dropped)
    for i in range(100):  # more than there is room for; nobody reads yet
        rec = i.to_bytes(4, "little")
        while True:
            try:
                conn.send(rec)
                break
            except TimeoutError:  # the reader looks at the oldest
                time.sleep(0)


def hang(conn):
    conn.send(b"whole")
    conn.append(b"committed, and not published")
    conn.reserve(100)
    conn.next()


def main(role):
    if role == "serve_silence":
        raises(TimeoutError, lambda: seam_ring.Conn.serve(3, timeout=0.02))
        return
    if role.startswith("serve_"):
        raises(ValueError, lambda: seam_ring.Conn.serve(os.dup(3), capacity=1000))
        with seam_ring.Conn.serve(socket.socket(fileno=3), capacity=4096, untrusted="untrusted" in role, timeout=30) as conn:
            raises(RuntimeError, conn.__init__, 0)
            echo(conn)
        return
    if role == "drops":
        with seam_ring.Conn(3, drop_oldest=True) as conn:
            drops(conn)
        return
    if role == "mismatch":
        raises(seam_ring.MismatchError, seam_ring.Conn, 3)
        return
    if role == "interrupted":

        class Interrupt(Exception):
            pass

        def interrupt(*_):
            raise Interrupt

        signal.signal(signal.SIGALRM, interrupt)
        for make in (seam_ring.Conn, seam_ring.Conn.serve):
            signal.setitimer(signal.ITIMER_REAL, 0.02)
            raises(Interrupt, make, os.dup(3))
        return
    if "/" in role:
        role, how = role.split("/")
        globals()[role](seam_ring.Conn(3), how)
        return
    if role == "rules":
        rules(seam_ring.Conn(3))
        return
    with seam_ring.Conn(3) as conn:
        f = globals()[role]
        if asyncio.iscoroutinefunction(f):
            asyncio.run(f(conn))
        else:
            f(conn)


main(sys.argv[1])
