/** Orders, for the tests of generated code. */
include "shared.thrift"

namespace go sample

/**
 * How an order stands.
 *
 *  - open: wait
 *  - done: don't
 */
enum State {
  /** nobody has looked */
  OPEN,
  DONE = 5,
  FINISHED = 5, // the older word
  MINUS = -1
}

typedef list<Item> Items
typedef map<string, Item> ItemMap
typedef shared.user_id Buyer
typedef Item Thing

const i32 MAX_ITEMS = 100
const double half = 0.5
const double huge = 1e300
const double minus_zero = -0.0
const string greeting = "ein \"Gruß\"\n"
const State FIRST = State.DONE
const State NAMELESS = 42
const i64 LIMIT = MAX_ITEMS
const list<i32> PRIMES = [2, 3, 5, MAX_ITEMS]
const map<string, list<State>> PLAN = {"a": [State.OPEN, FIRST], "b": []}
const map<list<i32>, string> BY_LIST = {[1, 2]: "x"}
const Item TEA = {"name": "tea", "count": 3}
const uuid NIL_UUID = "00000000-0000-0000-0000-000000000000"
const binary MAGIC = "\tbytes"

/** One line of an order. */
struct Item {
  1: required string name
  2: i32 count = 1
  3: optional shared.Unit unit = shared.Unit.PIECE
  4: optional double price
  5: optional list<string> tags = ["new"]
}

struct Everything {
  1: bool yes
  2: byte tiny
  3: i16 small
  4: i32 medium
  5: i64 large
  6: double real
  7: string text
  8: binary data
  9: uuid id = "00112233-4455-6677-8899-aabbccddeeff"
  10: State state = State.DONE
  11: Item item
  12: optional bool maybe_yes
  13: optional i64 maybe_large = MAX_ITEMS
  14: optional string maybe_text
  15: optional uuid maybe_id
  16: optional State maybe_state
  17: optional binary maybe_data
  18: optional list<i32> maybe_list
  19: list<Item> items
  20: set<string> words
  21: set<Item> item_set
  22: map<i32, Item> by_number
  23: map<binary, list<binary>> by_bytes
  24: map<list<i32>, Item> by_list
  25: map<Item, set<i32>> by_item
  26: list<list<double>> table
  27: list<map<string, list<Item>>> deep
  28: map<State, State> states
  29: set<list<i32>> lists
  30: Items aliased
  31: ItemMap alias_map
  32: Thing thing
  33: Buyer buyer (deprecated = "use item")
  34: shared.Address address = {"street": "Side"}
  35: map<uuid, double> by_uuid
  36: set<double> reals
  37: optional Everything self
}

union Payment {
  1: string card
  2: i64 cash
  3: Item barter
  4: list<i32> stamps
}

exception NoSuchOrder {
  1: string message
  2: i32 error
}

/** Names that meet. */
struct Clash {
  1: string equal
  2: string Equal
  3: string get_name
  4: string name
  5: string type
  6: string user_id
  7: string userID
  8: string _private
  9: string clone
  10: string http_url
  11: string append_binary
  12: string which
}

struct NewItem {}
struct item_ {}
struct Nothing {}

service Store {
  Item find(1: string name) throws (1: NoSuchOrder missing)
  oneway void forget(1: string name)
  void ping()
}
