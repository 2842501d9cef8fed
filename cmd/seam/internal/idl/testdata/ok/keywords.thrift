// Apache's keywords may name fields and arguments, but nothing else.
struct Keywords {
  1: i32 namespace,
  2: i32 include,
  3: i32 cpp_include,
  4: i32 void,
  5: bool bool,
  6: byte byte,
  7: i8 i8,
  8: i16 i16,
  9: i32 i32,
  10: i64 i64,
  11: double double,
  12: string string,
  13: binary binary,
  14: uuid uuid,
  15: map<i32, i32> map,
  16: list<i32> list,
  17: set<i32> set,
  18: i32 oneway,
  19: i32 async,
  20: i32 typedef,
  21: i32 struct,
  22: i32 union,
  23: i32 exception,
  24: i32 extends,
  25: i32 throws,
  26: i32 service,
  27: i32 enum,
  28: i32 const,
  29: required i32 required,
  30: optional i32 optional = 1,
}

// Words of other languages are names like all others.
struct class {
  1: i32 type,
  2: i32 func,
  3: i32 self,
  4: i32 def,
  5: i32 end,
  6: i32 package,
}

service interface {
  i32 import(1: string list, 2: i32 const),
  void go(),
}
