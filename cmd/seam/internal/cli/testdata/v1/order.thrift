// An order, for the compatibility test.
namespace go shop.order

enum State {
  OPEN = 1,
  PAID = 2,
}

struct Item {
  1: required string name,
  2: i32 count = 1,
  3: optional double price,
}

union Contact {
  1: string mail,
  2: i64 phone,
}

exception Refused {
  1: string why,
}

struct Order {
  1: required i64 id,
  2: State state = State.OPEN,
  3: list<Item> items,
  4: map<string, set<i32>> tags (go.tag = 'json:"tags"'),
  5: Contact contact,
  6: optional binary signature,
}

service Shop {
  Order place(1: Order order) throws (1: Refused refused),
  oneway void forget(1: i64 id),
}
