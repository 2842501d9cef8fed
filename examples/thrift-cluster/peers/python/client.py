"""A client of Apache's Python library: client.py binary|compact framed|buffered HOST PORT.

It calls every function of a server and prints ok, or what is not as it should be.
"""

import sys

from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.protocol.TCompactProtocol import TCompactProtocol
from thrift.Thrift import TApplicationException
from thrift.transport import TSocket, TTransport

from orders import Orders
from orders.ttypes import Line, Missing, Refused

PROTOCOLS = {"binary": TBinaryProtocol, "compact": TCompactProtocol}
TRANSPORTS = {"framed": TTransport.TFramedTransport, "buffered": TTransport.TBufferedTransport}


def expect(got, want):
    if got != want:
        sys.exit(f"got {got!r}, want {want!r}")


def main(protocol, transport, host, port):
    socket = TSocket.TSocket(host, int(port))
    socket.setTimeout(60_000)
    t = TRANSPORTS[transport](socket)
    c = Orders.Client(PROTOCOLS[protocol](t))
    t.open()
    user = f"python {protocol} {transport}"
    lines = [Line(article="Tür 🚪", quantity=2, price=1 << 40)] * 20
    order = c.place(user, "request 1", lines)
    expect((order.id, order.user, order.request, order.lines), (1, user, "request 1", lines))
    expect(c.get(user, 1), order)
    expect(c.of(user), [order])
    expect(c.of("nobody"), [])
    expect(c.counters()["users"] >= 1, True)
    try:
        c.get(user, 99)
        sys.exit("there is no order 99")
    except Missing as e:
        expect(e.id, 99)
    try:
        c.place(user, "request 2", [Line(article="ink", quantity=-1, price=1)])
        sys.exit("the order is not refused")
    except Refused as e:
        expect((e.reason, e.articles), ("no such quantity or price", ["ink"]))
    try:
        c.place("", "request 3", [])
        sys.exit("a user without a name")
    except TApplicationException as e:
        expect((e.type, "neither may be empty" in e.message), (TApplicationException.INTERNAL_ERROR, True))
    expect(len(c.of(user)), 1)
    t.close()
    print("ok")


main(*sys.argv[1:])
