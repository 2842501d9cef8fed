//seam:test race 386

package validate_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/seamgo/seam/thrift"
	"github.com/seamgo/seam/thrift/internal/kinds/validated"
	"github.com/seamgo/seam/thrift/validate"
)

func order() *validated.Order {
	return &validated.Order{
		ID: 1, Items: []*validated.Item{{Name: "a", Price: thrift.Ptr(0.0)}}, Colour: thrift.Ptr(validated.Colour_RED),
		Counts: map[string][]int32{"k": {9, -1}}, Gift: &validated.Item{Name: "gift"}, Agreed: true, State: "paid",
		Loose: &validated.Item{}, ByItem: []thrift.Pair[*validated.Item, string]{{Key: &validated.Item{Name: "x"}, Value: "v"}},
		Colours: []validated.Colour{validated.Colour_RED}, Named: map[string]*validated.Item{"n": {Name: "n"}},
		InPlace: []validated.Item{{Name: "p"}},
	}
}

// Each rule is kept by the order above, and broken by one change.
func TestRules(t *testing.T) {
	if err := order().Validate(); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*validated.Order){
		`Order.id: breaks vt.gt = "0"`:                           func(o *validated.Order) { o.ID = 0 },
		`Order.items: breaks vt.min_size = "1"`:                  func(o *validated.Order) { o.Items = nil },
		`Order.items[1]: breaks vt.no_sparse`:                    func(o *validated.Order) { o.Items = append(o.Items, nil) },
		`Order.items[0].name: breaks vt.min_size = "1"`:          func(o *validated.Order) { o.Items[0].Name = "" },
		`Order.items[0].name: breaks vt.max_size = "10"`:         func(o *validated.Order) { o.Items[0].Name = "elevenchars" },
		`Order.items[0].name: breaks vt.pattern = "^[a-z]+$"`:    func(o *validated.Order) { o.Items[0].Name = "A" },
		`Order.items[0].price: breaks vt.ge = "0"`:               func(o *validated.Order) { o.Items[0].Price = thrift.Ptr(math.NaN()) },
		`Order.items[0].price: breaks vt.lt = "1e6"`:             func(o *validated.Order) { o.Items[0].Price = thrift.Ptr(1e6) },
		`Order.colour: breaks vt.defined_only`:                   func(o *validated.Order) { o.Colour = thrift.Ptr(validated.Colour(7)) },
		`Order.colour: breaks vt.not_in = "Colour.GREEN"`:        func(o *validated.Order) { o.Colour = thrift.Ptr(validated.Colour_GREEN) },
		`Order.counts["x"].key: breaks vt.prefix = "k"`:          func(o *validated.Order) { o.Counts = map[string][]int32{"x": nil} },
		`Order.counts["k"]: breaks vt.max_size = "2"`:            func(o *validated.Order) { o.Counts["k"] = []int32{1, 2, 3} },
		`Order.counts["k"][1]: breaks vt.le = "9"`:               func(o *validated.Order) { o.Counts["k"] = []int32{1, 10} },
		`Order.gift: breaks vt.not_nil`:                          func(o *validated.Order) { o.Gift = nil },
		`Order.gift.name: breaks vt.min_size = "1"`:              func(o *validated.Order) { o.Gift.Name = "" },
		`Order.agreed: breaks vt.const = "true"`:                 func(o *validated.Order) { o.Agreed = false },
		`Order.state: breaks vt.in = "new", "paid"`:              func(o *validated.Order) { o.State = "sold" },
		`Order.raw: breaks vt.suffix = "z"`:                      func(o *validated.Order) { o.Raw = []byte("a") },
		`Order.by_item[0].key.name: breaks vt.min_size = "1"`:    func(o *validated.Order) { o.ByItem[0].Key.Name = "" },
		`Order.by_item[0]: breaks vt.const = "v"`:                func(o *validated.Order) { o.ByItem[0].Value = "" },
		`Order.colours[0]: breaks vt.const = "RED"`:              func(o *validated.Order) { o.Colours[0] = validated.Colour_GREEN },
		`Order.named["n"]: breaks vt.no_sparse`:                  func(o *validated.Order) { o.Named["n"] = nil },
		`Order.in_place[0].name: breaks vt.pattern = "^[a-z]+$"`: func(o *validated.Order) { o.InPlace[0].Name = "0" },
	} {
		o := order()
		change(o)
		err := o.Validate()
		var e *validate.Error
		if !errors.As(err, &e) || err.Error() != want {
			t.Errorf("the error is %v, want %s", err, want)
		}
	}
	if err := (*validated.Order)(nil).Validate(); err != nil {
		t.Error(err)
	}
	if err := (&validated.One{N: thrift.Ptr(int32(4))}).Validate(); err == nil || !strings.Contains(err.Error(), "One.n") {
		t.Error(err)
	}
}

func window() *validated.Window {
	return &validated.Window{
		From_: 4, Until: 20, Share: thrift.Ptr(1.0), Names: []string{"äb"}, Prefix: "äb", Label: "äb-4%", Raw: []byte("äb"), Colour: validated.Colour_RED,
		Also: validated.Colour_RED, Open: true, Agreed: true, Made: 5, Counts: map[string]int32{"äöü": 20},
	}
}

// The same for rules that refer to other fields and call functions.
func TestReferences(t *testing.T) {
	if err := window().Validate(); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*validated.Window){
		`Window.until: breaks vt.gt = "$from_"`:                                    func(w *validated.Window) { w.Until = 4 },
		`Window.until: breaks vt.le = "@add($from_, 100)"`:                         func(w *validated.Window) { w.Until = 110 },
		`Window.share: breaks vt.lt = "$most"`:                                     func(w *validated.Window) { w.Share = thrift.Ptr(1.5) }, // the default
		`Window.share: breaks vt.ge = "@mod($until, 2)"`:                           func(w *validated.Window) { w.Until, w.Share = 21, thrift.Ptr(0.5) },
		`Window.names: breaks vt.max_size = "$from_"`:                              func(w *validated.Window) { w.Names = make([]string, 5) },
		`Window.names[0]: breaks vt.max_size = "@len($prefix)"`:                    func(w *validated.Window) { w.Names[0] = "äbc" },
		`Window.names[0]: breaks vt.prefix = "$prefix"`:                            func(w *validated.Window) { w.Names[0] = "x" },
		`Window.prefix: breaks vt.min_rune_size = "1"`:                             func(w *validated.Window) { w.Prefix, w.Names = "", nil },
		`Window.prefix: breaks vt.max_rune_size = "2"`:                             func(w *validated.Window) { w.Prefix, w.Names = "abc", nil },
		`Window.label: breaks vt.const = "@sprintf(\"%s-%d%%\", $prefix, $from_)"`: func(w *validated.Window) { w.Label = "äb-5%" },
		`Window.raw: breaks vt.suffix = "$prefix"`:                                 func(w *validated.Window) { w.Raw = nil; w.Raw = []byte("b") },
		`Window.raw: breaks vt.not_contains = "@add($prefix, 'x')"`:                func(w *validated.Window) { w.Raw = []byte("äbxäb") },
		`Window.colour: breaks vt.in = "$also", "GREEN"`:                           func(w *validated.Window) { w.Colour = 7 },
		`Window.open: breaks vt.const = "$agreed"`:                                 func(w *validated.Window) { w.Agreed = false },
		`Window.tiny: breaks vt.not_in = "$from_", "@len($names)"`:                 func(w *validated.Window) { w.Tiny = 1 },
		`Window.tiny: breaks vt.lt = "$most"`:                                      func(w *validated.Window) { w.Tiny = 2 },
		`Window.made: breaks vt.lt = "@add(@now_unix_nano(), 1000)"`:               func(w *validated.Window) { w.Made = math.MaxInt64 },
		`Window.counts["äöü"]: breaks vt.le = "$until"`:                            func(w *validated.Window) { w.Counts["äöü"] = 21 },
		`Window.counts["ä"].key: breaks vt.min_rune_size = "@len($raw)"`:           func(w *validated.Window) { w.Counts = map[string]int32{"ä": 1} },
		`Window: breaks vt.assert = "@equal(@mod($until, 10), 0)"`:                 func(w *validated.Window) { w.Until = 22 },
	} {
		w := window()
		change(w)
		if err := w.Validate(); err == nil || err.Error() != want {
			t.Errorf("the error is %v, want %s", err, want)
		}
	}
	w := window()
	w.Colour = validated.Colour_GREEN
	if err := w.Validate(); err != nil {
		t.Error(err)
	}
	if validate.Mod(-7, 3) != -1 || validate.Mod(7, 0) != 7 {
		t.Error("Mod")
	}
}

// Functions of one's own: --validate-func.
func TestFunctionsOfOnesOwn(t *testing.T) {
	good := validated.Card{Number: "79927398713", Limit: 50, Income: 100, Others: []string{"79927398713"}}
	if err := good.Validate(); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*validated.Card){
		`Card: breaks vt.assert = "@luhn($number)"`:             func(c *validated.Card) { c.Number, c.Others = "79927398710", nil },
		`Card.limit: breaks vt.le = "@share($income, 0.5)"`:     func(c *validated.Card) { c.Limit = 51 },
		`Card.income: breaks vt.ge = "@share(10, 1)"`:           func(c *validated.Card) { c.Income, c.Limit = 9, 1 },
		`Card.others[0]: breaks vt.const = "@add($number, '')"`: func(c *validated.Card) { c.Others = []string{"1"} },
	} {
		c := *good.Clone()
		change(&c)
		if err := c.Validate(); err == nil || err.Error() != want {
			t.Errorf("the error is %v, want %s", err, want)
		}
	}
}

func TestPaths(t *testing.T) {
	if got := validate.At("a", strings.Repeat("x", 100)); len(got) > 50 {
		t.Errorf("a long key makes the path %s", got)
	}
	other := errors.New("own")
	if err := validate.Within("a.b", other); !errors.Is(err, other) || err.Error() != "a.b: own" {
		t.Error(err)
	}
	if err := validate.Nested(3); err != nil {
		t.Error(err)
	}
}

// The types here have setters and methods for databases too.
func TestSettersAndSQL(t *testing.T) {
	var o validated.Order
	o.SetID(3)
	o.SetColour(thrift.Ptr(validated.Colour_GREEN))
	if o.ID != 3 || !o.IsSetColour() || o.IsSetGift() {
		t.Error(&o)
	}
	var c validated.Colour
	if err := c.Scan(int64(2)); err != nil || c != validated.Colour_GREEN {
		t.Error(c, err)
	}
	if v, err := o.Colour.Value(); v != int64(2) || err != nil {
		t.Error(v, err)
	}
	for _, column := range []any{"green", int64(1) << 40, []byte("x"), true, 0.5} {
		if err := c.Scan(column); err == nil || c != validated.Colour_GREEN {
			t.Errorf("%v is %v, %v: want an error, and the enum as it was", column, c, err)
		}
	}
	if err := c.Scan(nil); err != nil || c != 0 {
		t.Errorf("NULL is %v, %v", c, err)
	}
}
