struct A {
  1: i32 a
  2: i32 b

struct B {
  1: i32 a

/** doc */
union C {
  1: i32 a
}

enum D {
  ONE

service E {
  void f()

const i32 G = 1
