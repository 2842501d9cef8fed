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

// What refers to other fields and calls functions.
struct Window {
  1: i64 from_ (vt.ge = "0"),
  2: i64 until (vt.gt = "$from_", vt.le = "@add($from_, 100)"),
  3: optional double share (vt.lt = "$most", vt.ge = "@mod($until, 2)"),
  4: optional double most = 1.5,
  5: list<string> names (vt.max_size = "$from_", vt.elem.max_size = "@len($prefix)", vt.elem.prefix = "$prefix"),
  6: string prefix (vt.min_rune_size = "1", vt.max_rune_size = "2"),
  7: string label (vt.const = "@sprintf(\"%s-%d%%\", $prefix, $from_)"),
  8: binary raw (vt.suffix = "$prefix", vt.not_contains = "@add($prefix, 'x')"),
  9: Colour colour (vt.in = "$also", vt.in = "GREEN"),
  10: Colour also = Colour.RED,
  11: bool open (vt.const = "$agreed"),
  12: bool agreed,
  13: i8 tiny (vt.not_in = "$from_", vt.not_in = "@len($names)", vt.lt = "$most"),
  14: i64 made (vt.lt = "@add(@now_unix_nano(), 1000)"),
  15: map<string, i32> counts (vt.value.le = "$until", vt.key.min_rune_size = "@len($raw)"),
} (vt.assert = "@equal(@mod($until, 10), 0)", vt.assert = '@equal(@add($from_, 0.5), @add(0.5, $from_))')

// What calls functions of one's own.
struct Card {
  1: string number,
  2: i64 limit (vt.le = "@share($income, 0.5)"),
  3: i32 income (vt.ge = "@share(10, 1)"),
  4: list<string> others (vt.elem.const = "@add($number, '')"),
} (vt.assert = "@luhn($number)")

// A column of JSON in a database.
struct Column {
  1: required string name,
  2: optional Colour colour = Colour.RED,
  3: list<Item> items,
  4: map<i64, binary> bytes_,
  5: map<Item, i32> stock,
  6: One one,
  7: i64 big = 5 (go.tag = 'json:"big,string"'),
} (seam.sql = "json")
