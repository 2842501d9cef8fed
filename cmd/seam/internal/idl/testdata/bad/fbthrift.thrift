// What a file of Meta's dialect looks like: one message, not fifty.
include "thrift/annotation/cpp.thrift"

package "meta.com/shop"

@cpp.Type{name = "Money"}
typedef i64 Money

struct Item {
  @thrift.Box
  1: optional Item next;
  2: float price;
}

safe client exception Gone {
  1: string why;
}

interaction Basket {
  void add(1: Item item);
}

service Shop {
  performs Basket;
  stream<Item> all();
  i32, sink<Item, i32> put();
}
