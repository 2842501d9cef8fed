include "../base.thrift"

namespace go corpus.inner.nested

struct Nested {
  1: base.Point point,
  2: list<base.Color> colors,
}
