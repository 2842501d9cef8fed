//go:build cgo && seam_libs

//seam:test race

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"testing"
	"unicode/utf8"
)

// FuzzParse compares with encoding/json: what both accept has the same values, and what
// only one of them accepts is known here.
func FuzzParse(f *testing.F) {
	for _, doc := range []string{
		`{"id":7,"type":"order","user":{"name":"Ann","country":"DE"},"items":[{"sku":"A-1","price":2.5,"quantity":3}]}`,
		`[{"items":[]},{"id":-0,"x":[1,{"b":[true,false,null,"x\n",1e300]}]},{}]`,
		`{"t\u0079pe":"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00"}`, `[]`, ` { } `, `[{}`, `{"id":1}}`, `{"id":1.5}`, `{"id":01}`,
		`{"x":[1,]}`, `{"x":tru}`, `{"x":-}`, `{"type":"\ud800"}`, "{\"type\":\"\xff\"}", `{"x":1e999}`, `{"user":null,"id":null}`,
		`{"items":[{"price":1.7976931348623157e308},{"price":5e-324},{"price":0.1e1}]}`, `{"id":1,"id":2}`, `[7]`, `nul`, `"a"b`,
	} {
		f.Add([]byte(doc))
	}
	p := newParser(f)
	f.Fuzz(func(t *testing.T, doc []byte) { compare(t, p, doc) })
}

// tokens are what FuzzTokens makes documents of.
var tokens = []string{
	"{", "}", "[", "]", ",", ":", " ", `"id"`, `"type"`, `"user"`, `"name"`, `"items"`, `"sku"`, `"price"`, `"quantity"`, `"x"`,
	`{"id":`, `{"items":[`, `{"user":{`, `{"price":`, "1", "-0", "2.5", "1e5", "01", "-", "null", "true", "false", "nul", "truex",
	`""`, `"\n"`, `"\u00e9"`, `"\ud83d\ude00"`, `"\q"`, `"`, "\n", "\x00", "\xff", "é", `\`,
}

// FuzzTokens does the same with documents that are closer to being right: each byte is a
// token.
func FuzzTokens(f *testing.F) {
	for _, list := range [][]byte{{16, 20, 1}, {17, 0, 12, 5, 31, 1, 3, 1}, {2, 18, 10, 5, 33, 1, 1, 4, 0, 1, 3}, {0, 15, 5, 2, 26, 4, 27, 4, 22, 3, 1}} {
		f.Add(list)
	}
	p := newParser(f)
	f.Fuzz(func(t *testing.T, list []byte) {
		var doc []byte
		for _, b := range list {
			doc = append(doc, tokens[int(b)%len(tokens)]...)
		}
		compare(t, p, doc)
	})
}

func compare(t *testing.T, p *Parser, doc []byte) {
	events, err := p.Parse(bytes.Clone(doc))
	if again, err2 := p.Parse(append(make([]byte, 0, len(doc)+Padding), doc...)); (err == nil) != (err2 == nil) || len(events) != len(again) {
		t.Fatalf("%d events, %v; with other bytes behind the document %d, %v", len(events), err, len(again), err2)
	} else {
		events = again // the older ones are no more
	}
	want, reason := reference(doc)
	if err != nil {
		if reason == nil && !stricter(doc, err) {
			t.Fatalf("%v, but encoding/json gives %+v", err, want)
		}
		return
	}
	if reason != nil {
		t.Fatalf("accepted; encoding/json says: %v", reason)
	}
	got, err := plain(p, events)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(want) || len(got) > 0 && !reflect.DeepEqual(got, want) {
		t.Fatalf("got  %+v\nwant %+v", got, want)
	}
}

// stricter reports whether an error is one of those that encoding/json does not have.
func stricter(doc []byte, err error) bool {
	var e *Error
	if !errors.As(err, &e) {
		return false
	}
	switch {
	case !utf8.Valid(doc): // encoding/json replaces it
		return true
	case e.Code == codeString: // and halves of surrogate pairs
		return bytes.Contains(doc, []byte(`\u`))
	case e.Code == codeNumber: // a number that nobody wants: json.Number has any
		return true
	}
	return e.Code == codeDuplicate || e.Code == codeDeep
}

// reference reads a document by encoding/json. It goes by way of maps, since structs there
// take fields whose names differ in case.
func reference(doc []byte) ([]plainEvent, error) {
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("something behind the document")
	}
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	events := make([]plainEvent, len(list))
	for i, v := range list {
		m, ok := v.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("an event that is a %T", v)
		}
		e := &events[i]
		var user map[string]any
		var items []any
		if err := errors.Join(take(m, "id", &e.ID), take(m, "type", &e.Type), take(m, "user", &user), take(m, "items", &items),
			take(user, "name", &e.Name), take(user, "country", &e.Country)); err != nil {
			return nil, err
		}
		for _, v := range items {
			m, ok := v.(map[string]any)
			if !ok {
				return nil, fmt.Errorf("an item that is a %T", v)
			}
			var item plainItem
			if err := errors.Join(take(m, "sku", &item.SKU), take(m, "price", &item.Price), take(m, "quantity", &item.Quantity)); err != nil {
				return nil, err
			}
			e.Items = append(e.Items, item)
		}
	}
	return events, nil
}

// take stores a field, if it is there and not null.
func take(m map[string]any, name string, to any) error {
	v := m[name]
	if v == nil {
		return nil
	}
	if n, ok := v.(json.Number); ok { // as encoding/json reads a number into to
		return json.Unmarshal([]byte(n), to)
	}
	p := reflect.ValueOf(to).Elem()
	if !reflect.TypeOf(v).AssignableTo(p.Type()) {
		return fmt.Errorf("%s is a %T", name, v)
	}
	p.Set(reflect.ValueOf(v))
	return nil
}
