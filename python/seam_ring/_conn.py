"""Connections: what the extension has, and asyncio."""

import asyncio
import time

from ._ring import Conn as _Conn

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
