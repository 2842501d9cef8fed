struct A {
  1: requierd i32 x,
  2: i32
  3: optional string b = ,
  4 i64 c
  5: map<i32> d
  6: list<void> e
  x: i32 f
  7: Foo<i32> g
  8: i32 cpp_type
  9: i32 xsd_all
  10: i32 a.b
  11: i32 true
  12: i32 h,,
  13: Foo (a = "b") i
  14: i32 & & j
  15: i32 k = list
  16: void l
  17: list i32 m
  18: list<i32 n
  19: list<> o
  20: map<string, > p
  21: set cpp_type foo <i32> q
  22: i32 r = [1, 2
  23: i32 s = {1 2}
  24: i32 t = {1: }
  25: required optional i32 u
  26: = 5
  1.5: i32 v
  27:: i32 w
  28: i32 x y: 5
  29: struct z
  30: i32 good
}
struct B { 1: i32 a } (x = 1)
struct C { 1: i32 a } (x = foo)
struct D { 1: i32 a } ("x" = "y")
struct E { 1: i32 a } (list = "y")
struct F { 1: i32 a } (x "y")
struct G { 1: i32 a (x = ) }
