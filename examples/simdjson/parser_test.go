//go:build cgo && seam_libs

package main

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/seamgo/seam/leaf"
	"github.com/seamgo/seam/mem"
)

// A plain event is one outside of the arena, to be compared.
type plainEvent struct {
	ID                  int64
	Type, Name, Country string
	Items               []plainItem
}

type plainItem struct {
	SKU      string
	Price    float64
	Quantity int64
}

func newParser(t testing.TB) *Parser {
	t.Helper()
	p, err := NewParser(64 << 20)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// padded returns a document that needs no copy.
func padded(doc string) []byte { return append(make([]byte, 0, len(doc)+Padding), doc...) }

func plain(p *Parser, events []Event) ([]plainEvent, error) {
	var err error
	text := func(s mem.Part) string {
		b, e := p.Text(s)
		err = errors.Join(err, e)
		return string(b)
	}
	list := make([]plainEvent, len(events))
	for i := range events {
		e := &events[i]
		list[i] = plainEvent{ID: e.ID, Type: text(e.Type), Name: text(e.Name), Country: text(e.Country)}
		items, e2 := p.Items(e)
		err = errors.Join(err, e2)
		for _, item := range items {
			list[i].Items = append(list[i].Items, plainItem{text(item.SKU), item.Price, item.Quantity})
		}
	}
	return list, err
}

func TestParse(t *testing.T) {
	ann := plainEvent{ID: 7, Type: "order", Name: "Ann", Country: "DE", Items: []plainItem{{"A-1", 2.5, 3}, {"B", -0.125, math.MinInt64}}}
	for _, c := range []struct {
		name, doc string
		want      []plainEvent
	}{
		{"one event", `{"id":7,"type":"order","user":{"name":"Ann","country":"DE"},"items":[{"sku":"A-1","price":2.5,"quantity":3},{"sku":"B","price":-0.125,"quantity":-9223372036854775808}]}`, []plainEvent{ann}},
		{"an array, fields in any order", ` [ {"items":[],"id":1} , {"user":{"country":"DE","name":"Ann"},"items":[{"quantity":3,"price":25e-1,"sku":"A-1"},{"sku":"B","price":-0.125,"quantity":-9223372036854775808}],"type":"order","id":7} ] ` + "\n", []plainEvent{{ID: 1}, ann}},
		{"no events", `[]`, []plainEvent{}},
		{"an event without fields", `{}`, []plainEvent{{}}},
		{"null is nothing", `{"id":null,"type":null,"user":null,"items":null}`, []plainEvent{{}}},
		{"null deeper down", `{"user":{"name":null},"items":[{"sku":null,"price":null,"quantity":null}]}`, []plainEvent{{Items: []plainItem{{}}}}},
		{"unknown fields", `{"a":[1,{"b":[true,false,null,"x\n",1e300]}],"id":7,"c":{},"d":[[]],"a":0}`, []plainEvent{{ID: 7}}},
		{"escapes, in names too", `{"t\u0079pe":"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00","user":{"name":"é😀\u0000"}}`, []plainEvent{{Type: "\"\\/\b\f\n\r\té😀", Name: "é😀\x00"}}},
		{"names that are another's beginning", `{"i":1,"idd":2,"ID":3,"":4}`, []plainEvent{{}}},
		{"a long string", `{"type":"` + strings.Repeat("0123456789", 1e5) + `"}`, []plainEvent{{Type: strings.Repeat("0123456789", 1e5)}}},
		{"many events", "[" + strings.Repeat(`{"id":5,"items":[{"price":1}]},`, 9999) + `{"id":5,"items":[{"price":1}]}]`, many(10000)},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newParser(t)
			for _, doc := range [][]byte{padded(c.doc), []byte(c.doc)[:len(c.doc):len(c.doc)]} {
				events, err := p.Parse(doc)
				if err != nil {
					t.Fatal(err)
				}
				got, err := plain(p, events)
				if err != nil {
					t.Fatal(err)
				}
				if !reflect.DeepEqual(got, c.want) {
					t.Errorf("got %.300v\nwant %.300v", got, c.want)
				}
			}
			if p.Copied != 1 {
				t.Errorf("%d of 2 documents were copied, want the one without room behind it", p.Copied)
			}
		})
	}
}

func many(n int) []plainEvent {
	list := make([]plainEvent, n)
	for i := range list {
		list[i] = plainEvent{ID: 5, Items: []plainItem{{Price: 1}}}
	}
	return list
}

func TestErrors(t *testing.T) {
	deep := func(n int) string { return `{"x":` + strings.Repeat("[", n) + strings.Repeat("]", n) + "}" }
	for _, c := range []struct {
		name, doc string
		at        int
		what      string
	}{
		{"nothing", "", 0, "no JSON found"},
		{"white space", " \n ", 0, "no JSON found"},
		{"no object", `7`, 0, "requested type"},
		{"no objects", `[7]`, 1, "requested type"},
		{"two documents", `{"id":1} {"id":2}`, 9, "trailing"},
		{"two arrays", `[] []`, 3, "trailing"},
		{"cut in an object", `[{"id":1},{"id":2`, 17, "ended early"},
		{"cut behind a colon", `{"id":`, 6, "ended early"},
		{"cut in a string", `{"type":"orde`, 8, "never closed"},
		{"cut in an escape", `{"type":"orde\`, 8, "never closed"},
		{"a comma too many", `{"items":[{"sku":"a"},]}`, 23, "improper structure"},
		{"a comma too few", `{"id":1 "type":"x"}`, 8, "improper structure"},
		{"brackets that don't match", `{"x":[1}]}`, 7, "improper structure"},
		{"a name without quotes", `{id:1}`, 1, "improper structure"},
		{"no word of JSON", `{"x":nulL}`, 5, "requested type"},
		{"a control character", "{\"type\":\"a\nb\"}", 10, "unescaped"},
		{"an unknown escape", `{"id":1,"type":"\x41"}`, 15, "string"},
		{"half a surrogate pair", `{"type":"\ud83d"}`, 8, "string"},
		{"an escape in an unknown field", `{"x":["\q"]}`, 6, "string"},
		{"an escape in a name", `{"id":1,"\q":1}`, 8, "string"},
		{"not UTF-8", "{\"type\":\"caf\xe9\"}", 12, "UTF-8"},
		{"a cut rune at the end", "{\"type\":\"\xe2\x82", 8, "never closed"},
		{"UTF-8 that is too long", "{\"type\":\"\xc0\x80\"}", 9, "UTF-8"},
		{"a number that is too large", `{"id":9223372036854775808}`, 6, "no integer of 64 bits"},
		{"a price that is too large", `{"items":[{"price":1e999}]}`, 19, "number"},
		{"a number that nobody reads, too large", `{"x":[0,-1e999]}`, 8, "number"},
		{"a thousand digits for an integer", `{"id":` + strings.Repeat("9", 1000) + `}`, 6, "no integer"},
		{"a leading zero", `{"id":01}`, 6, "number"},
		{"a fraction for an integer", `{"id":1.0}`, 6, "no integer"},
		{"a string for a number", `{"id":"1"}`, 6, "requested type"},
		{"a number for a string", `{"id":1,"type":1}`, 15, "requested type"},
		{"an array for an object", `{"user":[]}`, 8, "requested type"},
		{"an object for an array", `{"items":{}}`, 9, "requested type"},
		{"a field twice", `{"id":1,"x":0,"id":2}`, 14, "twice"},
		{"a field of the user twice", `{"user":{"name":"a","name":"b"}}`, 20, "twice"},
		{"too deep", deep(maxDepth - 1), 67, "deep"},
		{"far too deep", deep(1e6), 67, "deep"},
		{"deep and cut off", `{"x":` + strings.Repeat("[", 1e6), 1e6 + 5, "ended early"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newParser(t)
			// Whatever lies behind the document, it is the document that is wrong.
			for _, behind := range []string{"\x00", " ", "}", "]", `"`, "1", "\xff"} {
				doc := []byte(c.doc + strings.Repeat(behind, Padding))
				_, err := p.Parse(doc[:len(c.doc)])
				var e *Error
				if !errors.As(err, &e) {
					t.Fatalf("with %q behind it: %v", behind, err)
				}
				if behind == "}" {
					continue // simdjson then looks for brackets that don't match, and finds them first
				}
				if e.At != c.at || !strings.Contains(strings.ToLower(e.What), strings.ToLower(c.what)) {
					t.Errorf("with %q behind it: %v, want byte %d: …%s…", behind, e, c.at, c.what)
				}
			}
			// The parser is as good as new.
			if events, err := p.Parse(padded(`{"id":1}`)); err != nil || len(events) != 1 || events[0].ID != 1 {
				t.Errorf("afterwards: %v, %v", events, err)
			}
		})
	}
	t.Run("as deep as may be", func(t *testing.T) {
		if _, err := newParser(t).Parse(padded(deep(maxDepth - 2))); err != nil {
			t.Error(err)
		}
	})
}

func TestLimit(t *testing.T) {
	p, err := NewParser(10_000)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if _, err := p.Parse(padded(`{"type":"` + strings.Repeat("x", 5000) + `"}`)); err != nil {
		t.Error(err)
	}
	_, err = p.Parse(padded(`{"type":"` + strings.Repeat("x", 20_000) + `"}`))
	if !errors.Is(err, mem.ErrLimit) {
		t.Errorf("a result beyond the limit: %v, want mem.ErrLimit", err)
	}
	if events, err := p.Parse(padded(`{"id":1}`)); err != nil || len(events) != 1 {
		t.Errorf("afterwards: %v, %v", events, err)
	}
}

func TestClosed(t *testing.T) {
	p, err := NewParser(1000)
	if err != nil {
		t.Fatal(err)
	}
	p.Close()
	p.Close()
	if _, err := p.Parse(padded(`{}`)); err == nil {
		t.Error("Parse of a closed Parser: no error")
	}
}

// Parts of a document are no parts any more when the next one has been parsed.
func TestUseAfterNextParse(t *testing.T) {
	p := newParser(t)
	events, err := p.Parse(padded(`{"type":"` + strings.Repeat("x", 5000) + `"}`))
	if err != nil {
		t.Fatal(err)
	}
	old := events[0].Type
	if _, err := p.Parse(padded(`{}`)); err != nil {
		t.Fatal(err)
	}
	if b, err := p.Text(old); !errors.Is(err, mem.ErrInvalid) {
		t.Errorf("a part of the document before: %d bytes, %v, want mem.ErrInvalid", len(b), err)
	}
}

// What debug mode adds: a slice that was kept shows it.
func TestDebugMode(t *testing.T) {
	if mem.Status().Path != mem.PathDebug {
		t.Skip("runs with SEAM_MEM=debug")
	}
	p := newParser(t)
	events, err := p.Parse(padded(`{"type":"kept"}`))
	if err != nil {
		t.Fatal(err)
	}
	kept, err := p.Text(events[0].Type)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Parse(padded(`[`)); err == nil {
		t.Fatal("no error")
	}
	if string(kept) != "\xdb\xdb\xdb\xdb" {
		t.Errorf("a text of the document before reads %q", kept)
	}
}

// A warm parse by leaf allocates nothing.
func TestWarmParseAllocatesNothing(t *testing.T) {
	if s := leaf.Status(); s.Path != leaf.PathAssembly || mem.Status().Path == mem.PathDebug {
		t.Skip("calls are made by cgo, or in debug mode: ", s)
	}
	p := newParser(t)
	doc := padded(`[{"id":7,"type":"order","user":{"name":"Ann","country":"DE"},"items":[{"sku":"A-1","price":2.5,"quantity":3}]},{"id":8}]`)
	var sink int
	if n := testing.AllocsPerRun(1000, func() {
		events, err := p.Parse(doc)
		if err != nil {
			t.Fatal(err)
		}
		items, err := p.Items(&events[0])
		if err != nil {
			t.Fatal(err)
		}
		text, err := p.Text(items[0].SKU)
		if err != nil {
			t.Fatal(err)
		}
		sink += len(text)
	}); n != 0 {
		t.Errorf("%v allocations per document, want 0", n)
	}
	if sink == 0 || p.Copied != 0 {
		t.Errorf("%d bytes read, %d documents copied", sink, p.Copied)
	}
}

func TestConcurrently(t *testing.T) {
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			p, err := NewParser(1 << 20)
			if err != nil {
				t.Error(err)
				return
			}
			defer p.Close()
			for i := range 300 {
				// Every tenth is too large for a leaf call.
				filler := 100
				if i%10 == 0 {
					filler = 2 * leafLimit
				}
				want := fmt.Sprintf("%d-%d", g, i)
				doc := fmt.Sprintf(`[{"type":%q,"x":"%s"}]`, want, strings.Repeat("y", filler))
				events, err := p.Parse(padded(doc))
				if err != nil {
					t.Error(err)
					return
				}
				if i%100 == 0 {
					runtime.GC()
				}
				if got, err := p.Text(events[0].Type); string(got) != want || err != nil {
					t.Errorf("got %q, %v, want %q", got, err, want)
				}
			}
		})
	}
	all.Wait()
}

func BenchmarkParse(b *testing.B) {
	p := newParser(b)
	doc := padded(`{"id":7,"type":"order","user":{"name":"Ann","country":"DE"},"items":[{"sku":"A-1","price":2.5,"quantity":3}]}`)
	b.SetBytes(int64(len(doc)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.Parse(doc); err != nil {
			b.Fatal(err)
		}
	}
}
