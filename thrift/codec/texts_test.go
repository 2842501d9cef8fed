package codec_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
	"github.com/seamgo/seam/thrift"
	"github.com/seamgo/seam/thrift/codec"
	"github.com/seamgo/seam/thrift/internal/kinds"
)

// textLengths are on both sides of each length from which on texts are copied in another way.
var textLengths = []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 71, 72, 200}

// text is n letters, which differ from those before and behind them.
func text(n, first int) string {
	var b strings.Builder
	for k := range n {
		b.WriteByte(byte('a' + (first+k)%26))
	}
	return b.String()
}

// Texts are copied in several ways, by their length and by the room that is left. Whatever the
// way, they are what the protocol says, and nothing behind them is touched.
func TestTextsOfAllLengths(t *testing.T) {
	word := func(b []byte, s string) []byte {
		return append(binary.BigEndian.AppendUint32(b, uint32(len(s))), s...)
	}
	for _, n := range textLengths {
		for _, m := range textLengths {
			one, two := text(n, 0), text(m, 7)
			var list, pairs, run []byte
			for _, x := range []struct {
				name  string
				write func(b []byte) []byte
				want  *[]byte
			}{
				{"list", func(b []byte) []byte {
					return codec.AppendBinaryStrings(b, 15<<16|1, []string{one, two})
				}, &list},
				{"map", func(b []byte) []byte {
					return codec.AppendBinaryStringMap(b, 13<<16|1, map[string]string{one: two})
				}, &pairs},
				{"run", func(b []byte) []byte {
					both := [2]string{one, two}
					return codec.AppendBinaryStringRun(b, 11<<16|5, &both[0], 2)
				}, &run},
			} {
				list = word(word([]byte{15, 0, 1, 11, 0, 0, 0, 2}, one), two)
				pairs = word(word([]byte{13, 0, 1, 11, 11, 0, 0, 0, 1}, one), two)
				run = word(append(word([]byte{11, 0, 5}, one), 11, 0, 6), two)
				size := len(*x.want)
				for _, room := range []int{0, size - 1, size, size + 1, size + 63, size + 200} {
					area := bytes.Repeat([]byte{'#'}, room+100)
					got := x.write(area[:0:max(room, 0)])
					if !bytes.Equal(got, *x.want) {
						t.Fatalf("%s of %d and %d bytes, room for %d: got %q, want %q", x.name, n, m, room, got, *x.want)
					}
					if behind := area[max(room, 0):]; bytes.Count(behind, []byte{'#'}) != len(behind) {
						t.Fatalf("%s of %d and %d bytes: written behind the room for %d", x.name, n, m, room)
					}
				}
			}
		}
	}
}

// The same for reading: texts at the end of a message and far from it.
func TestTextsAnywhere(t *testing.T) {
	for _, c := range []codec.InCompact{false, true} {
		for _, n := range textLengths {
			for _, m := range textLengths {
				for _, want := range []thrift.Message{
					&kinds.Required{AString: text(n, 3), APoint: new(kinds.Point), ABinary: []byte{}, AList: []string{text(m, 1)}, AMap: map[string]int64{text(n, 2): 1}},
					&kinds.Failure{Reason: thrift.Ptr(text(n, 4))},
					&kinds.Many{F1: text(n, 5), F11: text(m, 6)},
					&kinds.Lists{Strings: []string{text(m, 7), text(n, 8), text(m, 9)}},
					&kinds.Maps{ByString: map[string]string{text(n, 10): text(m, 11)}},
				} {
					b, err := appendTo(nil, want, c)
					if err != nil {
						t.Fatal(err)
					}
					got := reflect.New(reflect.TypeOf(want).Elem()).Interface().(thrift.Message)
					if err := decode(slices.Clip(b), got, c); err != nil {
						t.Fatalf("%v, %v: %v", c, want, err)
					}
					if again, err := appendTo(nil, got, c); err != nil || !bytes.Equal(again, b) {
						t.Fatalf("%v, %v: it is %v, and %v, when it has been read", c, want, got, err)
					}
				}
			}
		}
	}
}

// Whatever lists share, what is done to one is not seen in another.
func TestListsAreApart(t *testing.T) {
	var cube [][]string
	for n := range 40 {
		var row []string
		for k := range n % 7 {
			row = append(row, fmt.Sprint(n, k))
		}
		cube = append(cube, row)
	}
	for _, c := range []codec.InCompact{false, true} {
		b, err := appendTo(nil, &kinds.Lists{Cube: [][][]string{cube}}, c)
		if err != nil {
			t.Fatal(err)
		}
		m := new(kinds.Lists)
		if err := decode(b, m, c); err != nil {
			t.Fatal(err)
		}
		for n, row := range m.Cube[0] {
			if len(row) != cap(row) {
				t.Fatalf("%v: list of %d strings has room for %d", c, len(row), cap(row))
			}
			_ = append(row, "more") // into memory of its own
			clear(row)
			for k, other := range m.Cube[0] {
				if k > n && !slices.Equal(other, cube[k]) {
					t.Fatalf("%v: after list %d was changed, list %d is %q, want %q", c, n, k, other, cube[k])
				}
			}
		}
	}
}

// Short lists of strings and the strings of optional fields share an allocation where the
// message before had as many, and no place is there twice; a longer list has its own.
func TestTextsShareAllocations(t *testing.T) {
	testenv.OneGoroutine(t)
	m := &kinds.Optionals{AString: thrift.Ptr("one"), ASet: []string{"two", "three"}}
	for _, c := range []codec.InCompact{false, true} {
		b := encode(t, m, c)
		allocs := func(extra ...string) float64 {
			m := m.Clone()
			m.ASet = append(m.ASet, extra...)
			b := encode(t, m, c)
			return testing.AllocsPerRun(100, func() {
				if err := decode(b, new(kinds.Optionals), c); err != nil {
					t.Fatal(err)
				}
			})
		}
		if n := allocs(); n != 2 { // the message and the texts; arenas are a part of one
			t.Errorf("%v: %v allocations for a message with three texts", c, n)
		}
		long := strings.Split(text(20, 0), "")
		if n := allocs(long...); n != 3 {
			t.Errorf("%v: %v allocations for a message with a long list", c, n)
		}
		// Messages that have more and fewer in turns.
		var kept []*kinds.Optionals
		for k := range 40 {
			got := new(kinds.Optionals)
			from := b
			if k%3 == 0 {
				from = encode(t, &kinds.Optionals{ASet: []string{"a"}}, c)
			}
			if err := decode(from, got, c); err != nil {
				t.Fatal(err)
			}
			if got.ASet = append(got.ASet, "appended"); k%3 != 0 {
				*got.AString = "changed"
			}
			kept = append(kept, got)
		}
		for k, got := range kept {
			want := []string{"two", "three", "appended"}
			if k%3 == 0 {
				want = []string{"a", "appended"}
			} else if *got.AString != "changed" {
				t.Errorf("%v: message %d: %v", c, k, got)
			}
			if !slices.Equal(got.ASet, want) {
				t.Errorf("%v: message %d has %q, want %q", c, k, got.ASet, want)
			}
		}
	}
}
