// Fields of every kind that a path of a field mask can go through.

namespace go masked

enum Colour {
  RED = 1,
  GREEN = 2,
}

struct Item {
  1: string name,
  2: optional double price,
  3: bool sold,
  4: optional bool new_,
  5: list<Item> parts,
  6: i64 stock,
}

union Choice {
  1: string text,
  2: Item item,
}

struct Order {
  1: required i64 id,
  2: list<Item> items,
  3: map<string, Item> by_name,
  4: map<i32, list<string>> by_number,
  5: optional Item gift,
  6: set<Colour> colours,
  7: map<Colour, string> of_colour,
  8: map<bool, i16> flags,
  9: required Item must,
  10: Choice choice,
  11: list<list<i32>> grid,
  12: binary raw,
  13: list<Item> in_place (value_type_in_container),
  14: map<i64, i64> longs,
  15: map<i8, Item> bytes_,
  16: map<i16, bool> shorts,
  40: bool last,
  300: string far,
}

struct Nothing {}
