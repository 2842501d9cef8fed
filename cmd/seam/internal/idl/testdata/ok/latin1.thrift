// Grüße in Latin-1: comments may be anything.
struct A {
  1: i32 a, /* הצ */
}