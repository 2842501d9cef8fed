include "lib/sharde.thrift"
include "includes.thrift"
include "circle.thrift"
struct S { 1: sharde.Address a, 2: circle.T b, 3: i32 c = sharde.LIMIT, 4: Unknown d }
service X extends sharde.Base { void ping() }
