service A {
  ping()
  void list()
  void f(1: i32 a
  void g()
  void h(1: i32 a, 2: )
  void i() throws 1: E e
  void j() throws (1: E)
  oneway oneway void k()
  asinc void l()
  void m
  void n() (x = 1)
  void void o()
  oneway p(i32)
  const i32 q()
  struct r()
  void s(1: i32 a}
}
service B {
  void good(1: optional i32 a)
