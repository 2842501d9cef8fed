package weld_test

import (
	"encoding/json"
	"expvar"
	"fmt"
	"testing"

	"github.com/seamgo/seam/weld"
)

func ExampleVar() {
	expvar.Publish("seam", weld.Var{})
	fmt.Println(expvar.Get("seam"))
	// Output: []
}

// What a welded program shows is tested where programs are welded, in cmd/seam.
func TestProgramThatIsNotWeldedHasNoFunctions(t *testing.T) {
	if list := weld.Functions(); len(list) != 0 {
		t.Errorf("%d functions", len(list))
	}
	var v any
	if err := json.Unmarshal([]byte(weld.Var{}.String()), &v); err != nil {
		t.Error(err)
	}
}
