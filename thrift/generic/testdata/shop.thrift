// What the tests call.
namespace go shop

include "base.thrift"

const i32 MOST = 50

enum Color {
  RED = 1 (hex = "f00")
  GREEN
}

/** An order. */
struct Order {
  1: required i64 id (api.path = "id", key = "1")
  2: string name = "none"
  3: optional list<Item> items
  4: map<Color, double> prices
  5: optional i32 most = MOST
  6: base.Id owner
  7: optional binary raw
  8: optional Order parent
  9: map<Item, bool> seen
} (table = "orders")

struct Item {
  1: required string sku
  2: Color color = Color.GREEN
}

union Choice {
  1: string text
  2: i32 number
}

exception NotFound {
  1: i64 id
}

service Orders extends base.Health {
  Order get(1: i64 id, 2: Color color = Color.RED) throws (1: NotFound missing) (http = "GET")
  void put(1: Order order)
  oneway void note(1: string text)
  Choice choose(1: Choice choice)
}
