import conform.Base;
import conform.Echo;
import conform.Everything;
import conform.Failure;
import conform.NotFound;
import conform.Point;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import org.apache.thrift.TApplicationException;
import org.apache.thrift.TMultiplexedProcessor;
import org.apache.thrift.TProcessor;
import org.apache.thrift.protocol.TBinaryProtocol;
import org.apache.thrift.protocol.TCompactProtocol;
import org.apache.thrift.protocol.TJSONProtocol;
import org.apache.thrift.protocol.TMultiplexedProtocol;
import org.apache.thrift.protocol.TProtocol;
import org.apache.thrift.protocol.TProtocolFactory;
import org.apache.thrift.server.TThreadPoolServer;
import org.apache.thrift.transport.THttpClient;
import org.apache.thrift.transport.TMemoryBuffer;
import org.apache.thrift.transport.TMemoryInputTransport;
import org.apache.thrift.transport.TServerSocket;
import org.apache.thrift.transport.TSocket;
import org.apache.thrift.transport.TTransport;
import org.apache.thrift.transport.TTransportFactory;
import org.apache.thrift.transport.layered.TFramedTransport;

/**
 * Apache's Java library as a peer.
 *
 * <p>Peer codec PROTOCOL reads messages and writes them again; those on standard input and output
 * have their length in front, 4 bytes, big endian. Peer client PROTOCOL TRANSPORT HOST PORT
 * [SERVICE] calls every function of a server; Peer server PROTOCOL TRANSPORT [SERVICE] serves, and
 * prints its port first.
 *
 * <p>PROTOCOL is binary, old, compact or json, TRANSPORT framed, buffered or, for a client, http,
 * SERVICE the name in the multiplexed protocol.
 */
public final class Peer {
  public static void main(String[] args) throws Exception {
    switch (args[0]) {
      case "codec" -> codec(protocol(args[1]));
      case "client" -> call(protocol(args[1]), args[2], args[3], Integer.parseInt(args[4]), args.length > 5 ? args[5] : null);
      case "server" -> serve(protocol(args[1]), args[2], args.length > 3 ? args[3] : null);
      default -> throw new IllegalArgumentException(args[0]);
    }
  }

  private static TProtocolFactory protocol(String name) {
    return switch (name) {
      case "compact" -> new TCompactProtocol.Factory();
      case "json" -> new TJSONProtocol.Factory();
      case "old" -> new TBinaryProtocol.Factory(false, false);
      default -> new TBinaryProtocol.Factory();
    };
  }

  private static void codec(TProtocolFactory protocol) throws Exception {
    DataInputStream in = new DataInputStream(System.in);
    DataOutputStream out = new DataOutputStream(System.out);
    while (true) {
      int length;
      try {
        length = in.readInt();
      } catch (EOFException end) {
        return;
      }
      byte[] data = in.readNBytes(length);
      TMemoryInputTransport source = new TMemoryInputTransport(data);
      Everything value = new Everything();
      value.read(protocol.getProtocol(source));
      if (source.getBytesRemainingInBuffer() != 0) {
        throw new IllegalStateException("bytes are left over");
      }
      value.validate();
      TMemoryBuffer sink = new TMemoryBuffer(length);
      value.write(protocol.getProtocol(sink));
      out.writeInt(sink.length());
      out.write(sink.getArray(), 0, sink.length());
      out.flush();
    }
  }

  private static void call(TProtocolFactory protocol, String transport, String host, int port, String service) throws Exception {
    TTransport over =
        switch (transport) {
          case "http" -> new THttpClient("http://" + host + ":" + port + "/");
          case "framed" -> new TFramedTransport(new TSocket(host, port));
          default -> new TSocket(host, port);
        };
    over.open();
    TProtocol speaks = protocol.getProtocol(over);
    Echo.Client c = new Echo.Client(service == null ? speaks : new TMultiplexedProtocol(speaks, service));
    expect(c.ping(), "pong");
    expect(c.add(1L << 40, -2), (1L << 40) - 2);
    Everything value = new Everything();
    value.needed = "needed";
    value.needed_list = List.of(1L, -1L);
    value.text = "h\u00e4\u00df \ud83d\ude00 \"\\\n";
    value.raw = ByteBuffer.wrap(new byte[] {0, -1, -128});
    value.real = -0.1;
    value.setRealIsSet(true);
    value.larges = List.of(Long.MIN_VALUE, Long.MAX_VALUE);
    value.truths = List.of(true, false);
    value.names = new HashMap<>();
    value.names.put(-5, "five");
    value.votes = new HashMap<>();
    value.votes.put(true, (byte) 1);
    value.labels = new HashMap<>();
    value.labels.put(new Point(3, 4), "here");
    Everything got = c.echo(value);
    // What the peer sets where nothing came: an empty message says what.
    expect(got.needed, value.needed);
    expect(got.needed_list, value.needed_list);
    expect(got.text, value.text);
    expect(got.raw, value.raw);
    expect(got.real, value.real);
    expect(got.larges, value.larges);
    expect(got.truths, value.truths);
    expect(got.names, value.names);
    expect(got.votes, value.votes);
    expect(got.labels, value.labels);
    c.nothing();
    try {
      c.fail("missing");
      throw new IllegalStateException("no exception");
    } catch (NotFound e) {
      expect(e.name, "missing");
    }
    try {
      c.fail("failure");
      throw new IllegalStateException("no exception");
    } catch (Failure e) {
      expect(e.code, 7);
      expect(e.reason, "failure");
      expect(e.place, new Point(1, 2));
    }
    try {
      c.fail("undeclared");
      throw new IllegalStateException("no exception");
    } catch (TApplicationException e) {
      expect(e.getType(), TApplicationException.INTERNAL_ERROR);
    }
    c.note("first");
    c.note("second");
    expect(c.notes(), List.of("first", "second"));
    over.close();
    System.out.println("ok");
  }

  private static void expect(Object got, Object want) {
    if (!got.equals(want)) {
      throw new IllegalStateException("got " + got + ", want " + want);
    }
  }

  private static final class Handler implements Echo.Iface {
    private final List<String> kept = new ArrayList<>();

    @Override
    public String ping() {
      return "pong";
    }

    @Override
    public Everything echo(Everything value) {
      return value;
    }

    @Override
    public long add(long a, long b) {
      return a + b;
    }

    @Override
    public void nothing() {}

    @Override
    public void fail(String what) throws NotFound, Failure {
      if (what.equals("missing")) {
        throw new NotFound(what);
      }
      if (what.equals("failure")) {
        Failure e = new Failure(7, what);
        e.place = new Point(1, 2);
        throw e;
      }
      throw new IllegalArgumentException(what);
    }

    @Override
    public synchronized void note(String text) {
      kept.add(text);
    }

    @Override
    public synchronized List<String> notes() {
      return kept;
    }
  }

  private static void serve(TProtocolFactory protocol, String transport, String service) throws Exception {
    TProcessor processor = new Echo.Processor<>(new Handler());
    if (service != null) {
      TMultiplexedProcessor several = new TMultiplexedProcessor();
      several.registerProcessor(service, processor);
      processor = several;
    }
    TServerSocket socket = new TServerSocket(new InetSocketAddress("127.0.0.1", 0));
    System.out.println(socket.getServerSocket().getLocalPort());
    TTransportFactory transports = transport.equals("framed") ? new TFramedTransport.Factory() : new TTransportFactory();
    new TThreadPoolServer(
            new TThreadPoolServer.Args(socket).processor(processor).protocolFactory(protocol).transportFactory(transports))
        .serve();
  }
}
