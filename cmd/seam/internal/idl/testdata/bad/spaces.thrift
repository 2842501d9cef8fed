struct A {
  1: i32 a ,
  2:﻿i32 b,
  3: i32 ​c
}
