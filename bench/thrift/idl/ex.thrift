// A message of nested lists and maps, after a published account of error paths.

namespace go PEER

struct Example {
  1: list<list<i64>> data1
  2: map<i64, list<byte>> data2
  3: list<map<i64, byte>> data3
}

service Serialize {
  Example Method(1: Example req)
}
