// Names that nothing defines.
include "lib/shared.thrift"

enum Color { RED, GREEN }

struct Order {
  1: i23 number
  2: list<Item> items
  3: map<strng, colour> colors
  4: shared.Adress address
  5: other.Thing thing
  6: int count
  7: Address home
  9: Orders service_as_type
  10: inner.Deep deep
}

service Orders extends Base {
  Oder get(1: i32 id) throws (1: NotFuond nf)
}

service More extends Color {}
service Again extends shared.Bas {}
