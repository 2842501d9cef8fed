// Package sample is what seam gen makes of idl/sample.thrift, committed so that
// its behaviour can be tested. TestGolden of package gen makes it anew.
package sample

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/idl/gen/internal/sample/shared"
	"github.com/seamgo/seam/thrift"
)

// full is a value of every field.
func full() *Everything {
	tea := func() *Item { return &Item{Name: "tea", Count: 2, Tags: []string{"a", "b"}} }
	return &Everything{
		Yes: true, Tiny: -8, Small: 16, Medium: 32, Large: 64, Real: 0.5, Text: "täxt", Data: []byte("data"),
		ID: thrift.UUID{1, 2}, State: State_DONE, Item: tea(),
		MaybeYes: thrift.Ptr(false), MaybeLarge: thrift.Ptr[int64](7), MaybeText: thrift.Ptr(""), MaybeID: &thrift.UUID{},
		MaybeState: thrift.Ptr(State_OPEN), MaybeData: []byte{}, MaybeList: []int32{},
		Items: []*Item{tea(), {Name: "milk"}}, Words: []string{"x", "y"}, ItemSet: []*Item{tea(), {Name: "milk"}},
		ByNumber: map[int32]*Item{1: tea()}, ByBytes: map[string][][]byte{"k": {[]byte("v"), []byte("w")}},
		ByList:  []thrift.Pair[[]int32, *Item]{{Key: []int32{1}, Value: tea()}, {Key: []int32{2}, Value: tea()}},
		ByItem:  []thrift.Pair[*Item, []int32]{{Key: tea(), Value: []int32{3, 4}}},
		Table:   [][]float64{{1, 2}, {3}},
		Deep:    []map[string][]*Item{{"d": {tea()}}},
		States:  map[State]State{State_OPEN: State_DONE},
		Lists:   [][]int32{{1, 2}, {3}},
		Aliased: Items{tea()}, AliasMap: ItemMap{"t": tea()}, Thing: tea(), Buyer: 9,
		Address: &shared.Address{Street: "Side"},
		ByUUID:  map[thrift.UUID]float64{{1}: 1.5}, Reals: []float64{1, 2},
		// A struct that is nil is not written, and becomes its default when read.
		Self: &Everything{Text: "inner", Address: &shared.Address{Street: "Side"}},
	}
}

func TestNewHasDefaults(t *testing.T) {
	e := NewEverything()
	if e.State != State_DONE || e.ID.String() != "00112233-4455-6677-8899-aabbccddeeff" || e.Address.Street != "Side" {
		t.Errorf("got %v", e)
	}
	if e.MaybeLarge != nil || NewItem_().Tags != nil {
		t.Error("an optional field begins with its default, and not absent")
	}
	if NewItem_().Count != 1 {
		t.Error("the default of a field without a word is missing")
	}
	a, b := NewEverything(), NewEverything()
	if a.Address.Street = "changed"; b.Address.Street != "Side" {
		t.Error("two structs share a default")
	}
}

func TestGettersKnowDefaults(t *testing.T) {
	i := &Item{}
	if i.GetUnit() != shared.Unit_PIECE || i.GetPrice() != 0 || len(i.GetTags()) != 1 {
		t.Errorf("unit %v, price %v, tags %v", i.GetUnit(), i.GetPrice(), i.GetTags())
	}
	if i.GetTags()[0] = "changed"; i.GetTags()[0] != "new" {
		t.Error("the default of a getter can be changed")
	}
	i.Unit, i.Price, i.Tags = thrift.Ptr(shared.Unit_KILO), thrift.Ptr(2.5), []string{}
	if i.GetUnit() != shared.Unit_KILO || i.GetPrice() != 2.5 || len(i.GetTags()) != 0 {
		t.Errorf("unit %v, price %v, tags %v", i.GetUnit(), i.GetPrice(), i.GetTags())
	}
	if (&Everything{}).GetMaybeLarge() != 100 {
		t.Error("a default that is a constant")
	}
}

func TestEqual(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name string
		a, b *Everything
		want bool
	}{
		{"nil and nil", nil, nil, true},
		{"nil and empty", nil, &Everything{}, false},
		{"everything", full(), full(), true},
		{"nil and empty list", &Everything{Items: nil}, &Everything{Items: Items{}}, true},
		{"nil and empty map", &Everything{}, &Everything{ByNumber: map[int32]*Item{}}, true},
		{"absent and empty optional list", &Everything{}, &Everything{MaybeList: []int32{}}, false},
		{"absent and zero optional", &Everything{}, &Everything{MaybeLarge: thrift.Ptr[int64](0)}, false},
		{"set in another order", &Everything{Words: []string{"a", "b", "b"}}, &Everything{Words: []string{"b", "a", "b"}}, true},
		{"set with another count", &Everything{Words: []string{"a", "b", "b"}}, &Everything{Words: []string{"b", "a", "a"}}, false},
		{"list in another order", &Everything{MaybeList: []int32{1, 2}}, &Everything{MaybeList: []int32{2, 1}}, false},
		{
			"set of structs in another order",
			&Everything{ItemSet: []*Item{{Name: "a"}, {Name: "b", Tags: []string{"x"}}, nil}},
			&Everything{ItemSet: []*Item{nil, {Name: "b", Tags: []string{"x"}}, {Name: "a"}}}, true,
		},
		{
			"set of structs of which one differs",
			&Everything{ItemSet: []*Item{{Name: "a"}, {Name: "b"}}},
			&Everything{ItemSet: []*Item{{Name: "b"}, {Name: "c"}}}, false,
		},
		{
			"set of lists: their own order counts",
			&Everything{Lists: [][]int32{{1, 2}, {3}}}, &Everything{Lists: [][]int32{{3}, {2, 1}}}, false,
		},
		{
			"pairs in another order",
			&Everything{ByItem: []thrift.Pair[*Item, []int32]{{Key: &Item{Name: "a"}, Value: []int32{1, 2}}, {Key: &Item{Name: "b"}}}},
			&Everything{ByItem: []thrift.Pair[*Item, []int32]{{Key: &Item{Name: "b"}, Value: []int32{}}, {Key: &Item{Name: "a"}, Value: []int32{2, 1}}}}, true,
		},
		{
			"pairs with other values",
			&Everything{ByList: []thrift.Pair[[]int32, *Item]{{Key: []int32{1}, Value: &Item{Name: "a"}}, {Key: []int32{2}, Value: nil}}},
			&Everything{ByList: []thrift.Pair[[]int32, *Item]{{Key: []int32{2}, Value: &Item{Name: "a"}}, {Key: []int32{1}, Value: nil}}}, false,
		},
		{"zero and minus zero in sets", &Everything{Reals: []float64{1, 0}}, &Everything{Reals: []float64{math.Copysign(0, -1), 1}}, true},
		{"not a number", &Everything{Real: nan}, &Everything{Real: nan}, false},
		{"not a number in a set", &Everything{Reals: []float64{nan}}, &Everything{Reals: []float64{nan}}, false},
		{"missing key", &Everything{ByNumber: map[int32]*Item{1: nil}}, &Everything{ByNumber: map[int32]*Item{2: nil}}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.a.Equal(c.b) != c.want || c.b.Equal(c.a) != c.want {
				t.Errorf("Equal is %v one way and %v the other, want %v", c.a.Equal(c.b), c.b.Equal(c.a), c.want)
			}
		})
	}
}

// Every field must count in Equal: a full struct without one of them differs.
func TestEqualSeesEveryField(t *testing.T) {
	for i := range reflect.TypeFor[Everything]().NumField() {
		other := full()
		reflect.ValueOf(other).Elem().Field(i).SetZero()
		if full().Equal(other) {
			t.Errorf("%s does not count", reflect.TypeFor[Everything]().Field(i).Name)
		}
	}
}

func TestCloneSharesNothing(t *testing.T) {
	original := full()
	c := original.Clone()
	if !reflect.DeepEqual(original, c) {
		t.Fatalf("the copy differs:\n%v\n%v", original, c)
	}
	scribble(reflect.ValueOf(c).Elem())
	if !reflect.DeepEqual(original, full()) {
		t.Errorf("a change of the copy shows in the original: %v", original)
	}
	if (*Everything)(nil).Clone() != nil {
		t.Error("the copy of nil is not nil")
	}
	if e := (&Everything{MaybeData: []byte{}}).Clone(); e.MaybeData == nil || e.MaybeList != nil {
		t.Error("empty and absent are mixed up")
	}
}

// scribble changes everything that can be reached.
func scribble(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			scribble(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			scribble(v.Field(i))
		}
	case reflect.Slice:
		for i := range v.Len() {
			scribble(v.Index(i))
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			scribble(v.MapIndex(k))
			v.SetMapIndex(k, reflect.Value{})
		}
	default:
		if v.CanSet() {
			v.SetZero()
		}
	}
}

func TestString(t *testing.T) {
	for want, v := range map[string]interface{ String() string }{
		`Item{name: "tea", count: 2}`:                       &Item{Name: "tea", Count: 2},
		`Item{name: "", count: 0, unit: Unit(7), tags: []}`: &Item{Unit: thrift.Ptr(shared.Unit(7)), Tags: []string{}},
		`nil`: (*Item)(nil),
		`Payment{barter: Item{name: "x", count: 0}}`: &Payment{Barter: &Item{Name: "x"}},
		`NewItem{}`: &NewItem{},
		`State(42)`: State(42),
		`DONE`:      State_FINISHED,
	} {
		if got := v.String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	got := full().String()
	for _, part := range []string{
		`id: 01020000-0000-0000-0000-000000000000`, `data: 0x64617461`, `by_list: {[1]: Item{name: "tea", count: 2, tags: ["a", "b"]}, [2]: Item{`,
		`by_bytes: {"k": [0x76, 0x77]}`, `states: {OPEN: DONE}`, `self: Everything{yes: false,`,
	} {
		if !strings.Contains(got, part) {
			t.Errorf("%s is not in %s", part, got)
		}
	}
}

func TestStringIsShort(t *testing.T) {
	e := full()
	e.Text = strings.Repeat("é", 1<<20)
	e.Data = make([]byte, 1<<20)
	e.MaybeList = make([]int32, 1<<20)
	e.Self = e // nobody decodes that, but anybody can make it
	if got := e.String(); len(got) > 5000 || !strings.Contains(got, `…(+`) || !strings.HasSuffix(got, "…") {
		t.Errorf("%d bytes: %.300s … %s", len(got), got, got[len(got)-100:])
	}
}

func TestExceptionIsAnError(t *testing.T) {
	var err error = &NoSuchOrder{Message: "gone", Error_: 4}
	var exception *NoSuchOrder
	if !errors.As(err, &exception) || err.Error() != `NoSuchOrder{message: "gone", error: 4}` {
		t.Errorf("got %v", err)
	}
}

func TestWhich(t *testing.T) {
	for _, c := range []struct {
		p  Payment
		id int16
		ok bool
	}{
		{Payment{}, 0, false},
		{Payment{Card: thrift.Ptr("")}, 1, true},
		{Payment{Stamps: []int32{}}, 4, true},
		{Payment{Cash: thrift.Ptr[int64](1), Barter: &Item{}}, 0, false},
	} {
		if id, ok := c.p.Which(); id != c.id || ok != c.ok {
			t.Errorf("%v: got %d, %v, want %d, %v", &c.p, id, ok, c.id, c.ok)
		}
	}
}

func TestEnumText(t *testing.T) {
	for _, c := range []struct {
		v     State
		text  string
		valid bool
	}{
		{State_OPEN, "OPEN", true},
		{State_FINISHED, "DONE", true},
		{State_MINUS, "MINUS", true},
		{42, "42", false},
		{math.MinInt32, "-2147483648", false},
	} {
		text, err := c.v.MarshalText()
		if err != nil || string(text) != c.text || c.v.Valid() != c.valid {
			t.Errorf("%d: text %q, %v; valid %v", int32(c.v), text, err, c.v.Valid())
		}
		var back State
		if err := back.UnmarshalText(text); err != nil || back != c.v {
			t.Errorf("%q becomes %d, %v", text, int32(back), err)
		}
	}
	if v, err := ParseState("FINISHED"); v != State_FINISHED || err != nil {
		t.Errorf("the second name of a number: %v, %v", v, err)
	}
	for _, text := range []string{"", "open", "State(42)", "2147483648", "1.0"} {
		v := State_DONE
		if err := v.UnmarshalText([]byte(text)); err == nil || v != State_DONE {
			t.Errorf("%q is taken as %v", text, v)
		}
	}
}

func TestConstants(t *testing.T) {
	if LIMIT != 100 || NAMELESS != 42 || FIRST != State_DONE || !math.Signbit(MinusZero) || Huge != 1e300 {
		t.Error("numbers")
	}
	if PRIMES[3] != 100 || len(PLAN["a"]) != 2 || BY_LIST[0].Value != "x" || string(MAGIC) != "\tbytes" {
		t.Error("containers")
	}
	if TEA.Name != "tea" || TEA.Count != 3 || shared.HOME.GetZip() != "00000" {
		t.Error("structs")
	}
}

func TestJSON(t *testing.T) {
	i := &Item{Name: "tea", Unit: thrift.Ptr(shared.Unit_GRAM)}
	text, err := json.Marshal(i)
	if want := `{"name":"tea","count":0,"unit":"GRAM"}`; err != nil || string(text) != want {
		t.Errorf("got %s, %v, want %s", text, err, want)
	}
	e := full()
	text, err = json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"id":"01020000-0000-0000-0000-000000000000"`, `"by_list":[{"key":[1],"value":{`, `"data":"ZGF0YQ=="`, `"states":{"OPEN":"DONE"}`} {
		if !bytes.Contains(text, []byte(part)) {
			t.Errorf("%s is not in %s", part, text)
		}
	}
	var back Everything
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	// encoding/json leaves out what is optional and empty.
	e.MaybeData, e.MaybeList = nil, nil
	if !back.Equal(e) {
		t.Errorf("from JSON comes\n%v\nwant\n%v", &back, e)
	}
}

// The tags are what the run-time reads by reflection.
func TestTags(t *testing.T) {
	for name, want := range map[string]string{
		"Yes":        "yes,1,default,bool",
		"Tiny":       "tiny,2,default,i8",
		"State":      "state,10,default,State",
		"MaybeLarge": "maybe_large,13,optional,i64",
		"ByBytes":    "by_bytes,23,default,map<binary,list<binary>>",
		"ByItem":     "by_item,25,default,map<Item,set<i32>>",
		"Aliased":    "aliased,30,default,list<Item>",
		"Thing":      "thing,32,default,Item",
		"Buyer":      "buyer,33,default,i64",
		"ByUUID":     "by_uuid,35,default,map<uuid,double>",
	} {
		field, ok := reflect.TypeFor[Everything]().FieldByName(name)
		if got := field.Tag.Get("thrift"); !ok || got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	for name, protocol := range map[string]struct {
		append func(*Everything) ([]byte, error)
		decode func(*Everything, []byte) error
	}{
		"binary":  {func(e *Everything) ([]byte, error) { return e.AppendBinary(nil) }, (*Everything).DecodeBinary},
		"compact": {func(e *Everything) ([]byte, error) { return e.AppendCompact(nil) }, (*Everything).DecodeCompact},
	} {
		b, err := protocol.append(full())
		if err != nil {
			t.Fatal(name, err)
		}
		back := NewEverything()
		if err := protocol.decode(back, b); err != nil || !back.Equal(full()) {
			t.Errorf("%s: %v\n%v", name, err, back)
		}
	}
}
