include "lib/shared.thrift"
const i32 A = shared.LIMIT
const i32 B = shared.LIMTI
const i32 C = LIMIT
const string D = shared.LIMIT
const i32 E = inner.X
const i32 F = shard.LIMIT
