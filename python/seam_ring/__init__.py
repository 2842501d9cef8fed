"""Records to and from a process in Go, C or Python, through rings in memory that both share.

One side serves (Conn.serve here, ring.Serve in Go, seam_ring_serve in C), the other connects:

    with seam_ring.Conn(sock) as conn:      # a connected Unix stream socket
        for rec in conn:                    # a memoryview of the record where it lies
            conn.send(answer(rec))

Records. A record's memoryview is the caller's until the next record is asked for: then it is
released, and whoever still uses it gets a ValueError. What was made of it without a copy, like
an array of numpy or a slice, stays what it is: the writer doesn't get that part of the ring
back before it is gone. Copy what must live longer, bytes(rec): when such records fill the ring,
next() raises BufferError. If this side is untrusting, or the writer drops the oldest, records are
copies, and live as long as you like.

append() collects records and flush() publishes them together, which is several times as
cheap as send(). reserve(n) is room in the ring itself, as a memoryview to write to, and
commit() makes a record of it.

The end. The peer's records end where this side said so: by end(), by close(), or by leaving
`with` without an exception. After an exception, after abort(), and when a Conn is dropped or the
program ends without close(), the peer gets GoneError: it must not take a part for the whole.

Threads. A Conn is for one reading and one writing thread at a time. All that waits takes a
timeout in seconds, and lets other threads run. close() and abort() may be called from any
thread, and make calls that wait raise ValueError. That the peer has died is seen by whoever
waits, and by send() and flush().

asyncio:

    async with seam_ring.Conn(sock) as conn:
        async for rec in conn:
            await conn.asend(answer(rec))

anext(), asend() and aappend() let other tasks run at least once a millisecond. Conn() and
Conn.serve() wait for the peer: give them a timeout, or a thread.

Forks. A Conn belongs to the process that made it. In a forked child, as multiprocessing makes
them, close(), the end of `with` and the end of the program free the copy and tell the peer
nothing; next() and send() raise ForkedError, unless the parent has ended, as that of a daemon
does. adopt() makes the child the one that uses the connection, which the parent must not do any
more. As long as a child has a copy, the peer can't see that the parent was killed: call abandon().

One writer, many readers, in any processes. They meet at a path, and each reader goes at its own
pace: one that is further behind than the capacity loses the oldest records, and is told how many.

    with seam_ring.Publisher("/run/user/1000/prices") as p:
        p.send(record)                  # tend() meanwhile, where that is seldom

    with seam_ring.Subscriber("/run/user/1000/prices") as s:
        for data, number, lost, life in s:
            ...                         # until the publisher closes; another one is found

Any thread may call a Publisher, and one at a time a Subscriber's next(), which lets others run
while it waits. Neither is for a forked child.

Exceptions: EOFError when the peer has ended its records and everything has been read, GoneError
when it has died, hung up or given up, MismatchError when the peers don't fit together,
CorruptError when the other end broke the protocol, TimeoutError.
"""

import asyncio
import time

from ._ring import Conn as _Conn
from ._ring import CorruptError, ForkedError, GoneError, MismatchError, Publication, Publisher, Subscriber

__all__ = ["Conn", "CorruptError", "ForkedError", "GoneError", "MismatchError", "Publication", "Publisher", "Subscriber"]

# How long a task may go on without letting others run, in seconds.
_TURN = 0.001


class Conn(_Conn):
    """Conn(sock) takes the rings that the peer at the other end serves, and Conn.serve(sock)
    makes them.

    sock is a connected Unix stream socket or its descriptor. It belongs to the connection
    from then on, also if this fails. max_capacity is the largest ring that is accepted, in
    bytes; 0 means 64 MiB. timeout, in seconds, is that of the set-up.

    With drop_oldest this side's writer doesn't wait for room: it drops what the reader
    hasn't come to, or raises TimeoutError while that looks at the oldest record. untrusted is
    for a peer that may be hostile: nothing it does can make this side wait, and records are
    copied before they are handed out.
    """

    def __init__(self, sock, max_capacity=0, *, drop_oldest=False, untrusted=False, timeout=None):
        self._set_up(sock, max_capacity=max_capacity, drop_oldest=drop_oldest, untrusted=untrusted, timeout=timeout)

    @classmethod
    def serve(cls, sock, capacity=0, *, drop_oldest=False, untrusted=False, timeout=None):
        """Makes the rings, of so many bytes each: a power of two; 0 means 64 KiB."""
        conn = cls.__new__(cls)
        conn._set_up(sock, serve=True, capacity=capacity, drop_oldest=drop_oldest, untrusted=untrusted, timeout=timeout)
        return conn

    def _set_up(self, sock, **options):
        super().__init__(sock.detach() if hasattr(sock, "detach") else sock, **options)
        self._asleep = {}  # event loop: futures of those who wait in it
        self._rested = time.monotonic()  # when others could run

    async def anext(self):
        """next() for asyncio."""
        while True:
            await self._take_turns()
            rec = self.try_next()
            if rec is not None:
                return rec
            await self._sleep(reader=True)

    async def asend(self, data):
        """send() for asyncio."""
        await self.aappend(data)
        self.flush()

    async def aappend(self, data):
        """append() for asyncio."""
        while True:
            await self._take_turns()
            try:
                return self.append(data, 0)
            except TimeoutError:
                if self.drops:
                    raise  # the reader looks at the oldest, and wakes nobody
                await self._sleep(reader=False)

    def __aiter__(self):
        return self

    async def __anext__(self):
        try:
            return await self.anext()
        except EOFError:
            raise StopAsyncIteration from None

    async def __aenter__(self):
        return self

    async def __aexit__(self, *exception):
        self.__exit__(*exception)

    async def _take_turns(self):
        """Lets other tasks run, if they couldn't for a while. It comes before a record is taken or
        written, so that a task which is cancelled here has lost none."""
        if time.monotonic() - self._rested > _TURN:
            await asyncio.sleep(0)
            self._rested = time.monotonic()

    async def _sleep(self, reader):
        """Returns when the peer has rung for an end, or has hung up, or this side has closed."""
        loop = asyncio.get_running_loop()
        if not self.arm(reader):
            return
        rung = loop.create_future()
        asleep = self._asleep.setdefault(loop, set())
        asleep.add(rung)
        socket, bell = self.fileno(), self.bell(reader)

        def ring():
            for future in asleep:
                if not future.done():
                    future.set_result(None)

        try:
            loop.add_reader(socket, ring)  # also for the other end, which may sleep as well
            loop.add_reader(bell, ring)
            await rung
        finally:
            asleep.discard(rung)
            if not asleep:
                loop.remove_reader(socket)
                del self._asleep[loop]
            loop.remove_reader(bell)
            self.disarm(reader)
            self._rested = time.monotonic()
