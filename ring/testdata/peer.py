"""The other process of the tests in Python. Usage: peer.py ROLE, with the socket as descriptor 3."""

import asyncio
import gc
import os
import pickle
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
    raises(BufferError, conn.next)
    raises(BufferError, conn.close)
    assert bytes(part) == b"wo"
    part.release()
    third = conn.next()
    array = pickle.PickleBuffer(third)  # as one of numpy does
    raises(BufferError, conn.try_next)
    assert bytes(third) == b"three"
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
    raises(RuntimeError, conn.close)
    conn.send(b"go on")
    waits.join()
    raises(EOFError, conn.next)
    kept = conn.reserve(3)
    keeps = kept[:1]
    del conn, kept
    gc.collect()
    keeps[0] = 1  # the memory is still there


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
