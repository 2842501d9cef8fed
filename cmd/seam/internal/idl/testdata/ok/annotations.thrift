namespace cpp corpus.annotations (a = "namespace")

typedef i32 (a = "base type") Base (a = "typedef")
typedef list<i32 (a = "element")> (a = "list") List (a = "x", b, c.d = "", a = "twice")

enum Enum {
  ONE = 1 (a = "value"),
  TWO (a),
} (a = "enum")

struct Struct {
  1: i32 one (a = "field", b = 'single "quotes"'),
  2: i32 (a = "type") two = 5 (a = "with default"),
  3: map<string (a), set<i64 (b)> (c)> (d) three (e),
  4: optional list<Struct> four (a = "1"; b = "2" c)
} (
  a = "struct",
  go.tag = 'json:"x,omitempty"',
  plain
)

union Union {
  1: i32 one (a),
} (a = "union")

exception Exception {
  1: i32 one (a),
} (a = "exception")

struct None {
  1: i32 one (),
} ()

service Service {
  i32 (a = "result") call(1: i32 arg (a = "argument")) throws (1: Exception e (a = "thrown")) (a = "function"),
  void other() (a, b, c),
} (a = "service")
