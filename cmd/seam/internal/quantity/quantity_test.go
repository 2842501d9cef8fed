package quantity

import (
	"math"
	"testing"
)

func TestQuantity(t *testing.T) {
	for _, c := range []struct {
		v    float64
		unit string
		want string
	}{
		{2595226, "p99-ns", "2.60 ms"},
		{3.858, "ns/op", "3.86 ns"},
		{26.51, "ns/op", "26.5 ns"},
		{120, "ns/op", "120 ns"},
		{0.29, "ns/op", "0.29 ns"},
		{0.034, "ns", "0.034 ns"},
		{9.996, "ns", "10.0 ns"},
		{999.4, "ns", "999 ns"},
		{999.7, "ns", "1.00 µs"},
		{1234, "ns/op", "1.23 µs"},
		{18.7e6, "ns/op", "18.7 ms"},
		{4.2e12, "ns", "4,200 s"},
		{0, "ns/op", "0 ns"},
		{-0.31, "ns/op", "-0.31 ns"},
		{-1500, "ns/op", "-1.50 µs"},
		{2724, "B/unit", "2.66 KiB"},
		{8388608, "B/unit", "8.00 MiB"},
		{1 << 20, "B", "1.00 MiB"},
		{1000000, "count", "1,000,000"},
		{138, "count", "138"},
		{13.7, "×", "13.7×"},
		{12, "faults/op", "12.0 faults"},
		{math.NaN(), "ns/op", Missing},
		{math.Inf(1), "ns/op", Missing},
		{1e300, "ns/op", "1e+291 s"},
		{1e-300, "ns/op", "1e-300 ns"},
	} {
		if got := Format(c.v, c.unit); got != c.want {
			t.Errorf("Format(%v, %q) = %q, want %q", c.v, c.unit, got, c.want)
		}
	}
}

func TestInterval(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		unit   string
		want   string
	}{
		{3.82, 3.91, "ns/op", "3.82–3.91 ns"},
		{3.8581, 3.8599, "ns/op", "3.858–3.860 ns"},
		{990, 1010, "ns/op", "0.99–1.01 µs"},
		{0.998, 1.003, "×", "0.998–1.003×"},
		{5, 5, "ns", "5.00–5.00 ns"},
		{0, 0, "ns", ""},
		{2, 1, "ns", ""},
		{math.NaN(), 1, "ns", ""},
		{1, math.Inf(1), "ns", ""},
	} {
		if got := Interval(c.lo, c.hi, c.unit); got != c.want {
			t.Errorf("Interval(%v, %v, %q) = %q, want %q", c.lo, c.hi, c.unit, got, c.want)
		}
	}
}

func TestPlusMinus(t *testing.T) {
	for _, c := range []struct {
		median, lo, hi float64
		want           string
	}{
		{100, 99, 102, "±2.0%"},
		{100, 99.99, 100.01, "±0.0%"},
		{100, 85, 110, "±15%"},
		{1, 0.5, 100, "±>999%"},
		{100, 0, 0, ""},
		{0, 1, 2, ""},
		{math.NaN(), 1, 2, ""},
	} {
		if got := PlusMinus(c.median, c.lo, c.hi); got != c.want {
			t.Errorf("PlusMinus(%v, %v, %v) = %q, want %q", c.median, c.lo, c.hi, got, c.want)
		}
	}
}

func TestAxisNumbers(t *testing.T) {
	for _, c := range []struct {
		v    float64
		unit string
		want string
	}{
		{1, "ns", "1 ns"}, {0.1, "ns", "0.1 ns"}, {1e4, "ns", "10 µs"}, {1e9, "ns", "1 s"},
		{4096, "B", "4 KiB"}, {0.2, "", "0.2"}, {1000, "count", "1,000"},
	} {
		if got := Tick(c.v, c.unit); got != c.want {
			t.Errorf("Tick(%v, %q) = %q, want %q", c.v, c.unit, got, c.want)
		}
	}
	for v, want := range map[float64]string{10: "10", 1e3: "1k", 5e5: "500k", 1e7: "10M", 0.5: "0.5", 1e-9: "1e-09", 1e20: "1e+20"} {
		if got := Compact(v); got != want {
			t.Errorf("Compact(%v) = %q, want %q", v, got, want)
		}
	}
}
