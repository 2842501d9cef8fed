// A default of several lines, and annotations behind types with names.
namespace go structdefault

enum G { A }

struct P { 1: string a, 2: string b, 3: string c }

struct O {
  1: G (x = "y") g
  2: P p = {"a": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "b": "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy", "c": "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz"}
  3: list<P (x = "y")> l
}

service V { G f(1: P (x = "y") p) }
