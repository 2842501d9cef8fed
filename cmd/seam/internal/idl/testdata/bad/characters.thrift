struct A {
  1: i32 größe,
  2: i32 a-b,
  3: i32 $c,
  4: i32 d?,
  5: i32 e,
  6: i32 「f」,
}
@annotation
struct B {
  1: i32 a/b
  2: i32 good
}
