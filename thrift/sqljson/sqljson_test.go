//seam:test 386

package sqljson_test

import (
	"database/sql"
	"database/sql/driver"
	"math"
	"strings"
	"testing"

	"github.com/seamgo/seam/thrift"
	"github.com/seamgo/seam/thrift/internal/kinds/validated"
	"github.com/seamgo/seam/thrift/sqljson"
)

var (
	_ sql.Scanner   = (*validated.Column)(nil)
	_ driver.Valuer = (*validated.Column)(nil)
)

func TestColumn(t *testing.T) {
	c := &validated.Column{
		Name: "a\"b", Colour: thrift.Ptr(validated.Colour_GREEN), Items: []*validated.Item{{Name: "x", Price: thrift.Ptr(0.5)}},
		Bytes_: map[int64][]byte{-1: {0, 0xFF}}, Stock: []thrift.Pair[*validated.Item, int32]{{Key: &validated.Item{Name: "k"}, Value: 3}},
		One: &validated.One{N: thrift.Ptr(int32(1))}, Big: math.MaxInt64,
	}
	v, err := c.Value()
	b, ok := v.([]byte)
	if err != nil || !ok || !strings.Contains(string(b), `"big":"9223372036854775807"`) || !strings.Contains(string(b), `"colour":"GREEN"`) {
		t.Fatalf("%v, %s", err, b)
	}
	for _, column := range []any{b, string(b), " " + string(b) + "\n"} {
		got := &validated.Column{Name: "old", Items: make([]*validated.Item, 3)}
		if err := got.Scan(column); err != nil || !got.Equal(c) {
			t.Errorf("%v: %v", err, got)
		}
	}
	got := &validated.Column{Name: "old"}
	if err := got.Scan(nil); err != nil || !got.Equal(validated.NewColumn()) || got.Big != 5 {
		t.Errorf("NULL is %v, %v", got, err)
	}
	if err := got.Scan(`{"name":"n","newer":[1]}`); err != nil || got.Name != "n" || got.Big != 5 {
		t.Errorf("a field that is unknown, and one that is missing: %v, %v", got, err)
	}
	if v, err := (*validated.Column)(nil).Value(); v != nil || err != nil {
		t.Error(v, err)
	}
}

func TestMistakes(t *testing.T) {
	for _, c := range []struct {
		column any
		want   string
	}{
		{7, "*validated.Column can't be read from a column of type int: it has JSON as text or bytes"},
		{"", "no JSON object"}, {"null", "no JSON object"}, {"[1]", "no JSON object"}, {[]byte("{"), "unexpected end of JSON input"},
		{`{"items":7}`, "cannot unmarshal number"}, {`{"colour":"BLUE"}`, `*validated.Column from a column`},
		{`{"a":` + strings.Repeat("[", 1e6), "exceeded max depth"},
	} {
		got := &validated.Column{Name: "old", Items: []*validated.Item{{Name: "kept"}}}
		if err := got.Scan(c.column); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.20v: %v, want %s", c.column, err, c.want)
		}
		if got.Name != "old" || len(got.Items) != 1 || got.Items[0].Name != "kept" || got.Colour != nil {
			t.Errorf("%.20v is an error and changes the struct to %v", c.column, got)
		}
	}
	if _, err := sqljson.Value(math.NaN()); err == nil {
		t.Error("a number that JSON doesn't have is written")
	}
}
