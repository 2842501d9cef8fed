namespace go large

enum Color { RED = 1, GREEN = 2 }

struct Point { 1: required i32 x, 2: required i32 y, 3: optional string name }

union Value { 20: i64 number, 21: string text, 22: bool flag, 23: Point point, 24: double real }

struct Loose {
  16: optional bool a, 17: optional byte b, 18: optional i16 c, 19: optional i32 d, 20: optional i64 e,
  21: optional double f, 22: optional string g, 23: optional binary h, 24: optional Color i, 25: optional uuid j,
  26: optional list<i64> k, 27: optional set<string> l, 28: optional map<string, i64> m, 29: optional map<string, string> n,
  30: optional Point o, 31: optional list<Point> p, 60: optional Value q, 61: optional map<i32, Point> r, 62: optional Loose s,
  3000: optional i64 t,
}

struct Strict {
  1: required bool a, 2: required i32 b, 3: required i64 c, 4: string d, 5: string e, 6: required string f, 7: i16 g,
  8: byte h, 9: double i = 1.5, 10: required Color j, 11: list<string> k, 12: map<i64, list<i64>> l, 13: required Point m,
  14: i32 n, 15: i32 o, 16: i64 p, 17: optional i32 q = 7, 18: string r = "x", 19: required double s, 20: binary t, 40: bool u,
}
