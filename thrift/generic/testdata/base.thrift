typedef i64 Id (unit = "1")

service Health {
  bool ping()
}
