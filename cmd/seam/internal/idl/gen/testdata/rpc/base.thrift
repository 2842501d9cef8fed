namespace * rpc.base

exception Busy {
  1: string why
}

service Base {
  i64 uptime()
  void touch(1: string what) throws (1: Busy busy)
}
