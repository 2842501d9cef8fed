struct A {
  1: i32 ÿþý a,
}
