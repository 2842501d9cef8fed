struct S {
  i32 first
  0: i32 zero
  -5: i32 negative
  32768: i32 large
  -40000: i32 small
  i32 last
}
service Svc { void f(i32 a, 2: optional i32 b) throws (X x, 5: required X y) }
exception X {}
union U { 1: required i32 a, 2: i32 b }
