// Fields with every rule of the annotations vt.*.

namespace go validated

enum Colour {
  RED = 1,
  GREEN = 2,
  ALSO = 2,
}

struct Item {
  1: required string name (vt.min_size = "1", vt.max_size = "10", vt.pattern = "^[a-z]+$"),
  2: optional double price (vt.ge = "0", vt.lt = "1e6"),
}

struct Order {
  1: i64 id (vt.gt = "0"),
  2: list<Item> items (vt.min_size = "1", vt.no_sparse = "true"),
  3: optional Colour colour (vt.defined_only = "true", vt.not_in = "Colour.GREEN"),
  4: map<string, list<i32>> counts (vt.key.prefix = "k", vt.value.max_size = "2", vt.value.elem.le = "9"),
  5: optional Item gift (vt.not_nil = "true"),
  6: bool agreed (vt.const = "true"),
  7: string state (vt.in = "new", vt.in = "paid", vt.not_contains = "x"),
  8: optional binary raw (vt.suffix = "z"),
  9: optional Item loose (vt.skip = "true"),
  10: map<Item, string> by_item (vt.value.const = "v"),
  11: set<Colour> colours (vt.elem.const = "RED"),
  12: map<string, Item> named (vt.no_sparse),
  13: list<Item> in_place (value_type_in_container),
}

union One {
  1: i32 n (vt.le = "3"),
  2: Item item,
}
