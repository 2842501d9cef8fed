// A type with every construct of the IDL, to be read and written by other people's
// libraries. Lines with the mark UUID are left out for compilers that don't know it.

namespace go conform
namespace cpp conform
namespace py conform
namespace java conform

typedef i64 Stamp
typedef list<i64> Path

enum Color {
  RED
  GREEN = 5
  BLUE = 0x10
  NONE = -3
}

struct Point {
  1: required i32 x
  2: required i32 y
} (python.immutable = "")

union Choice {
  1: i64 number
  2: string text
  3: list<Point> path
  4: Color color
  5: binary raw
  6: bool flag
}

exception Failure {
  1: i32 code
  2: string reason
  3: optional Point place
}

struct Tree {
  1: i32 value
  2: optional list<Tree> children
  3: optional map<string, Tree> named
  4: optional Tree & left
}

struct Everything {
  1: bool truth
  2: i8 tiny
  3: i16 small
  4: i32 medium
  5: i64 large
  6: double real
  7: string text
  8: binary raw
  9: Color color
  10: Point point
  11: optional Choice choice
  12: optional Failure failure
  13: optional Tree tree
  14: Stamp stamp
  15: Path path

  20: list<bool> truths
  21: list<i8> tinies
  22: list<i16> smalls
  23: list<i32> mediums
  24: list<i64> larges
  25: list<double> reals
  26: list<string> texts
  27: list<binary> raws
  28: list<Color> colors
  29: list<Choice> choices (value_type_in_container = "true") // in Go, structs and not pointers
  30: set<i32> unique
  31: set<string> words
  32: set<Color> palette

  40: map<i32, string> names
  41: map<string, i64> counts
  42: map<i64, double> weights
  43: map<bool, i8> votes
  44: map<Color, Point> spots
  45: map<binary, i16> digests
  46: map<double, bool> thresholds
  47: map<i8, binary> pages
  48: map<Point, string> labels (value_type_in_container = "true")
  49: map<i16, Failure> failures (value_type_in_container = "true")

  60: list<list<i64>> matrix
  61: map<string, list<map<i32, set<string>>>> deep
  62: list<set<i16>> groups
  63: map<string, map<string, string>> settings

  80: optional bool maybe_truth
  81: optional i8 maybe_tiny
  82: optional i16 maybe_small
  83: optional i32 maybe_medium
  84: optional i64 maybe_large
  85: optional double maybe_real
  86: optional string maybe_text
  87: optional binary maybe_raw
  88: optional Color maybe_color
  89: optional Point maybe_point
  90: optional list<i32> maybe_list
  91: optional set<i64> maybe_set
  92: optional map<string, bool> maybe_map

  200: required string needed
  201: required list<i64> needed_list
  300: i32 answer = 42
  301: string greeting = 'hello, "world"'
  302: list<i32> primes = [2, 3, 5]
  303: Color paint = Color.BLUE
  304: Point origin = {"x": 1, "y": -1}
  1000: bool far
  1001: bool next_to_far
  32767: i64 last

  2000: optional uuid id // UUID
  2001: optional list<uuid> ids // UUID
  2002: optional map<uuid, string> by_id // UUID
}

exception NotFound {
  1: string name
}

service Base {
  string ping()
}

service Echo extends Base {
  Everything echo(1: Everything value)
  i64 add(1: i64 a, 2: i64 b)
  void nothing()
  void fail(1: string what) throws (1: NotFound missing, 2: Failure failure)
  oneway void note(1: string text)
  list<string> notes()
}
