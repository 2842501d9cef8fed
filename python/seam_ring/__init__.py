"""Records to and from a process in Go, C or Python, through rings in memory that both share.

One side serves (Conn.serve here, ring.Serve in Go, seam_ring_serve in C), the other connects:

    with seam_ring.Conn(sock) as conn:      # a connected Unix stream socket
        for rec in conn:                    # a memoryview of the record where it lies
            conn.send(answer(rec))

A record is the caller's until the next record is asked for: then its memoryview is
released, and whoever still uses it gets a ValueError. What was made of it without a copy,
like an array of numpy, must be gone by then; if it isn't, BufferError says so. Copy what
must live longer: bytes(rec).

append() collects records and flush() publishes them together, which is several times as
cheap as send(). reserve(n) is room in the ring itself, as a memoryview to write to, and
commit() makes a record of it.

All that waits takes a timeout in seconds, and lets other threads run. A Conn is for one
reading and one writing thread at a time; for one thread, if either side is untrusted. That
the peer has died is seen by whoever waits, and by send() and flush(). With asyncio:

    rec = await conn.anext()
    await conn.asend(answer)

Exceptions: EOFError when the peer has closed and everything has been read, GoneError when
it has died or hung up, MismatchError when the peers don't fit together, CorruptError when
the other end broke the protocol, TimeoutError.
"""

import asyncio

from ._ring import Conn as _Conn
from ._ring import CorruptError, GoneError, MismatchError

__all__ = ["Conn", "CorruptError", "GoneError", "MismatchError"]


class Conn(_Conn):
    """Conn(sock) takes the rings that the peer at the other end serves, and Conn.serve(sock)
    makes them.

    sock is a connected Unix stream socket or its descriptor. It belongs to the connection
    from then on, also if this fails. max_capacity is the largest ring that is accepted, in
    bytes; 0 means 64 MiB. timeout, in seconds, is that of the set-up.

    With drop_oldest this side's writer doesn't wait for room: it drops what the reader
    hasn't come to, or raises TimeoutError while that looks at the oldest record. untrusted is
    for a peer that may be hostile: nothing it does can make this side wait. It can change
    records while they are looked at, so copy them first: bytes(rec).
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

    async def anext(self):
        """next() for asyncio."""
        while True:
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
            try:
                return self.append(data, 0)
            except TimeoutError:
                if self.drops:
                    raise  # the reader looks at the oldest, and wakes nobody
                await self._sleep(reader=False)

    async def _sleep(self, reader):
        """Returns when the peer has rung for an end, or has hung up."""
        loop = asyncio.get_running_loop()
        rung = loop.create_future()
        asleep = self._asleep.setdefault(loop, set())
        socket, bell = self.fileno(), self.bell(reader)

        def ring():
            for future in asleep:
                if not future.done():
                    future.set_result(None)

        if self.heard():
            ring()  # it may have been for the other end
        asleep.add(rung)
        loop.add_reader(socket, ring)  # also for the other end, which may sleep as well
        if bell != socket:
            loop.add_reader(bell, ring)
        try:
            if self.arm(reader):
                await rung
        finally:
            asleep.discard(rung)
            if not asleep:
                loop.remove_reader(socket)
                del self._asleep[loop]
            if bell != socket:
                loop.remove_reader(bell)
            self.disarm(reader)
