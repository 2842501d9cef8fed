"""Ends of connections in every way that forks, threads, event loops and exceptions have for it.

Usage: torture.py forks|threads|loops|exceptions ROUNDS SEED

In each round a process forks a peer, which counts. Whatever happens: the peer gets every record
that a send was told of, in order, then the end if the writer said so, and GoneError if not.
"""

import asyncio
import faulthandler
import gc
import os
import pickle
import random
import signal
import socket
import struct
import sys
import threading

import seam_ring

ENDED, GONE = 0, 1


def peer(sock, result, options, answers):
    """Reads all there is, and writes how many records it was and how it ended. It answers some."""
    code = 1
    try:
        conn = seam_ring.Conn(sock, **options)
        n, how = 0, ENDED
        try:
            for rec in conn:
                assert struct.unpack_from("<I", rec)[0] == n and len(rec) == 4 + n % 90, (bytes(rec), n)
                n += 1
                if answers and n % 3 == 0:
                    conn.send(rec)
        except seam_ring.GoneError:
            how = GONE
            try:  # an answer may have failed before everything was read
                while True:
                    assert struct.unpack_from("<I", conn.next(0))[0] == n
                    n += 1
            except EOFError:
                how = ENDED
            except (seam_ring.GoneError, TimeoutError):
                pass
        os.write(result, struct.pack("<II", n, how))
        code = 0
    finally:
        os._exit(code)


class Round:
    """A connection to a peer of its own."""

    def __init__(self, chance, answers=False):
        self.sent = 0  # as a call has told
        ours, theirs = socket.socketpair()
        if chance.random() < 0.5:
            ours.setblocking(False)
        self.result, result = os.pipe()
        untrusted = chance.random() < 0.4
        self.pid = os.fork()
        if self.pid == 0:
            ours.close()
            os.close(self.result)
            peer(theirs, result, {"untrusted": untrusted}, answers)
        theirs.close()
        os.close(result)
        self.conn = seam_ring.Conn.serve(ours, 1024, untrusted=untrusted or chance.random() < 0.2)

    def record(self, n):
        return struct.pack("<I", n) + bytes(n % 90)

    def send(self):
        self.conn.send(self.record(self.sent))
        self.sent += 1

    def check(self, ended, more=0):
        """The connection is over; more is how many records may be there that nothing was told of."""
        text = b""
        while len(text) < 8:
            part = os.read(self.result, 8 - len(text))
            assert part, "the peer has died"
            text += part
        os.close(self.result)
        n, how = struct.unpack("<II", text)
        assert os.waitpid(self.pid, 0)[1] == 0
        assert self.sent <= n <= self.sent + more, ("sent, got, end", self.sent, n, how)
        assert how == (ENDED if ended else GONE), ("sent, got, end", self.sent, n, how, ended)


def leave(conn, chance, owner=True):
    """Ends the writer's side somehow, and returns whether that was said to be the end."""
    how = chance.randrange(5 if owner else 4)
    if how == 0:
        conn.close()
    elif how == 1:
        with conn:
            pass
    elif how == 2:
        conn.abort()
    elif how == 3:
        try:
            with conn:
                raise KeyError
        except KeyError:
            pass
    else:
        conn.end()
        (conn.abort if chance.random() < 0.5 else conn.close)()
    return how in (0, 1, 4)


def forks(chance):
    r = Round(chance)
    for _ in range(chance.randrange(4)):
        for _ in range(chance.randrange(12)):
            r.send()
        if chance.random() < 0.3:
            r.conn.append(r.record(r.sent))  # not told as sent until the flush
            pending = True
        else:
            pending = False
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                how = chance.randrange(7)
                if how == 0:
                    os.kill(os.getpid(), signal.SIGKILL)
                elif how == 1:
                    r.conn = None
                    gc.collect()
                elif how == 2:
                    r.conn.abandon()
                elif how < 6:
                    leave(r.conn, chance, owner=False)
                code = 0
            finally:
                os._exit(code)
        if pending:
            r.conn.flush()
            r.sent += 1
        for _ in range(chance.randrange(12)):
            r.send()
        status = os.waitpid(pid, 0)[1]
        assert status in (0, signal.SIGKILL), status
    if chance.random() < 0.2:
        pid = os.fork()
        if pid == 0:
            r.conn.adopt()
            for _ in range(5):
                r.send()
            ended = leave(r.conn, chance)
            os._exit(10 + ended)
        r.conn.abandon()
        r.sent += 5
        r.check(os.waitpid(pid, 0)[1] == 11 << 8)
    elif chance.random() < 0.2:
        r.conn = None  # dropped: nothing is said
        gc.collect()
        r.check(False)
    else:
        r.check(leave(r.conn, chance))


def threads(chance):
    r = Round(chance, answers=True)

    def write():
        try:
            while r.sent < 3000:
                r.send()
        except ValueError as e:
            assert str(e) == "the connection is closed", e

    def read():
        try:
            while True:
                r.conn.next()
        except (ValueError, EOFError, seam_ring.GoneError):
            pass

    both = [threading.Thread(target=write), threading.Thread(target=read)]
    for t in both:
        t.start()
    for _ in range(chance.randrange(200)):
        r.conn.dropped, r.conn.drops
    ended = chance.random() < 0.5
    closers = [threading.Thread(target=r.conn.close if ended else r.conn.abort) for _ in range(chance.randrange(1, 3))]
    for t in closers:
        t.start()
    for t in both + closers:
        t.join()
    r.check(ended, more=1)  # published, and then closed before the call returned


def loops(chance):
    r = Round(chance, answers=True)

    async def write():
        for _ in range(60):
            data = r.record(r.sent)
            while True:
                try:
                    await asyncio.wait_for(r.conn.aappend(data), chance.choice((0.0001, 0.001, 10)))
                    break
                except asyncio.TimeoutError:
                    pass
            r.conn.flush()
            r.sent += 1

    async def read():
        n = 0
        while n < 20:
            try:
                rec = await asyncio.wait_for(r.conn.anext(), chance.choice((0.0001, 0.001, 10)))
            except asyncio.TimeoutError:
                continue
            n += 1
            assert struct.unpack_from("<I", rec)[0] == 3 * n - 1, (bytes(rec), n)

    async def both():
        reading = asyncio.ensure_future(read())
        await write()
        if chance.random() < 0.5:
            await reading
            return leave(r.conn, chance)
        ended = leave(r.conn, chance)
        try:
            await reading
        except (ValueError, EOFError, seam_ring.GoneError):
            pass
        return ended

    r.check(asyncio.run(both()))


def exceptions(chance):
    r = Round(chance, answers=True)
    held = []
    where, what = chance.randrange(60), chance.randrange(6)
    kind = chance.choice((KeyError, KeyboardInterrupt, SystemExit, MemoryError, GeneratorExit))
    ended = True
    try:
        with r.conn as conn:
            for i in range(50):
                if i == where:
                    if what == 0:
                        held.append(pickle.PickleBuffer(conn.reserve(10)))
                    elif what == 1:
                        conn.append(r.record(r.sent))
                    elif what == 2 and r.sent >= 3:
                        held.append(pickle.PickleBuffer(conn.next()))
                    elif what == 3:
                        conn.send(object())  # TypeError
                    raise kind
                r.send()
    except (kind, TypeError):
        ended = False
    for h in held:
        bytes(h)
    r.check(ended)


def main():
    mode, rounds, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    for i in range(rounds):
        faulthandler.dump_traceback_later(120, exit=True)  # a round that hangs says where
        try:
            globals()[mode](random.Random(seed + i))
        except BaseException:
            print("%s: round %d of seed %d" % (mode, i, seed), file=sys.stderr)
            raise


main()
