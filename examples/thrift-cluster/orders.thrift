// The orders of a shop, on as many servers as it takes.
namespace go orders

/** A Line is one article of an order. */
struct Line {
  1: required string article
  2: required i32 quantity
  /** In cents, of one piece. */
  3: required i64 price
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
}

/** Missing says that there is no such order. */
exception Missing {
  1: i64 id
}

/** Refused says why an order is not taken. */
exception Refused {
  1: string reason
  2: list<string> articles
}

/**
 * Orders takes orders and scores them. The scores rest on what a server has seen of a
 * user, so all calls about a user go to one server.
 */
service Orders {
  /** Place takes an order. It is not idempotent: nobody may send it twice. */
  Order place(1: string user, 2: string request, 3: list<Line> lines) throws (1: Refused refused) (seam.shard = "user")

  Order get(1: string user, 2: i64 id) throws (1: Missing missing) (seam.shard = "user")

  /** Of gives a user's orders, the oldest first. */
  list<Order> of(1: string user) (seam.shard = "user")

  /** Counters are for the people who watch over a server. */
  map<string, i64> counters()
}
