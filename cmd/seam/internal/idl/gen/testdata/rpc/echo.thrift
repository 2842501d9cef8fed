// Every kind of result, and names that are in each other's way.
namespace * rpc.echo

include "base.thrift"

enum Color {
  RED = 1
  BLUE = 2
}

struct Item {
  1: required i64 id
  2: string name
  3: optional Color color
}

union Either {
  1: string a
  2: i32 b
}

exception NotFound {
  1: i64 id
}

typedef list<Item> Items

/** Echo gives back what it gets. */
service Echo extends base.Base {
  /** Ping answers. */
  string ping(1: i32 n, 2: string type = "x") throws (1: NotFound missing, 2: base.Busy busy)
  Item item(1: Item value) throws (1: NotFound missing)
  Items items(1: Items result)
  set<Color> colors(1: set<Color> c)
  map<i32, string> table(1: map<i32, string> err)
  map<list<i32>, string> strange(1: map<list<i32>, string> ctx)
  binary blob(1: binary no_compact)
  Either either(1: Either thrift)
  Color color(1: Color context)
  bool yes(1: bool b)
  byte small(1: byte b)
  i16 short16(1: i16 n)
  double real(1: double d)
  uuid id(1: uuid u)
  void nothing()
  void refuse() throws (1: NotFound success)
  oneway void zip(1: string s)
  i32 get_user()
  i32 getUser()
  i32 process()
  i32 base_client(1: i32 check_UTF8)
}

/** Nobody calls it. */
service Idle {}
