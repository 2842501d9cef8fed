package compat_test

import (
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/idl/compat"
)

// audited is a file in which TestAudit makes one change at a time: the changes
// that the audit of Apache's compiler is tested with.
const audited = `namespace cpp shop
const i32 LIMIT = 10
const double RATE = 0.5
const map<string, string> WORDS = {"yes": "ja"}

exception NotFound { 1: i32 code, 2: string why }
exception Refused { 1: i32 code, 2: i64 until }

enum State { NEW = 0, PAID = 1, SENT = 2, DONE = 5 }
enum Kind { BOOK = 0, FILM = 1 }

struct Item {
  1: i16 count
  2: State state
  3: bool gift
  4: double price = 2.5
  5: string note = "none"
}
struct Cart {
  1: list<i16> ids
  2: list<double> prices = [1.5]
  3: map<i16, i32> stock = {1: 2}
  5: map<double, string> names
}
struct Owner {
  1: required i32 id
  2: string name = "nobody"
}

service Base {
  oneway void hint(1: i32 a)
  void put(1: i64 id, 2: list<State> states, 3: list<string> notes) throws (1: NotFound e)
  void ping()
}
service Shop extends Base {
  State state(1: i64 id) throws (1: NotFound e)
  Item item(1: double price)
  list<i32> ids(1: map<i64, double> by)
  map<State, Kind> kinds()
}
service Other extends Base {}
`

func TestAudit(t *testing.T) {
	for _, tc := range []struct{ was, is, want string }{
		{"  void ping()\n", "", "breaks wire: Base.ping"},
		{"1: i16 count", "1: i32 count", "breaks wire: Item.count (field 1)"},
		{"2: State state", "2: Kind state", "breaks wire: Item.state (field 2)"},
		{"3: bool gift", "3: string gift", "breaks wire: Item.gift (field 3)"},
		{"3: bool gift", "3: list<bool> gift", "breaks wire: Item.gift (field 3)"},
		{"2: list<double> prices = [1.5]", "2: list<i16> prices", "breaks wire: Cart.prices (field 2)"},
		{"1: required i32 id", "1: i32 id", "breaks wire: Owner.id (field 1)"},
		{"2: string name", "2: required string name", "breaks wire: Owner.name (field 2)"},
		{"  3: bool gift\n", "", "breaks source: Item.gift (field 3)"},
		{"  1: list<i16> ids\n", "", "breaks source: Cart.ids (field 1)"},
		{"  5: map<double, string> names\n", "", "breaks source: Cart.names (field 5)"},
		{"State state(", "Kind state(", "breaks wire: Shop.state"},
		{"Item item(", "Cart item(", "breaks wire: Shop.item"},
		{"Item item(", "double item(", "breaks wire: Shop.item"},
		{"Item item(", "map<Item, Item> item(", "breaks wire: Shop.item"},
		{"list<i32> ids(", "list<i16> ids(", "breaks wire: Shop.ids"},
		{"map<State, Kind> kinds", "map<Kind, Kind> kinds", "breaks wire: Shop.kinds"},
		{"oneway void hint", "void hint", "breaks wire: Base.hint"},
		{"  void ping()", "  oneway void ping()", "breaks wire: Base.ping"},
		{"NEW = 0, ", "", "breaks wire: State.NEW (0)"},
		{", FILM = 1", "", "breaks wire: Kind.FILM (1)"},
		{"PAID = 1, ", "", "breaks wire: State.PAID (1)"},
		{"\"nobody\"", "\"nobody\", 3: required i64 since", "breaks wire: Owner.since (field 3)"},
		{"Shop extends Base", "Shop", "breaks wire: Shop"},
		{"Other extends Base", "Other extends Shop", "breaks source: Other"},
		{"put(1: i64 id", "put(1: double id", "breaks wire: Base.put.id (argument 1)"},
		{"2: list<State> states", "2: list<Kind> states", "breaks wire: Base.put.states (argument 2)"},
		{"1: map<i64, double> by", "1: list<i64> by", "breaks wire: Shop.ids.by (argument 1)"},
		{"3: list<string> notes", "3: string notes", "breaks wire: Base.put.notes (argument 3)"},
		{"notes) throws (1: NotFound e)", "notes)", "breaks wire: Base.put.e (exception 1)"},
		{"NotFound { 1: i32 code", "NotFound { 1: i64 code", "breaks wire: NotFound.code (field 1)"},
		{"(1: i64 id) throws (1: NotFound e)", "(1: i64 id) throws (1: Refused e)", "breaks wire: Shop.state.e (exception 1)"},
		{"  5: map<double", "  4: i32 number\n  5: map<double", "breaks wire: Cart.number (field 4)"},
		{"struct Owner", "struct Owners", "breaks source: Owner\nnote: Owners"},
		{"service Other extends Base {}", "", "breaks wire: Other"},

		// What the audit warns of.
		{"namespace cpp shop", "", "breaks source: namespace cpp"},
		{"namespace cpp shop", "namespace cpp store", "breaks source: namespace cpp"},
		{"DONE", "CLOSED", "breaks source: State.DONE (5)"},
		{"price = 2.5", "price = 2.4", "note: Item.price (field 4)"},
		{" = \"none\"", "", "breaks wire: Item.note (field 5)"},
		{"{1: 2}", "{1: 3}", "breaks wire: Cart.stock (field 3)"},
		{"{1: 2}", "{2: 2}", "breaks wire: Cart.stock (field 3)"},
		{"1: i16 count", "1: i16 number", "breaks source: Item.count (field 1)"},
		{"const i32 LIMIT = 10", "", "breaks source: LIMIT"},
		{"i32 LIMIT", "i64 LIMIT", "breaks source: LIMIT"},
		{"RATE = 0.5", "RATE = 0.4", "note: RATE"},
		{"\"ja\"", "\"oui\"", "note: WORDS"},
	} {
		if strings.Count(audited, tc.was) != 1 {
			t.Errorf("%q is %d times in the file, want once", tc.was, strings.Count(audited, tc.was))
		}
		changes := compare(t, audited, strings.Replace(audited, tc.was, tc.is, 1))
		if got := brief(changes); got != tc.want {
			t.Errorf("%q instead of %q:\ngot\n%s\nwant\n%s", tc.is, tc.was, got, tc.want)
		}
	}
	if changes := compare(t, audited, strings.Replace(audited, "enum Kind {", "// A kind.\nenum Kind { ", 1)); len(changes) > 0 || compat.Worst(changes) != compat.Note {
		t.Errorf("a comment is a change: %v", changes)
	}
}
