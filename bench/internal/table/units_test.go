package table

import "testing"

func TestUnits(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Duration(0), "0.00 ns"}, {Duration(7.637), "7.64 ns"}, {Duration(48.25), "48.2 ns"}, {Duration(999.4), "999 ns"},
		{Duration(999.6), "1.00 µs"}, {Duration(48.25e3), "48.2 µs"}, {Duration(830e3), "830 µs"}, {Duration(12e9), "12.0 s"}, {Duration(5e12), "5000 s"},
		{Size(512), "512 B"}, {Size(15.2 * 1024), "15.2 KB"}, {Size(-2048), "-2.00 KB"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}
