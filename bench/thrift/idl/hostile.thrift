// What hostile bytes are decoded into: every shape that can be claimed, and a type
// that holds itself.

namespace go PEER

struct Node {
  1: optional Node child
  2: optional list<Node> children
  3: optional map<string, Node> named
  4: i64 value
}

struct Thing {
  1: string name
  2: string text
  3: i64 number
  4: double weight
  5: optional string note
}

struct Bag {
  1: list<i64> numbers
  2: list<Thing> things
  3: list<string> strings
  4: map<i64, i64> pairs
  5: list<list<i64>> nested
  6: string text
  7: binary data
  8: set<i32> unique
  9: map<string, list<string>> table
  10: list<bool> flags
}
