"""Records to and from a process in Go, C or Python, through rings in memory that both share.

One side serves (Conn.serve here, ring.Serve in Go, seam_ring_serve in C), the other connects:

    with seam_ring.Conn(sock) as conn:      # a connected Unix stream socket
        for rec in conn:                    # a memoryview of the record where it lies
            conn.send(answer(rec))

Records. A record's memoryview is the caller's until the next record is asked for: then it is
released, and code that still uses it gets a ValueError. What was made of it without a copy, like
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
thread, and make calls that wait raise ValueError. That the peer has died is seen by the side that
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

By a path, which is that of a Unix socket:

    with seam_ring.Listener("/run/user/1000/engine") as listener:
        while True:
            conn = listener.accept()

    conn = seam_ring.dial("/run/user/1000/engine")     # waits until somebody serves it

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
What was lost. When a peer is gone, conn.taken is how many of the records that were appended or sent,
from the first on, it was done with: what came after them goes to the next connection. It may be asked
after close(), too.
"""

from ._conn import Conn
from ._listen import Listener, dial
from ._ring import CorruptError, ForkedError, GoneError, MismatchError, Publication, Publisher, Subscriber

__all__ = [
    "Conn",
    "CorruptError",
    "ForkedError",
    "GoneError",
    "Listener",
    "MismatchError",
    "Publication",
    "Publisher",
    "Subscriber",
    "dial",
]
