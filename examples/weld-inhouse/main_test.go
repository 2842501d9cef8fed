//go:build cgo

package main

import (
	"errors"
	"hash/fnv"
	"math"
	"strings"
	"syscall"
	"testing"
	"time"
)

const line = "anna\t42\tberlin\t\t-7"

func TestHash(t *testing.T) {
	for _, s := range []string{"", "a", line, strings.Repeat("x", 1000)} {
		h := fnv.New64a()
		h.Write([]byte(s))
		if got := Hash(s); got != h.Sum64() {
			t.Errorf("the hash of %.20q is %x, want %x", s, got, h.Sum64())
		}
	}
}

func TestField(t *testing.T) {
	fields := strings.Split(line, "\t")
	for n, want := range fields {
		if got, ok := Field(line, n); got != want || !ok {
			t.Errorf("field %d is %q, %v, want %q", n, got, ok, want)
		}
	}
	if got, ok := Field(line, len(fields)); ok {
		t.Errorf("there is a field %d: %q", len(fields), got)
	}
	if got, ok := Field("", 0); got != "" || !ok {
		t.Errorf("an empty line has %q, %v, want one empty field", got, ok)
	}
}

func TestNumber(t *testing.T) {
	for _, c := range []struct {
		s    string
		want int64
		err  error
	}{
		{"0", 0, nil}, {"42", 42, nil}, {"-7", -7, nil},
		{"9223372036854775807", math.MaxInt64, nil}, {"-9223372036854775808", math.MinInt64, nil},
		{"9223372036854775808", math.MaxInt64, syscall.ERANGE}, {"-9223372036854775809", math.MinInt64, syscall.ERANGE},
		{"99999999999999999999", math.MaxInt64, syscall.ERANGE},
		{"", 0, syscall.EINVAL}, {"-", 0, syscall.EINVAL}, {"4x", 0, syscall.EINVAL},
	} {
		if got, err := Number(c.s); got != c.want || !errors.Is(err, c.err) {
			t.Errorf("%q is %d, %v, want %d, %v", c.s, got, err, c.want, c.err)
		}
	}
}

func TestWidest(t *testing.T) {
	for _, c := range [][4]int{{1, 2, 3, 3}, {3, 1, 2, 3}, {-5, -3, -4, -3}} {
		if got := Widest(c[0], c[1], c[2]); got != c[3] {
			t.Errorf("the widest of %v is %d, want %d", c[:3], got, c[3])
		}
	}
}

func TestUpper(t *testing.T) {
	for _, s := range []string{"", "a", "Anna-42", line} {
		if got := Upper(s); got != strings.ToUpper(s) {
			t.Errorf("%q in capitals is %q", s, got)
		}
	}
}

func TestEach(t *testing.T) {
	var got []string
	if n := Each(line, func(f string) bool { got = append(got, f); return true }); n != 5 || strings.Join(got, "\t") != line {
		t.Errorf("%d fields %q, want those of %q", n, got, line)
	}
	if n := Each(line, func(f string) bool { return f != "42" }); n != 2 {
		t.Errorf("stopped after %d fields, want 2", n)
	}
}

func TestSettle(t *testing.T) {
	start := time.Now()
	if Settle(2 * time.Millisecond); time.Since(start) < 2*time.Millisecond {
		t.Errorf("waited for %v, want 2 ms at least", time.Since(start))
	}
}

func BenchmarkHash(b *testing.B) {
	b.ReportAllocs()
	want := Hash("anna")
	for range b.N {
		if Hash("anna") != want {
			b.Fatal("the hash changes")
		}
	}
}

func BenchmarkField(b *testing.B) {
	b.ReportAllocs()
	for range b.N {
		if f, _ := Field(line, 2); f != "berlin" {
			b.Fatalf("field 2 is %q", f)
		}
	}
}

func BenchmarkNumber(b *testing.B) {
	b.ReportAllocs()
	for range b.N {
		if n, err := Number("-7"); n != -7 || err != nil {
			b.Fatal(n, err)
		}
	}
}

func BenchmarkWidest(b *testing.B) {
	b.ReportAllocs()
	for range b.N {
		if n := Widest(4, 2, 6); n != 6 {
			b.Fatal(n)
		}
	}
}

func BenchmarkUpper(b *testing.B) {
	b.ReportAllocs()
	for range b.N {
		if s := Upper("anna"); s != "ANNA" {
			b.Fatal(s)
		}
	}
}

func BenchmarkEach(b *testing.B) {
	b.ReportAllocs()
	for range b.N {
		if n := Each(line, func(string) bool { return true }); n != 5 {
			b.Fatal(n)
		}
	}
}

func BenchmarkSettle(b *testing.B) {
	for range b.N {
		Settle(10 * time.Microsecond)
	}
}

func Example_main() {
	main()
	// Output:
	// ANNA   96bcca83b55aa4bb
	// 42     07ee7e07b4b19223
	// BERLIN 9e07c0c281129771
	// 0 number "anna": invalid argument
	// 42 <nil>
	// 6
}
