import java.util.Collections;
import java.util.List;
import orders.Line;
import orders.Missing;
import orders.Order;
import orders.Orders;
import orders.Refused;
import org.apache.thrift.TApplicationException;
import org.apache.thrift.protocol.TBinaryProtocol;
import org.apache.thrift.protocol.TCompactProtocol;
import org.apache.thrift.protocol.TProtocol;
import org.apache.thrift.transport.TSocket;
import org.apache.thrift.transport.TTransport;
import org.apache.thrift.transport.layered.TFramedTransport;

/**
 * A client of Apache's Java library: Client binary|compact framed|buffered HOST PORT.
 *
 * <p>It calls every function of a server and prints ok, or fails with what is not as it should be.
 */
public final class Client {
  public static void main(String[] args) throws Exception {
    TTransport t = new TSocket(args[2], Integer.parseInt(args[3]), 60_000);
    if (args[1].equals("framed")) {
      t = new TFramedTransport(t);
    }
    TProtocol p = args[0].equals("compact") ? new TCompactProtocol(t) : new TBinaryProtocol(t);
    Orders.Client c = new Orders.Client(p);
    t.open();
    String user = "java " + args[0] + " " + args[1];
    List<Line> lines = Collections.nCopies(20, new Line("Tür 🚪", 2, 1L << 40));
    Order order = c.place(user, "request 1", lines);
    expect(order.getId(), 1L);
    expect(order.getUser(), user);
    expect(order.getLines(), lines);
    expect(c.get(user, 1), order);
    expect(c.of(user), List.of(order));
    expect(c.of("nobody"), List.of());
    expect(c.counters().get("users") >= 1, true);
    try {
      c.get(user, 99);
      throw new IllegalStateException("there is no order 99");
    } catch (Missing e) {
      expect(e.getId(), 99L);
    }
    try {
      c.place(user, "request 2", List.of(new Line("ink", -1, 1)));
      throw new IllegalStateException("the order is not refused");
    } catch (Refused e) {
      expect(e.getReason(), "no such quantity or price");
      expect(e.getArticles(), List.of("ink"));
    }
    try {
      c.place("", "request 3", List.of());
      throw new IllegalStateException("a user without a name");
    } catch (TApplicationException e) {
      expect(e.getType(), TApplicationException.INTERNAL_ERROR);
      expect(e.getMessage().contains("neither may be empty"), true);
    }
    expect(c.of(user).size(), 1);
    t.close();
    System.out.println("ok");
  }

  private static void expect(Object got, Object want) {
    if (!got.equals(want)) {
      throw new IllegalStateException("got " + got + ", want " + want);
    }
  }
}
