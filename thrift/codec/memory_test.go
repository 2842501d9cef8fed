package codec_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"github.com/seamgo/seam/internal/testenv"
	"github.com/seamgo/seam/thrift"
	"github.com/seamgo/seam/thrift/codec"
	"github.com/seamgo/seam/thrift/internal/kinds"
)

// allocated is how many bytes f allocates. Of a few runs the least counts:
// whatever else runs in the process allocates too.
func allocated(f func()) uint64 {
	least := ^uint64(0)
	for range 3 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	return least
}

// checkMemory decodes a message that is wrong and holds what it allocates,
// the error with its path included, to 4 times the input and 64 KB.
func checkMemory(t *testing.T, name string, make func() thrift.Message, b []byte, c codec.InCompact) {
	t.Helper()
	if err := decode(b, make(), c); err == nil {
		t.Errorf("%s: accepted", name)
	}
	got := allocated(func() { decode(b, make(), c) })
	if most := 4*uint64(len(b)) + 64<<10; got > most {
		t.Errorf("%s: %d bytes of input allocate %d, more than %d", name, len(b), got, most)
	}
}

// Containers of every type that claim as many elements as the bytes behind
// could hold, or more, and have none.
func TestClaimsDontAllocate(t *testing.T) {
	testenv.OneGoroutine(t)
	for _, size := range []int{0, 100, 10_000, 1_000_000} {
		rest := bytes.Repeat([]byte{0xFF}, size)
		for id := range int16(24) {
			for _, typ := range codec.KnownTypes {
				for _, container := range []codec.Type{codec.TypeList, codec.TypeSet} {
					n := size / codec.Least(typ)
					head := append([]byte{byte(container), byte(id >> 8), byte(id), byte(typ)}, binary.BigEndian.AppendUint32(nil, uint32(n))...)
					message := append(head, rest...)
					kind := kindsTypes[6] // Lists
					if container == codec.TypeSet {
						kind = kindsTypes[7]
					}
					if decode(message, kind(), false) == nil {
						t.Fatalf("%v of %v is accepted", container, typ)
					}
					if size < 1_000_000 || codec.Knows(kind(), id, container, typ) {
						checkMemory(t, fmt.Sprintf("%v of %d of %v in field %d", container, n, typ, id), kind, message, false)
					}
				}
			}
		}
	}
}

// Bytes at random behind the head of every field, in both protocols.
func TestRandomBytesDontAllocate(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, make := range kindsTypes {
		for _, c := range []codec.InCompact{false, true} {
			for range 10 {
				b := bytes.Repeat([]byte{byte(r.IntN(256))}, 100_000)
				for k := range 64 {
					b[k] = byte(r.IntN(20))
				}
				if decode(b, make(), c) != nil {
					checkMemory(t, fmt.Sprintf("%s, %v, % x", typeName(make()), c, b[:8]), make, b, c)
				}
			}
		}
	}
}

// 16 MB of structs within structs are refused without reading them and
// without memory, whether the fields are known or not.
func TestRecursionIsRefusedAtOnce(t *testing.T) {
	const size = 16 << 20
	for _, x := range []struct {
		name string
		make func() thrift.Message
		c    codec.InCompact
		unit string
	}{
		{"known struct", func() thrift.Message { return new(kinds.Tree) }, false, "0c 0004"},
		{"known struct", func() thrift.Message { return new(kinds.Tree) }, true, "4c"},
		{"known list", func() thrift.Message { return new(kinds.Tree) }, false, "0f 0002 0c 00000001"},
		{"known list", func() thrift.Message { return new(kinds.Tree) }, true, "29 1c"},
		{"known map", func() thrift.Message { return new(kinds.Tree) }, false, "0d 0003 0b 0c 00000001 00000000"},
		{"known union", func() thrift.Message { return new(kinds.Choice) }, false, "0c 000c"},
		{"known union", func() thrift.Message { return new(kinds.Choice) }, true, "cc"},
		{"unknown struct", func() thrift.Message { return new(kinds.Nothing) }, false, "0c 0001"},
		{"unknown struct", func() thrift.Message { return new(kinds.Nothing) }, true, "1c"},
		{"unknown list", func() thrift.Message { return new(kinds.Nothing) }, false, "0f 0001 0f 00000001 0c 00000001"},
		{"unknown list", func() thrift.Message { return new(kinds.Nothing) }, true, "19"},
		{"unknown map", func() thrift.Message { return new(kinds.Nothing) }, true, "1b 01 3c 00"},
	} {
		unit := wire(t, x.unit)
		b := bytes.Repeat(unit, size/len(unit))
		err := decode(b, x.make(), x.c)
		var e *thrift.DecodeError
		if !errors.As(err, &e) || !errors.Is(err, thrift.ErrDepth) || e.Offset > 2000 {
			t.Errorf("%s, %v: %v, want one of depth within the first bytes", x.name, x.c, err)
		}
		if got := allocated(func() { decode(b, x.make(), x.c) }); got > 1<<20 {
			t.Errorf("%s, %v: %d bytes are allocated", x.name, x.c, got)
		}
	}
}

// A flood of small values is refused when it takes more memory than the
// limit says; the error says which limit.
func TestFloodsAreRefused(t *testing.T) {
	const n = 300_000
	repeat := func(head, unit string) []byte {
		body := bytes.Repeat(wire(t, unit), n)
		h := wire(t, head)
		binary.BigEndian.PutUint32(h[len(h)-4:], n)
		return append(append(h, body...), 0)
	}
	for _, x := range []struct {
		name string
		make func() thrift.Message
		b    []byte
	}{
		{"sparse structs", func() thrift.Message { return new(kinds.Everything) }, repeat("0f 000d 0c 00000000", "08 0047 00000001 00")},
		{"trees", func() thrift.Message { return new(kinds.Tree) }, repeat("0f 0002 0c 00000000", "00")},
		{"empty maps", func() thrift.Message { return new(kinds.Lists) }, repeat("0f 0010 0d 00000000", "0b 08 00000000")},
		{"empty binaries", func() thrift.Message { return new(kinds.Lists) }, repeat("0f 0008 0b 00000000", "00000000")},
	} {
		opt := thrift.Options{Limits: thrift.Limits{Amplify: 2}}
		_, err := thrift.DecodeBinary(x.b, x.make(), opt)
		if !outOfMemory(err) {
			t.Errorf("%s: %v", x.name, err)
			continue
		}
		checkDecodeError(t, typeName(x.make()), x.b, err)
		// The first allocation that is one too many has not been made.
		most := uint64(2*len(x.b)) + 2*uint64(len(x.b)) + 128<<10
		if got := allocated(func() { thrift.DecodeBinary(x.b, x.make(), opt) }); got > most {
			t.Errorf("%s: %d bytes of input allocate %d, more than %d", x.name, len(x.b), got, most)
		}
	}
}

// Memory that is charged in small pieces is held to the limit as well: lists
// of few elements, of which some are allocated without proof, and fields that
// come again and again, each time with something new.
func TestSmallPiecesAreCharged(t *testing.T) {
	opt := thrift.Options{Limits: thrift.Limits{Amplify: 1}}
	children := []byte{15, 0, 2, 12, 0, 0, 0, 4, 0, 0, 0, 0}
	again := append(bytes.Repeat(children, 20_000), 0)
	if _, err := thrift.DecodeBinary(again, new(kinds.Tree), opt); !errors.Is(err, thrift.ErrLimit) {
		t.Errorf("four trees again and again: %v, want ErrLimit", err)
	}
	// Structs with defaults take more than themselves and a string.
	defaults := wire(t, "0c 0004 08 0029 00000007 0b 002a 00000000 00")
	opt.Limits.Amplify = (int(unsafe.Sizeof(kinds.Defaults{}))+16)/len(defaults) + 2
	if _, err := thrift.DecodeBinary(append(bytes.Repeat(defaults, 5_000), 0), new(kinds.Everything), opt); !errors.Is(err, thrift.ErrLimit) {
		t.Errorf("defaults again and again: %v, want ErrLimit", err)
	}
	if _, err := thrift.DecodeBinary(append(defaults, 0), new(kinds.Everything), thrift.Options{Limits: thrift.Limits{Amplify: -1}}); err != nil {
		t.Errorf("defaults once: %v", err)
	}
	if _, err := thrift.DecodeBinary(children[:8], new(kinds.Tree), opt); errors.Is(err, thrift.ErrLimit) {
		t.Errorf("a cut list: %v, which is no limit", err)
	}
}

// Large messages with nothing extraordinary in them are within the default limits, which
// floods of the same size are not.
func TestLargeMessagesAreAccepted(t *testing.T) {
	testenv.OneGoroutine(t)
	const n = 3_000_000
	letters := make([]string, n)
	for i := range letters {
		letters[i] = "x"
	}
	table := map[string]string{}
	for i := range n / 10 {
		table[fmt.Sprintf("%06d", i)] = "abc"
	}
	for name, m := range map[string]thrift.Message{
		"small numbers": &kinds.Lists{I64s: make([]int64, n)},
		"letters":       &kinds.Lists{Strings: letters},
		"map":           &kinds.Maps{ByString: table},
	} {
		for _, c := range []codec.InCompact{false, true} {
			b, err := appendTo(nil, m, c)
			if err != nil {
				t.Fatal(err)
			}
			fresh := reflect.New(reflect.TypeOf(m).Elem()).Interface().(thrift.Message)
			if err := decode(b, fresh, c); err != nil {
				t.Errorf("%s, %v, %d bytes: %v", name, c, len(b), err)
			}
		}
	}
	flood := append([]byte{15, 0, 2, 12}, binary.BigEndian.AppendUint32(nil, n)...)
	flood = append(flood, make([]byte, n+1)...)
	if err := decode(flood, new(kinds.Tree), false); !outOfMemory(err) {
		t.Errorf("empty structs: %v", err)
	}
}

// By default a message may take four times its size and 64 KB, and what its type proves to be
// legitimate: lists of structs of which nearly all is absent, of small maps, of letters.
func TestSparseMessagesAreAccepted(t *testing.T) {
	testenv.OneGoroutine(t)
	for _, n := range []int{10, 100, 300, 1000, 10_000} {
		maps, trees, choices := make([]map[string]int32, n), make([]*kinds.Tree, n), make([]*kinds.Choice, n)
		cube, spots, named := make([][][]string, n), make([]kinds.Spot, n), map[string]*kinds.Tree{}
		for i := range n {
			maps[i], trees[i], choices[i] = map[string]int32{"k": 1}, &kinds.Tree{}, &kinds.Choice{Point: &kinds.Point{}}
			cube[i], spots[i].Name, named[fmt.Sprint(i)] = [][]string{{"x"}}, thrift.Ptr("y"), &kinds.Tree{}
		}
		for name, m := range map[string]thrift.Message{
			"maps":        &kinds.Lists{Maps: maps},
			"trees":       &kinds.Tree{Children: trees},
			"named trees": &kinds.Tree{Named: named},
			"choices":     &kinds.Lists{Choices: choices},
			"cubes":       &kinds.Lists{Cube: cube},
			"spots":       &kinds.Values{Spots: spots},
			"letters":     &kinds.Lists{Strings: slices.Repeat([]string{"x"}, n)},
			"numbers":     &kinds.Lists{I64s: make([]int64, n)},
		} {
			for _, c := range []codec.InCompact{false, true} {
				b, err := appendTo(nil, m, c)
				if err != nil {
					t.Fatal(err)
				}
				if len(b) > 256<<10 {
					continue
				}
				fresh := reflect.New(reflect.TypeOf(m).Elem()).Interface().(thrift.Message)
				if err := decode(b, fresh, c); err != nil {
					t.Errorf("%d %s, %v, %d bytes: %v", n, name, c, len(b), err)
				} else if !equal(fresh, m) {
					t.Errorf("%d %s, %v: read as another", n, name, c)
				}
			}
		}
	}
}

// What types prove. Those without containers, texts that may be absent and structs within
// structs prove nothing.
func TestFactors(t *testing.T) {
	// A letter in a text that may be absent takes a string and a byte, and three bytes on the wire.
	letter := max(4, (int(unsafe.Sizeof(""))+1+2)/3)
	for _, x := range []struct {
		m               thrift.Message
		binary, compact [2]int // at least and at most
	}{
		{new(kinds.Point), [2]int{4, 4}, [2]int{4, 4}},
		{new(kinds.Failure), [2]int{4, 4}, [2]int{letter, letter}},
		{new(kinds.Spot), [2]int{4, 4}, [2]int{24, 24}}, // 1 of a number is a byte
		{new(kinds.Lists), [2]int{40, 400}, [2]int{60, 400}},
		{new(kinds.Defaults), [2]int{8, 100}, [2]int{20, 100}},
	} {
		b, c := codec.Factor(x.m, false), codec.Factor(x.m, true)
		if b < x.binary[0] || b > x.binary[1] || c < x.compact[0] || c > x.compact[1] {
			t.Errorf("%s proves %d in the binary and %d in the compact protocol, want %v and %v", typeName(x.m), b, c, x.binary, x.compact)
		}
	}
}
