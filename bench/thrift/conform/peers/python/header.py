"""Apache's Python library as a peer.

peer.py codec binary|compact                              reads messages, writes them again
peer.py client binary|old|compact framed|buffered|theader|zlib HOST PORT
                                                          calls every method of a server
peer.py server binary|compact theader|zlib                serves them, and prints its port

theader is THeaderTransport, zlib the same with compressed messages. old is the binary protocol with the header of messages that has no version.

Messages on standard input and output have their length in front, 4 bytes, big endian.
"""

import struct
import sys
import threading

from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.protocol.TCompactProtocol import TCompactProtocol
from thrift.protocol.THeaderProtocol import THeaderProtocol, THeaderProtocolFactory
from thrift.server.TServer import TThreadedServer
from thrift.Thrift import TApplicationException
from thrift.transport import TSocket, TTransport
from thrift.transport.THeaderTransport import THeaderClientType, THeaderSubprotocolID, THeaderTransformID

from conform import Echo
from conform.ttypes import Color, Everything, Failure, NotFound, Point, Choice

PROTOCOLS = {
    "binary": TBinaryProtocol,
    "old": lambda t: TBinaryProtocol(t, strictRead=False, strictWrite=False),
    "compact": TCompactProtocol,
}
TRANSPORTS = {"framed": TTransport.TFramedTransport, "buffered": TTransport.TBufferedTransport}
SUBPROTOCOLS = {"binary": THeaderSubprotocolID.BINARY, "compact": THeaderSubprotocolID.COMPACT}


def codec(protocol):
    while head := sys.stdin.buffer.read(4):
        data = sys.stdin.buffer.read(struct.unpack(">I", head)[0])
        value = Everything()
        source = TTransport.TMemoryBuffer(data)
        value.read(protocol(source))
        if source.cstringio_buf.read():
            raise ValueError("bytes are left over")
        value.validate()
        out = TTransport.TMemoryBuffer()
        value.write(protocol(out))
        data = out.getvalue()
        sys.stdout.buffer.write(struct.pack(">I", len(data)) + data)
        sys.stdout.buffer.flush()


def client(protocol, transport, host, port):
    t = TSocket.TSocket(host, int(port))
    if transport in TRANSPORTS:
        t = TRANSPORTS[transport](t)
        p = PROTOCOLS[protocol](t)
    else:
        p = THeaderProtocol(t, (THeaderClientType.HEADERS,), SUBPROTOCOLS[protocol])
        t = p.trans
        if transport == "zlib":
            t.add_transform(THeaderTransformID.ZLIB)
    c = Echo.Client(p)
    t.open()
    expect(c.ping(), "pong")
    expect(c.add(1 << 40, -2), (1 << 40) - 2)
    value = Everything(
        needed="needed", needed_list=[1, -1], text="häß 😀", raw=b"\x00\xff", color=Color.NONE,
        point=Point(x=1, y=-2), choice=Choice(text="chosen"), truths=[True, False] * 20,
        larges=[-(1 << 63), (1 << 63) - 1], unique={1, 2, 3}, labels={Point(x=3, y=4): "here"},
        names={i: "n%d" % i for i in range(300)}, deep={"a": [{1: {"x", "y"}}]}, far=True, real=-0.5,
    )
    got = c.echo(value)
    for name in ("needed", "needed_list", "text", "raw", "color", "point", "choice", "truths", "larges", "unique",
                 "labels", "names", "deep", "far", "real", "answer", "greeting", "origin"):
        expect(getattr(got, name), getattr(value, name))
    c.nothing()
    for what, error in (("missing", NotFound(name="missing")), ("failure", Failure(code=7, reason="failure", place=Point(x=1, y=2)))):
        try:
            c.fail(what)
        except (NotFound, Failure) as e:
            expect(e, error)
        else:
            raise AssertionError("no exception for %s" % what)
    try:
        c.fail("undeclared")
    except TApplicationException as e:
        expect(e.type, TApplicationException.INTERNAL_ERROR)
    else:
        raise AssertionError("no exception for an undeclared error")
    c.note("first")
    c.note("second")
    expect(c.notes(), ["first", "second"])
    try:
        c._seqid += 1
        c._oprot.writeMessageBegin("unheardOf", 1, c._seqid)
        c._oprot.writeStructBegin("unheardOf_args")
        c._oprot.writeFieldStop()
        c._oprot.writeStructEnd()
        c._oprot.writeMessageEnd()
        c._oprot.trans.flush()
        c.recv_ping()
    except TApplicationException as e:
        expect(e.type, TApplicationException.UNKNOWN_METHOD)
    else:
        raise AssertionError("no exception for an unknown method")
    expect(c.ping(), "pong")  # the connection is still good
    t.close()
    print("ok")


def expect(got, want):
    if got != want:
        raise AssertionError("got %r, want %r" % (got, want))


class Handler:
    def __init__(self):
        self.kept = []

    def ping(self):
        return "pong"

    def echo(self, e):
        return e

    def add(self, a, b):
        return a + b

    def nothing(self):
        pass

    def fail(self, what):
        if what == "missing":
            raise NotFound(name=what)
        if what == "failure":
            raise Failure(code=7, reason=what, place=Point(x=1, y=2))
        raise RuntimeError(what)

    def note(self, text):
        self.kept.append(text)

    def notes(self):
        return self.kept


def server(protocol, transport):
    listener = TSocket.TServerSocket("127.0.0.1", 0)
    listener.listen()
    print(listener.handle.getsockname()[1], flush=True)
    listener.listen = lambda: None  # it does already
    transforms = (THeaderTransformID.ZLIB,) if transport == "zlib" else ()

    class Factory(THeaderProtocolFactory):
        def getProtocol(self, trans):
            p = super().getProtocol(trans)
            for t in transforms:
                p.add_transform(t)
            return p

    s = TThreadedServer(Echo.Processor(Handler()), listener, TTransport.TTransportFactoryBase(),
                        Factory((THeaderClientType.HEADERS,), SUBPROTOCOLS[protocol]), daemon=True)
    threading.Thread(target=s.serve, daemon=True).start()
    sys.stdin.read()  # until the test has no more need of it


if sys.argv[1] == "codec":
    codec(PROTOCOLS[sys.argv[2]])
elif sys.argv[1] == "server":
    server(*sys.argv[2:])
else:
    client(*sys.argv[2:])
