package kitexmask

import (
	"encoding/json"
	"testing"

	thriftgo "github.com/cloudwego/thriftgo/fieldmask"

	shop "github.com/seamgo/seam/bench/thrift/kitexmask/gen/catalog"
	"github.com/seamgo/seam/bench/thrift/kitexmask/theirs/catalog"
	"github.com/seamgo/seam/thrift"
	"github.com/seamgo/seam/thrift/fieldmask"
)

// Paths mean what they mean with thriftgo: what Kitex's codec writes of a masked struct has in it
// what ours writes, and either reads the other's.
func TestPathsMeanWhatTheyMeanWithThriftgo(t *testing.T) {
	text, err := json.Marshal(item("a", 3))
	if err != nil {
		t.Fatal(err)
	}
	decoded := func(b []byte) (ours, theirs string) {
		t.Helper()
		var o shop.Item
		var k catalog.Item
		if _, err := thrift.DecodeBinary(b, &o, thrift.Options{}); err != nil {
			t.Fatal(err)
		}
		if _, err := k.FastRead(b); err != nil {
			t.Fatal(err)
		}
		x, err := json.Marshal(&o)
		if err != nil {
			t.Fatal(err)
		}
		y, err := json.Marshal(&k)
		if err != nil {
			t.Fatal(err)
		}
		return string(x), string(y)
	}
	seen := map[string]bool{}
	for _, c := range []struct {
		black bool
		paths []string
	}{
		{false, nil},
		{false, []string{"$.title"}},
		{false, []string{"$.parts"}},
		{false, []string{"$.parts[1].price", "$.note"}},
		{false, []string{"$.parts[0,2].name"}},
		{false, []string{"$.parts[*].price", `$.by_name{"part 1"}`}},
		{false, []string{`$.by_name{"part 0","part 2"}.name`}},
		{false, []string{"$.by_name{*}.price", "$.sku"}},
		{true, []string{"$.title"}},
		{true, []string{"$.parts", "$.note"}},
		{true, []string{"$.parts[*].name", `$.by_name{"part 1"}`}},
		{true, []string{"$.parts[1]"}},
	} {
		var o shop.Item
		var k catalog.Item
		if err := json.Unmarshal(text, &o); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &k); err != nil {
			t.Fatal(err)
		}
		ours, err := fieldmask.NewOptions[shop.Item](fieldmask.Options{BlackList: c.black}, c.paths...)
		if err != nil {
			t.Fatal(err)
		}
		theirs, err := thriftgo.Options{BlackListMode: c.black}.NewFieldMask(k.GetTypeDescriptor(), c.paths...)
		if err != nil {
			t.Fatal(err)
		}
		o.Set_FieldMask(ours)
		k.Set_FieldMask(theirs)
		a, b := make([]byte, o.BLength()), make([]byte, k.BLength())
		if n, m := o.FastWriteNocopy(a, nil), k.FastWriteNocopy(b, nil); n != len(a) || m != len(b) {
			t.Errorf("%q: %d and %d bytes written, %d and %d announced", c.paths, n, m, len(a), len(b))
		}
		ours1, theirs1 := decoded(a)
		ours2, theirs2 := decoded(b)
		if ours1 != ours2 || theirs1 != theirs2 {
			t.Errorf("%q, black list %t: ours has written\n%s\nand thriftgo's\n%s", c.paths, c.black, ours1, ours2)
		}
		seen[ours1] = true
	}
	if len(seen) < 11 {
		t.Errorf("only %d of the masks differ", len(seen))
	}
}
