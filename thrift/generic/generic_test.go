//seam:test race 386

package generic_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/seamgo/seam/thrift"
	"github.com/seamgo/seam/thrift/descriptor"
	"github.com/seamgo/seam/thrift/generic"
	"github.com/seamgo/seam/thrift/thrifthttp"
)

// testdata/shop.json is what seam gen descriptors makes of shop.thrift; a test of the tool
// compares them.
func shop(t testing.TB) *descriptor.Set {
	text, err := os.ReadFile("testdata/shop.json")
	if err != nil {
		t.Fatal(err)
	}
	set, err := descriptor.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

const order = `{"id":7,"name":"none","items":[{"sku":"a","color":"RED"},{"sku":"b","color":"GREEN"}],"prices":{"GREEN":0.5,"9":-1},"owner":-3,"raw":"AP8=","parent":{"id":1,"name":"x"},"seen":[{"key":{"sku":"a","color":"RED"},"value":true}]}`

func handler(t *testing.T, noted chan string) generic.Handler {
	return func(_ context.Context, f *descriptor.Function, args []byte) ([]byte, error) {
		switch f.Name {
		case "ping":
			return []byte("true"), nil
		case "get":
			switch {
			case strings.Contains(string(args), `"id":404`):
				return nil, &generic.Exception{Type: "shop.NotFound", JSON: []byte(`{"id":404}`)}
			case strings.Contains(string(args), `"id":500`):
				return nil, errors.New("as told")
			case strings.Contains(string(args), `"id":13`):
				return []byte(`{"id":"x"}`), nil
			case string(args) != `{"id":7,"color":"RED"}` && string(args) != `{"color":"RED","id":7}`:
				t.Errorf("arguments %s", args)
			}
			return []byte(order), nil
		case "put":
			if want := `{"order":` + order + `}`; string(args) != want {
				t.Errorf("arguments %s, want %s", args, want)
			}
			return nil, nil
		case "note":
			noted <- string(args)
			return nil, nil
		}
		// choose: the argument is the result
		return []byte(strings.TrimSuffix(strings.TrimPrefix(string(args), `{"choice":`), "}")), nil
	}
}

// Both sides know the service by its descriptor alone, in every protocol, and over HTTP.
func TestCallsByDescriptor(t *testing.T) {
	service := shop(t).Service("shop.Orders")
	noted := make(chan string, 1)
	s := &thrift.Server{Processor: generic.NewProcessor(service, handler(t, noted), generic.Options{})}
	web := httptest.NewServer(thrifthttp.Handler(s))
	defer web.Close()
	for _, p := range []thrift.Protocol{thrift.Binary, thrift.OldBinary, thrift.Compact, thrift.JSON} {
		for _, over := range []thrift.Caller{
			thrift.NewClient(thrift.Local(s), thrift.ClientOptions{Protocol: p}),
			thrifthttp.NewClient(web.URL, thrifthttp.Options{Protocol: p}),
		} {
			c := generic.NewClient(over, service, generic.Options{})
			for _, x := range []struct{ function, args, want string }{
				{"ping", "", "true"},
				{"get", `{"id":7}`, order},
				{"get", ` { "color": "1" , "id" : "7" } `, order},
				{"put", `{"order":` + order + `}`, "null"},
				{"choose", `{"choice":{"number":-5}}`, `{"number":-5}`},
				{"choose", `{"choice":{"text":"\u00e4\n<\ud83d\ude00","number":null}}`, `{"text":"ä\n\u003c😀"}`},
			} {
				got, err := c.Call(t.Context(), x.function, []byte(x.args))
				if err != nil || string(got) != x.want {
					t.Errorf("%v: %s(%s): %s, %v", p, x.function, x.args, got, err)
				}
			}
			if got, err := c.Call(t.Context(), "note", []byte(`{"text":"hi"}`)); err != nil || string(got) != "null" || <-noted != `{"text":"hi"}` {
				t.Errorf("%v: note: %s, %v", p, got, err)
			}
			var missing *generic.Exception
			if _, err := c.Call(t.Context(), "get", []byte(`{"id":404}`)); !errors.As(err, &missing) || missing.Name != "missing" || missing.Type != "shop.NotFound" || string(missing.JSON) != `{"id":404}` {
				t.Errorf("%v: %v", p, err)
			}
			for args, want := range map[string]string{`{"id":500}`: "as told", `{"id":13}`: "is no i64"} {
				var e *thrift.ApplicationException
				if _, err := c.Call(t.Context(), "get", []byte(args)); !errors.As(err, &e) || e.Type != thrift.InternalError || !strings.Contains(e.Message, want) {
					t.Errorf("%v: %s: %v", p, args, err)
				}
			}
			if _, err := c.Call(t.Context(), "unheardOf", nil); err == nil || !strings.Contains(err.Error(), `no function "unheardOf"`) {
				t.Errorf("%v", err)
			}
		}
	}
}

func TestBareArguments(t *testing.T) {
	service := shop(t).Service("Orders")
	opt := generic.Options{BareArgument: true}
	s := &thrift.Server{Processor: generic.NewProcessor(service, func(_ context.Context, _ *descriptor.Function, args []byte) ([]byte, error) { return args, nil }, opt)}
	c := generic.NewClient(thrift.NewClient(thrift.Local(s), thrift.ClientOptions{}), service, opt)
	if got, err := c.Call(t.Context(), "choose", []byte(`{"text":"x"}`)); err != nil || string(got) != `{"text":"x"}` {
		t.Errorf("%s, %v", got, err)
	}
}

func TestJSONThatIsRefused(t *testing.T) {
	s := shop(t).Struct("Order")
	opt := generic.Options{Limits: thrift.Limits{Message: 2000, Depth: 4}}
	for in, want := range map[string]struct {
		kind error
		text string
	}{
		"":                           {thrift.ErrTruncated, "Order"},
		`{"id":1`:                    {thrift.ErrTruncated, ""},
		`{"id":1}{}`:                 {thrift.ErrTrailing, ""},
		`{"id":1} x`:                 {thrift.ErrTrailing, ""},
		`[]`:                         {thrift.ErrMalformed, "a list is no object"},
		`{}`:                         {thrift.ErrRequired, "Order.id"},
		`{"id":null}`:                {thrift.ErrRequired, "Order.id"},
		`{"id":1.5}`:                 {thrift.ErrMalformed, "Order.id: 1.5 is no i64"},
		`{"id":9223372036854775808}`: {thrift.ErrMalformed, "Order.id"},
		`{"id":true}`:                {thrift.ErrMalformed, "true is no i64"},
		`{"id":1,"id":2}`:            {thrift.ErrMalformed, "Order.id: it is there twice"},
		`{"id":1,"nmae":"x"}`:        {thrift.ErrMalformed, `Order has no field "nmae"`},
		`{"id":1,"name":5}`:          {thrift.ErrMalformed, "5 is no string"},
		`{"id":1,"items":{}}`:        {thrift.ErrMalformed, "an object is no list<shop.Item>"},
		`{"id":1,"items":[null]}`:    {thrift.ErrMalformed, "Order.items[0]: null is no object for Item"},
		`{"id":1,"items":[{"sku":"a"},{"sku":"b","color":"BLUE"}]}`: {thrift.ErrMalformed, `Order.items[1].color: "BLUE" is no shop.Color`},
		`{"id":1,"raw":"!"}`:                                                      {thrift.ErrMalformed, "Order.raw"},
		`{"id":1,"prices":{"1":"x"}}`:                                             {thrift.ErrMalformed, "Order.prices[0]"},
		`{"id":1,"seen":[{"value":1}]}`:                                           {thrift.ErrMalformed, `want "key"`},
		`{"id":1,"seen":[{"key":{"sku":"a"},"value":true,"x":1}]}`:                {thrift.ErrMalformed, "behind key and value"},
		"{\"id\":1,\"name\":\"\xff\"}":                                            {thrift.ErrUTF8, ""},
		strings.Repeat(`{"id":1,"parent":`, 5) + "{}" + strings.Repeat("}", 5):    {thrift.ErrDepth, "Limits.Depth"},
		`{"id":1,"name":"` + strings.Repeat("x", 2000) + `"}`:                     {thrift.ErrLimit, "over the limit"},
		`{"id":1,"items":[` + strings.Repeat(`{"sku":""},`, 160) + `{"sku":""}]}`: {thrift.ErrLimit, "Limits.Message"},
		strings.Repeat("[", 1900):                                                 {thrift.ErrMalformed, ""},
		`{"x":` + strings.Repeat("[", 1900):                                       {thrift.ErrMalformed, "no field"},
	} {
		_, err := opt.ToThrift(s, []byte(in))
		if !errors.Is(err, want.kind) || !strings.Contains(err.Error(), want.text) || len(err.Error()) > 300 {
			t.Errorf("%.60s: %v", in, err)
		}
	}
	lenient := generic.Options{IgnoreUnknown: true}
	if _, err := lenient.ToThrift(s, []byte(`{"x":[{"id":[]},1],"id":1,"y":{}}`)); err != nil {
		t.Error(err)
	}
	if _, err := lenient.ToThrift(s, []byte(`{"x":`+strings.Repeat("[", 100_000))); !errors.Is(err, thrift.ErrDepth) {
		t.Error(err)
	}
}

// A small message can't become a large one, whatever names and defaults are.
func TestJSONOfAFlood(t *testing.T) {
	s := shop(t).Struct("Order")
	items := "\x0a\x00\x01\x00\x00\x00\x00\x00\x00\x00\x01\x0f\x00\x03\x0c\x00\x01\x86\xa0" + strings.Repeat("\x0b\x00\x01\x00\x00\x00\x00\x00", 100_000) + "\x00"
	strict := generic.Options{Limits: thrift.Limits{Amplify: 2}}
	if _, err := strict.FromThrift(s, []byte(items)); !errors.Is(err, thrift.ErrLimit) || !strings.Contains(err.Error(), "Limits.Amplify") {
		t.Errorf("%v", err)
	}
	plain := generic.Options{}
	if text, err := plain.FromThrift(s, []byte(items)); err != nil || len(text) < 2_000_000 {
		t.Errorf("%d bytes, %v", len(text), err)
	}
}
