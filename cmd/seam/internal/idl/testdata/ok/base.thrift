// What other files of the corpus include.
namespace go corpus.base
namespace * corpus.base

typedef i64 Stamp

enum Color {
  RED = 1,
  GREEN = 2,
  BLUE = 4,
}

struct Point {
  1: i32 x,
  2: i32 y,
}

exception Failure {
  1: i32 code,
  2: string message,
}

const i32 LIMIT = 100
const Point ORIGIN = {"x": 0, "y": 0}

service Base {
  void ping(),
}
