// Types for what an option of the compiler changes: the layout of error paths,
// unknown fields, views.

namespace go small

struct Item {
  1: required string name,
  2: i64 size,
  3: optional bool flag,
  4: list<string> words,
  5: map<string, Item> parts,
  6: map<Key, i32> keys,
  7: optional One one,
  8: list<Item> items,
  9: list<list<i32>> matrix,
  10: map<i32, i64> counts,
  11: optional Colour colour,
  12: map<binary, Colour> colours,
  13: Key key,
}

enum Colour {
  RED,
  GREEN,
}

struct Key {
  1: i32 a,
  2: double b,
  3: uuid id,
}

union One {
  1: i32 number,
  2: string text,
  3: list<Key> keys,
}

/** Knows no field. */
struct Nothing {}

/** Knows no member. */
union None {}
