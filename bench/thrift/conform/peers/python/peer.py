"""Apache's Python library as a peer. With the transports theader and zlib it is header.py.

peer.py codec binary|compact|json                         reads messages, writes them again
peer.py simplejson                                        reads binary messages, writes them as simple JSON
peer.py client binary|old|compact|json framed|buffered|http HOST PORT [SERVICE]
                                                          calls every method of a server
peer.py server binary|old|compact|json framed|buffered|http [SERVICE]
                                                          serves, and prints its port first

SERVICE is its name in the multiplexed protocol.

old is the binary protocol with the header of messages that has no version.

Messages on standard input and output have their length in front, 4 bytes, big endian.
"""

import os
import runpy
import struct
import sys

from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.protocol.TCompactProtocol import TCompactProtocol, TCompactProtocolFactory
from thrift.protocol.TBinaryProtocol import TBinaryProtocolFactory
from thrift.protocol.TJSONProtocol import TJSONProtocol, TJSONProtocolFactory, TSimpleJSONProtocol
from thrift.protocol.TMultiplexedProtocol import TMultiplexedProtocol
from thrift.server import THttpServer, TServer
from thrift.TMultiplexedProcessor import TMultiplexedProcessor
from thrift.Thrift import TApplicationException
from thrift.transport import THttpClient, TSocket, TTransport

from conform import Echo
from conform.ttypes import Color, Everything, Failure, NotFound, Point, Choice

PROTOCOLS = {
    "binary": TBinaryProtocol,
    "old": lambda t: TBinaryProtocol(t, strictRead=False, strictWrite=False),
    "compact": TCompactProtocol,
    "json": TJSONProtocol,
}
FACTORIES = {
    "binary": TBinaryProtocolFactory(),
    "old": TBinaryProtocolFactory(strictRead=False, strictWrite=False),
    "compact": TCompactProtocolFactory(),
    "json": TJSONProtocolFactory(),
}
TRANSPORTS = {"framed": TTransport.TFramedTransport, "buffered": TTransport.TBufferedTransport}


def codec(protocol, write=None):
    while head := sys.stdin.buffer.read(4):
        data = sys.stdin.buffer.read(struct.unpack(">I", head)[0])
        value = Everything()
        source = TTransport.TMemoryBuffer(data)
        value.read(protocol(source))
        if source.cstringio_buf.read():
            raise ValueError("bytes are left over")
        value.validate()
        out = TTransport.TMemoryBuffer()
        value.write((write or protocol)(out))
        data = out.getvalue()
        sys.stdout.buffer.write(struct.pack(">I", len(data)) + data)
        sys.stdout.buffer.flush()


def client(protocol, transport, host, port, service=None):
    if transport == "http":
        t = THttpClient.THttpClient("http://%s:%s/" % (host, port))
    else:
        t = TRANSPORTS[transport](TSocket.TSocket(host, int(port)))
    p = protocol(t)
    if service:
        p = TMultiplexedProtocol(p, service)
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

    def echo(self, value):
        return value

    def add(self, a, b):
        return a + b

    def nothing(self):
        pass

    def fail(self, what):
        if what == "missing":
            raise NotFound(name=what)
        if what == "failure":
            raise Failure(code=7, reason=what, place=Point(x=1, y=2))
        raise ValueError(what)

    def note(self, text):
        self.kept.append(text)

    def notes(self):
        return self.kept


def server(protocol, transport, service=None):
    processor = Echo.Processor(Handler())
    if service:
        single, processor = processor, TMultiplexedProcessor()
        processor.registerProcessor(service, single)
    factory = FACTORIES[protocol]
    if transport == "http":
        s = THttpServer.THttpServer(processor, ("127.0.0.1", 0), factory)
        print(s.httpd.server_address[1], flush=True)
        s.serve()
        return
    socket = TSocket.TServerSocket("127.0.0.1", 0)
    socket.listen()
    print(socket.handle.getsockname()[1], flush=True)
    socket.listen = lambda: None
    transports = {"framed": TTransport.TFramedTransportFactory(), "buffered": TTransport.TBufferedTransportFactory()}
    TServer.TThreadedServer(processor, socket, transports[transport], factory, daemon=True).serve()


if len(sys.argv) > 3 and sys.argv[3] in ("theader", "zlib"):
    runpy.run_path(os.path.join(os.path.dirname(__file__), "header.py"), run_name="__main__")
elif sys.argv[1] == "codec":
    codec(PROTOCOLS[sys.argv[2]])
elif sys.argv[1] == "simplejson":
    codec(TBinaryProtocol, TSimpleJSONProtocol)
elif sys.argv[1] == "server":
    server(*sys.argv[2:])
else:
    client(PROTOCOLS[sys.argv[2]], *sys.argv[3:])
