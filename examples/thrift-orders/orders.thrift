// The orders of a shop, and the service that takes them.
namespace * orders

typedef i64 OrderID

enum Status {
  OPEN = 1
  PAID = 2
  CANCELLED = 3
}

/** A Line is one article of an order. */
struct Line {
  1: required string article
  2: required i32 quantity
  /** In cents, of one piece. */
  3: required i64 price
}

/** An Order is what a customer has ordered. */
struct Order {
  1: required OrderID id
  2: required string customer
  3: required list<Line> lines
  4: Status status = Status.OPEN
  /** In seconds since 1970. */
  5: i64 created
  6: optional string note
  7: map<string, string> labels
}

/** Missing says that there is no such order. */
exception Missing {
  1: OrderID id
}

/** Refused says why an order is not taken or changed. */
exception Refused {
  1: string reason
  /** The articles that it is about. */
  2: list<string> articles
}

/** What every service of the shop has. */
service Service {
  /** Counters are for the people who watch over it. */
  map<string, i64> counters()
}

/** Orders takes orders and knows them. */
service Orders extends Service {
  /** Place takes an order and gives it a number. */
  Order place(1: string customer, 2: list<Line> lines, 3: string note) throws (1: Refused refused)

  Order get(1: OrderID id) throws (1: Missing missing)

  /** Of gives a customer's orders, the oldest first. */
  list<Order> of(1: string customer)

  void cancel(1: OrderID id) throws (1: Missing missing, 2: Refused refused)

  /** Paid is the word from the bank. Nobody waits for it to be heard. */
  oneway void paid(1: OrderID id, 2: i64 amount)
}
