//go:build seam_thrift_peers

package conform

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/seamgo/seam/thrift"
)

// What Python's library writes in the simple JSON protocol, ours writes too.
func TestSimpleJSON(t *testing.T) {
	write := peers[1].converse(t, "simplejson")
	for _, e := range []*Everything{
		{Needed: "needed", NeededList: []int64{1, -1}, Point: &Point{X: 1}, Origin: &Point{}},
		{Needed: "ä€😀\"\\\n", NeededList: []int64{}, Point: &Point{X: 1, Y: -2}, Origin: &Point{}, Truth: true, Real: -0.5, Raw: []byte("\x00\xff"),
			Color: 5, Truths: []bool{true, false}, Names: map[int32]string{-5: "five"}, Votes: map[bool]int8{true: 1}, Weights: map[int64]float64{1 << 40: 0.25},
			Texts: []string{"a", ""}, Matrix: [][]int64{{1}, {}}},
	} {
		binary, err := e.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		theirs, err := write(binary)
		if err != nil {
			t.Fatal(err)
		}
		ours, err := thrift.AppendSimpleJSON(nil, e)
		if err != nil {
			t.Fatal(err)
		}
		var got, want map[string]any
		if err := json.Unmarshal(ours, &got); err != nil {
			t.Fatalf("%s: %v", ours, err)
		}
		if err := json.Unmarshal(theirs, &want); err != nil {
			t.Fatalf("%s: %v", theirs, err)
		}
		// Keys that are structs: pairs in a list with us, and no pairs an empty object with Python,
		// which can't write more.
		delete(got, "labels")
		delete(want, "labels")
		if !reflect.DeepEqual(got, want) {
			t.Errorf("ours:   %s\ntheirs: %s", ours, theirs)
		}
	}
}
