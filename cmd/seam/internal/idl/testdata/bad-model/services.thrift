include "lib/shared.thrift"
struct NoException {}
typedef shared.Failed Fine
service S extends shared.Base {
  oneway i32 a()
  oneway void b() throws (1: shared.Failed f)
  void c() throws (1: NoException e, 2: i32 f, 3: Fine g, 4: shared.Filed h)
  void d(1: i32 v, 2: i32 n = "x")
  void ping()
  async void f()
}
