struct S { 1: i32 a, 1: i32 b, 2: i32 c, 9: i32 d }
