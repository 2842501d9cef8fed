namespace go a
namespace go b

typedef i32 Id
struct Id { 1: i32 x }
enum Id { A }
service Id {}

const i32 LIMIT = 1
const i32 LIMIT = 2

enum E { ONE = 1, TWO, ONE = 3 }

struct S {
  1: i32 a
  2: i32 b
  1: i32 c
  3: i32 a
  32767: i32 last
  2: i32 d
}

service Svc {
  void f(1: i32 a, 1: i32 b) throws (1: X x, 2: X x)
  void g()
  void f()
}
service Derived extends Svc { void g() }
service Third extends Derived { void f() }

exception X {}
