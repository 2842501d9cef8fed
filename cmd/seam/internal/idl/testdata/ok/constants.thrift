include "base.thrift"

const bool YES = true
const bool NO = false;
const bool ONE = 1,
const i8 TINY = -1
const i16 SHORT = 0x7FFF
const i32 NEGATIVE_HEX = -0x80000000
const i32 PLUS = +5
const i32 ZEROS = 007
const i64 MAX = 9223372036854775807
const i64 MIN = -9223372036854775808
const i64 HEX = 0xfedcba987654321

const double HALF = .5
const double PI = 3.14159
const double BIG = 1e100
const double SMALL = -2.5E-10
const double SIGNED = +1.5e+3
const double WHOLE = 7
const double TAIL = 7.0

const string EMPTY = ""
const string SINGLE = 'single'
const string QUOTES = "it's \"so\""
const string OTHER_QUOTES = 'it\'s "so"'
const string ESCAPES = "line\nreturn\rtab\tslash\\"
const string UNICODE = "Grüße, 世界 🎉"
const string COMMENT = "/* no */ // comment # at all"
const binary BYTES = "abc"
const uuid ID = "00112233-4455-6677-8899-aabbccddeeff"

const i32 SAME = PLUS
const i32 OTHER_FILE = base.LIMIT
const base.Color COLOR = base.Color.BLUE
const base.Color NUMBER = 2
const base.Point POINT = {"x": 1, "y": PLUS}
const base.Stamp STAMP = 1700000000

const list<i32> LIST = [1, 2, 3]
const list<i32> SEPARATORS = [1 2; 3, 4]
const set<string> SET = ["a", "b"]
const list<list<i32>> LISTS = [[1], [], [2, 3]]
const map<string, i32> MAP = {"a": 1, "b": 2; "c": 3 "d": 4}
const map<i32, map<string, list<base.Point>>> DEEP = {
  1: {"a": [{"x": 1}, {"y": 2}], "b": []},
  2: {},
}
const map<list<i32>, string> LIST_KEYS = {[1, 2]: "a", []: "b"}
const map<base.Point, i32> STRUCT_KEYS = {{"x": 1, "y": 2}: 3}
const map<base.Color, string> ENUM_KEYS = {base.Color.RED: "red", base.Color.BLUE: "blue"}
