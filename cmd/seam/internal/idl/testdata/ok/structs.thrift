struct Empty {
}

struct Ids {
  1: i32 a,
  0x10: i32 b,
  32767: i32 c,
  +20: i32 d,
}

// Fields without a number, or with one below 1, are for the very old.
struct OldIds {
  i32 a,
  i32 b
  -3: i32 c,
  -0x4: i32 d;
  5: string e
}

struct Words {
  1: required i32 a,
  2: optional i32 b,
  3: i32 c,
}

struct Defaults {
  1: bool flag = true,
  2: optional bool no = false,
  3: i8 small = -128,
  4: i16 hex = 0x7fff,
  5: i32 number = 42,
  6: i64 big = 9223372036854775807,
  7: double real = 2.5e-3,
  8: double whole = 3,
  9: string text = "it's",
  10: binary bytes = 'said "so"',
  11: list<i32> list = [1, 2, 3],
  12: set<string> set = ["a" "b"; "c"],
  13: map<string, list<i32>> map = {"one": [1], "two": [1, 2]},
  14: Words words = {"a": 1, "b": 2},
  15: Kind kind = Kind.SECOND,
  16: list<i32> none = [],
  17: map<i32, i32> nothing = {},
  18: uuid id = "00112233-4455-6677-8899-aabbccddeeff",
}

enum Kind {
  FIRST = 1,
  SECOND = 2,
}

// A tree: through a list, a map, a reference and by itself.
struct Tree {
  1: list<Tree> children,
  2: map<string, Tree> named,
  3: optional Tree & parent,
  4: optional Tree &left,
  5: optional Tree& right,
  6: Other other,
}

struct Other {
  1: optional Tree tree,
}

union Choice {
  1: i32 number,
  2: string text,
  3: Tree tree,
  4: list<Choice> choices,
}

union Nothing {}

exception Error {
  1: i32 code = 500,
  2: string why,
} (retry = "no")

exception Bare {}
