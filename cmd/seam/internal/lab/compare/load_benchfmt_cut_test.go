package compare

import (
	"strings"
	"testing"
)

// A file that ends within a line is not whole: what it lacks would pass for not measured.
func TestCutBenchfmt(t *testing.T) {
	const text = "goos: linux\nBenchmarkA 1 100 ns/op\nBenchmarkB 1 200 ns/op\n"
	for n := range len(text) {
		f := &File{Name: "x", index: map[key][]*series{}, higher: map[string]bool{}, exact: map[string]bool{}, notMeasured: map[string]string{}, bases: map[string]bool{}}
		err := f.readBenchfmt(strings.NewReader(text[:n]))
		if whole := n == 0 || text[n-1] == '\n'; whole != (err == nil) || !whole && !strings.Contains(err.Error(), "cut off") {
			t.Errorf("%q: %v", text[:n], err)
		}
	}
}
