package calltrace

import (
	"bytes"
	"strings"
	"testing"
)

// A program that ends by a panic in its first callback has a call that took no time, and no
// caller: only calls that return have them.
func TestTableOfCallsThatPanicked(t *testing.T) {
	f := &File{Functions: []Function{{Package: "example.com/m", Name: "back", Calls: 1}}, Processes: make([]Process, 1), Failed: "the go command ended with code 1"}
	var b bytes.Buffer
	if err := f.WriteText(&b, TextOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); !strings.Contains(got, "1 C call of 1 function in 1 process: none of them returned.") || strings.Contains(got, "did not find") {
		t.Errorf("it says\n%s", got)
	}
}
