package frames

import (
	"bytes"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/text"
)

func TestTableCutsBehind(t *testing.T) {
	long := "slices.insertionSortCmpFunc[go.shape.struct { Name string; Bytes int64; Functions []string }]"
	for _, test := range []struct {
		width int
		want  string
	}{
		{80, "  bytes  function                                             declared\n" +
			"      8  insertionSortCmpFunc[go.shape.struct { Name stri...  zsortanyfunc.go:12\n" +
			"   1696  strconv.ryuFtoaShortest                              ftoa.go:262\n"},
		{60, "  bytes  function                         declared\n" +
			"      8  insertionSortCmpFunc[go.shap...  zsortanyfunc.go:12\n" +
			"   1696  strconv.ryuFtoaShortest          ftoa.go:262\n"},
	} {
		var out bytes.Buffer
		w := text.New(&out, text.Options{Width: test.width})
		n, name, where := &text.Column{Head: "bytes", Cells: []string{"8", "1696"}}, nameColumn("function"), placeColumn("declared")
		addName(name, "", long)
		addPlace(where, "slices/zsortanyfunc.go:12")
		addName(name, "", "strconv.ryuFtoaShortest")
		addPlace(where, "strconv/ftoa.go:262")
		w.Table(text.Table{Columns: []*text.Column{n, name, where}, Indent: 2})
		w.Flush()
		if out.String() != test.want {
			t.Errorf("width %d: got\n%swant\n%s", test.width, &out, test.want)
		}
	}
	c := nameColumn("largest")
	addName(c, "1696 ", "strconv.ryuFtoaShortest")
	if got := text.New(nil, text.Options{}).Cut(c.Short[0], c.Least); got != "1696 ryuFto..." {
		t.Error(got)
	}
}
