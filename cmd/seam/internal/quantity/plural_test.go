package quantity

import (
	"math"
	"testing"
)

func TestPlural(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Plural(1, "growth"), "1 growth"}, {Plural(0, "growth"), "0 growths"}, {Plural(int64(1200), "growth"), "1200 growths"},
		{Plural(uint64(2), "process"), "2 processes"},
		{Plural(1, "free is", "frees are"), "1 free is"}, {Plural(3, "free is", "frees are"), "3 frees are"},
		{Noun(2, "call"), "calls"},
		{Count(0), "0"}, {Count(999), "999"}, {Count(int64(12345678)), "12,345,678"}, {Count(-1234), "-1,234"}, {Count(-123), "-123"},
		{Count(uint64(math.MaxUint64)), "18,446,744,073,709,551,615"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}
