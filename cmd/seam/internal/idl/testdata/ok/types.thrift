include "base.thrift"

typedef bool Bool
typedef byte Byte
typedef i8 I8
typedef i16 I16
typedef i32 I32
typedef i64 I64
typedef double Double
typedef string String
typedef binary Binary
typedef uuid Uuid
typedef base.Point Point
typedef Point Again;
typedef list<Point> Points,
typedef map<string, list<set<map<i32, binary>>>> Deep
typedef i64 ( unsigned = "true" ) U64 ( doc = "a typedef" )
typedef list<i32> (list.note = "on the list") Numbers
typedef map cpp_type "std::unordered_map<int, int>" <i32, i32> Unordered
typedef set cpp_type "std::unordered_set<int>" < i32 > UnorderedSet
typedef list cpp_type "std::deque<int>" <i32> Deque
typedef list<i32> cpp_type "std::deque<int>" OldDeque

struct Leaf {
  1: i32 id,
}

struct All {
  1: bool a,
  2: byte b,
  3: i8 c,
  4: i16 d,
  5: i32 e,
  6: i64 f,
  7: double g,
  8: string h,
  9: binary i,
  10: uuid j,
  11: Leaf k,
  12: base.Color l,
  13: list<string> m,
  14: set<uuid> n,
  15: map<i64, Leaf> o,
  16: list<list<list<i16>>> p,
  17: map<list<i32>, string> q,
  18: map<set<i32>, map<string, binary>> r,
  19: map<Leaf, set<Leaf>> s,
  20: map<map<i32, i32>, list<Leaf>> t,
  21: map<binary, bool> u,
  22: map<double, double> v,
  23: map<base.Color, base.Point> w,
  24: Deep x,
  25: list<string (utf8 = "no")> (list.note = "y") y,
  26: map<string (a), i32 (b = "c")> z,
}
