package frames

import (
	"bufio"
	"bytes"
	"testing"
)

func TestTableCutsBehind(t *testing.T) {
	long := "slices.insertionSortCmpFunc[go.shape.struct { Name string; Bytes int64; Functions []string }]"
	for _, test := range []struct {
		width int
		want  string
	}{
		{80, "  bytes  function                                  declared\n" +
			"      8  insertionSortCmpFunc[go.shape.struct ...  slices/zsortanyfunc.go:12\n" +
			"   1696  strconv.ryuFtoaShortest                   strconv/ftoa.go:262\n"},
		{60, "  bytes  function                        declared\n" +
			"      8  insertionSortCmpFunc[go.sha...  zsortanyfunc.go:12\n" +
			"   1696  strconv.ryuFtoaShortest         strconv/ftoa.go:262\n"},
	} {
		var out bytes.Buffer
		x := &text{TextOptions{Width: test.width}, bufio.NewWriter(&out)}
		n, name, where := column{head: "bytes", right: true}, column{head: "function"}, column{head: "declared"}
		n.add("8")
		name.name(long)
		where.place("slices/zsortanyfunc.go:12")
		n.add("1696")
		name.name("strconv.ryuFtoaShortest")
		where.place("strconv/ftoa.go:262")
		x.table(n, name, where)
		x.w.Flush()
		if out.String() != test.want {
			t.Errorf("width %d: got\n%swant\n%s", test.width, &out, test.want)
		}
	}
	var c column
	c.measured(1696, "strconv.ryuFtoaShortest")
	if got := c.cut(&text{}, 0, 14); got != "1696 ryuFto..." {
		t.Error(got)
	}
}
