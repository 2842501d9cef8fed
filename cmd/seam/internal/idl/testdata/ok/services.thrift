include "base.thrift"

exception Missing {
  1: string what,
}

service Empty {}

service Parent extends base.Base {
  void nothing(),
}

service Store extends Parent {
  void put(1: string key, 2: binary value),
  binary get(1: string key) throws (1: Missing missing),
  oneway void forget(1: string key),
  list<string> keys(1: string prefix = "", 2: i32 limit = base.LIMIT) throws (1: Missing missing, 2: base.Failure failure)
  map<string, base.Point> points(1: list<string> keys);
  base.Point point(string key, base.Color color)
  bool old(-1: i32 a, -2: i32 b)
  void no_throws() throws ()
  i32 required_argument(1: required i32 a)
  void annotated(1: i32 a (arg = "x")) throws (1: Missing m (thrown)) (deprecated, since = "2"),
  uuid (note = "result") new_id()
} (version = "3")

service NamesOfServicesMayBeLong {
  void andThoseOfTheirFunctionsTooSoThatGofmtBreaksWhatIsMadeOfBoth()
}
