// The next version of orders.thrift: a server may be of either while a cluster is upgraded.
namespace go orders

/** A Line is one article of an order. */
struct Line {
  1: required string article
  2: required i32 quantity
  /** In cents, of one piece. */
  3: required i64 price
  /** What the user wants to be done with it. */
  4: optional string note
}

/** A Status says how far an order has come. */
enum Status {
  TAKEN = 1
  SENT = 2
}

/** An Order is what a user has ordered. */
struct Order {
  1: required i64 id
  2: required string user
  3: required list<Line> lines
  /** The caller's name for its request. */
  4: required string request
  /** How unusual the order is for this user: 0 is like all before. */
  5: double score
  6: optional Status status
  7: optional list<Line> gifts
}

/** Missing says that there is no such order. */
exception Missing {
  1: i64 id
  2: optional string hint
}

/** Refused says why an order is not taken. */
exception Refused {
  1: string reason
  2: list<string> articles
}

/** Orders takes orders and scores them. */
service Orders {
  Order place(1: string user, 2: string request, 3: list<Line> lines) throws (1: Refused refused) (seam.shard = "user")

  Order get(1: string user, 2: i64 id) throws (1: Missing missing) (seam.shard = "user")

  list<Order> of(1: string user) (seam.shard = "user")

  map<string, i64> counters()

  /** Status is for clients that know every server to be of this version. */
  Status status(1: string user, 2: i64 id) throws (1: Missing missing) (seam.shard = "user")
}
