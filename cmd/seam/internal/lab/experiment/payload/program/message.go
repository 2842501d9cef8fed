//go:build payload_program

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// An Order is the message. The answer is the same order with its total, the sum of
// the quantities.
type Order struct {
	ID    int64   `json:"id"`
	Name  string  `json:"name"`
	Note  string  `json:"note"`
	Price float64 `json:"price"`
	Paid  bool    `json:"paid"`
	Total int64   `json:"total"`
	Items []Item  `json:"items"`
}

// An Item is a line of an order.
type Item struct {
	SKU   string  `json:"sku"`
	Qty   int64   `json:"qty"`
	Price float64 `json:"price"`
	Gift  bool    `json:"gift"`
}

// answer is the work between decoding and encoding.
func (o *Order) answer() {
	o.Total = 0
	for i := range o.Items {
		o.Total += o.Items[i].Qty
	}
}

// slack is how many bytes of memory there are behind a message, at least: libraries
// that read in blocks may look at them. It is simdjson's SIMDJSON_PADDING.
const slack = 64

// message makes a message of exactly size bytes, always the same: text beyond ASCII,
// with escapes, and as many items as fit. There is slack behind it.
func message(size int) ([]byte, error) {
	head, tail := `{"id":1,"name":"Zoë","note":"a\"b`, `","price":19.95,"paid":true,"total":0,"items":[`
	const end = `]}`
	if size > 256 {
		head += ` \u00e9\n\ud83d\ude00 Grüße`
	}
	var items strings.Builder
	rest := size - len(head) - len(tail) - len(end)
	for n := 0; ; n++ {
		next := fmt.Sprintf(`{"sku":"S%d","qty":%d,"price":%d.5`, n, 1+n%9, n)
		if n%3 == 1 {
			next += fmt.Sprintf(`,"gift":%v`, n%2 == 0)
		}
		next += "}"
		if n > 0 {
			next = "," + next
		}
		if items.Len()+len(next) > rest {
			break
		}
		items.WriteString(next)
	}
	if items.Len() == 0 {
		return nil, fmt.Errorf("a message of %d bytes has no room for an order", size)
	}
	note := strings.Repeat("x", rest-items.Len())
	return padded([]byte(head + note + tail + items.String() + end)), nil
}

// padded is a copy of b with slack behind it.
func padded(b []byte) []byte {
	return append(make([]byte, 0, len(b)+slack), b...)
}

// check compares an answer with encoding/json's.
func check(in, out []byte) error {
	var want, got Order
	if err := json.Unmarshal(in, &want); err != nil {
		return fmt.Errorf("encoding/json can't read the message: %w", err)
	}
	want.answer()
	decoder := json.NewDecoder(bytes.NewReader(out))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&got); err != nil {
		return fmt.Errorf("encoding/json can't read the answer %.200q: %w", out, err)
	}
	if len(bytes.TrimSpace(out)) != int(decoder.InputOffset()) {
		return fmt.Errorf("there is more after the answer: %.200q", out)
	}
	if len(want.Items) == 0 && len(got.Items) == 0 {
		want.Items, got.Items = nil, nil // an empty list may be null
	}
	if !reflect.DeepEqual(got, want) {
		return fmt.Errorf("the answer says %+.300v, want %+.300v", got, want)
	}
	return nil
}
