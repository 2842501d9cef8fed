import conform.Everything;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import org.apache.thrift.protocol.TBinaryProtocol;
import org.apache.thrift.protocol.TCompactProtocol;
import org.apache.thrift.protocol.TProtocol;
import org.apache.thrift.transport.TMemoryBuffer;
import org.apache.thrift.transport.TMemoryInputTransport;
import org.apache.thrift.transport.TTransport;

/**
 * Apache's Java library as a peer: reads messages and writes them again.
 *
 * <p>Peer binary|compact. Messages on standard input and output have their length in front, 4
 * bytes, big endian.
 */
public final class Peer {
  public static void main(String[] args) throws Exception {
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
      value.read(protocol(args[0], source));
      if (source.getBytesRemainingInBuffer() != 0) {
        throw new IllegalStateException("bytes are left over");
      }
      value.validate();
      TMemoryBuffer sink = new TMemoryBuffer(length);
      value.write(protocol(args[0], sink));
      out.writeInt(sink.length());
      out.write(sink.getArray(), 0, sink.length());
      out.flush();
    }
  }

  private static TProtocol protocol(String name, TTransport t) {
    return name.equals("compact") ? new TCompactProtocol(t) : new TBinaryProtocol(t);
  }
}
