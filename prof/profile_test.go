//go:build linux && !android && (amd64 || arm64) && gc && cgo && !asan && !msan

package prof_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
	"runtime/pprof"
	"slices"
	"testing"
)

// A sample is a stack of function names, the innermost first, and the CPU time in ns of those
// that have it.
type sample struct {
	stack []string
	ns    int64
}

// profile returns the samples of CPU profiles of f, which is called until so many of them have
// each of the functions, or so many there are. An idle machine takes a hundred a second, a busy
// one has been seen to take two.
func profile(t *testing.T, f func(), least int, functions ...string) (samples []sample) {
	t.Helper()
	for range 100 {
		samples = append(samples, profileOnce(t, f)...)
		enough := len(samples) >= least
		for _, function := range functions {
			with := 0
			for _, s := range samples {
				if slices.Contains(s.stack, function) {
					with++
				}
			}
			enough = enough && with >= least
		}
		if enough {
			return samples
		}
	}
	for _, s := range samples {
		t.Logf("%d ms: %q", s.ns/1e6, s.stack)
	}
	t.Fatalf("a hundred profiles have %d samples, but not %d with each of %q", len(samples), least, functions)
	return nil
}

func profileOnce(t *testing.T, f func()) []sample {
	t.Helper()
	var file bytes.Buffer
	if err := pprof.StartCPUProfile(&file); err != nil {
		t.Fatal(err)
	}
	f()
	pprof.StopCPUProfile()
	return unzip(t, file.Bytes())
}

// unzip reads a profile as Go writes it.
func unzip(t *testing.T, file []byte) []sample {
	t.Helper()
	unzipped, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(unzipped)
	if err != nil {
		t.Fatal(err)
	}
	return decode(b)
}

// decode reads what is needed of a profile: the fields are those of profile.proto.
func decode(b []byte) (samples []sample) {
	var strings []string
	functions := map[uint64]uint64{} // by ID, the index of the name
	lines := map[uint64][]uint64{}   // by location, the functions
	type raw struct{ locations, values []uint64 }
	var list []raw
	fields(b, func(field int, _ uint64, in []byte) {
		switch field {
		case 2:
			var r raw
			fields(in, func(field int, v uint64, packed []byte) {
				if field == 1 {
					r.locations = append(r.locations, numbers(v, packed)...)
				} else if field == 2 {
					r.values = append(r.values, numbers(v, packed)...)
				}
			})
			list = append(list, r)
		case 4:
			var id uint64
			var of []uint64
			fields(in, func(field int, v uint64, line []byte) {
				if field == 1 {
					id = v
				} else if field == 4 {
					fields(line, func(field int, v uint64, _ []byte) {
						if field == 1 {
							of = append(of, v)
						}
					})
				}
			})
			lines[id] = of
		case 5:
			var id, name uint64
			fields(in, func(field int, v uint64, _ []byte) {
				if field == 1 {
					id = v
				} else if field == 2 {
					name = v
				}
			})
			functions[id] = name
		case 6:
			strings = append(strings, string(in))
		}
	})
	for _, r := range list {
		s := sample{ns: int64(r.values[1])}
		for _, location := range r.locations {
			if len(lines[location]) == 0 {
				s.stack = append(s.stack, "?")
			}
			for _, f := range lines[location] {
				s.stack = append(s.stack, strings[functions[f]])
			}
		}
		samples = append(samples, s)
	}
	return samples
}

// fields calls f with each field of a protobuf message.
func fields(b []byte, f func(field int, v uint64, bytes []byte)) {
	for len(b) > 0 {
		tag, n := binary.Uvarint(b)
		v, m := binary.Uvarint(b[n:])
		b = b[n+m:]
		if tag&7 == 2 {
			f(int(tag>>3), 0, b[:v])
			b = b[v:]
		} else {
			f(int(tag>>3), v, nil)
		}
	}
}

// numbers are those of a repeated field, which holds one or is packed.
func numbers(v uint64, b []byte) (list []uint64) {
	if b == nil {
		return []uint64{v}
	}
	for len(b) > 0 {
		v, n := binary.Uvarint(b)
		list = append(list, v)
		b = b[n:]
	}
	return list
}
