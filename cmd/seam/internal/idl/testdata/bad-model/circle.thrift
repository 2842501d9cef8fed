include "lib/shared.thrift"
include "includes.thrift"
struct T { 1: includes.S s }
