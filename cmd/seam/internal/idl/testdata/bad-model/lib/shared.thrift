include "inner.thrift"
struct Address { 1: string street }
service Base { void ping() }
const i32 LIMIT = 10
exception Failed {}
