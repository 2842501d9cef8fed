namespce go a
namespace go
namespace 1 a
namespace list a
namespace go struct
namespace go a.b;
namespace go a.b-c
include foo.thrift
include
cpp_include <map>
import "foo.thrift"
package foo

struct A {}
include "late.thrift"
namespace go late
