package hostile

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"

	"github.com/seamgo/seam/bench/thrift/codecs"
)

// The messages that inputs are decoded into, as idl/hostile.thrift and
// idl/order.thrift say.
const (
	Node  = "Node"
	Bag   = "Bag"
	Order = "Order"
)

// An Input is one or more messages of a stranger.
type Input struct {
	Name    string
	Type    string
	Compact bool // in the compact protocol, not the binary one
	Make    func() [][]byte

	// Valid says that the messages are well formed: they may be accepted. All
	// others must be refused.
	Valid bool

	// Any says that some of the messages may happen to be well formed.
	Any bool
}

const (
	megabyte = 1 << 20
	million  = 1 << 24 // 16M: the elements that are claimed, the bytes of recursion
)

// Types on the wire.
const (
	tStop   = 0
	tBool   = 2
	tI32    = 8
	tI64    = 10
	tString = 11
	tStruct = 12
	tMap    = 13
	tSet    = 14
	tList   = 15
)

// Inputs are all of them.
var Inputs = slices.Concat(binaryInputs, compactInputs)

var binaryInputs = []Input{
	one("claim: 16M i64 in 8 bytes", Bag, list(1, tI64, million)),
	one("claim: 16M structs in 8 bytes", Bag, list(2, tStruct, million)),
	one("claim: 16M strings in 8 bytes", Bag, list(3, tString, million)),
	one("claim: 16M map entries in 9 bytes", Bag, mapOf(4, tI64, tI64, million)),
	one("claim: 16M lists, the first of 16M", Bag, list(5, tList, million), elements(tI64, million)),
	one("claim: 16M in a set", Bag, field(tSet, 8), elements(tI32, million)),
	one("claim: 16M bools", Bag, list(10, tBool, million)),
	one("claim: 16M map entries, half of one there", Bag, mapOf(9, tString, tList, million), length(1), []byte("k")),
	one("claim: 2G of nothing, unknown field", Bag, list(99, tStop, 1<<31-1)),
	one("claim: 2G entries of nothing, unknown field", Bag, mapOf(99, tStop, tStop, 1<<31-1)),
	one("claim: 2G bools, unknown field", Bag, list(99, tBool, 1<<31-1)),
	one("length: string of 2 GB", Bag, field(tString, 6), length(1<<31-1)),
	one("length: binary of 2 GB", Bag, field(tString, 7), length(1<<31-1)),
	one("length: string of -1", Bag, field(tString, 6), length(-1)),
	one("length: binary of -1", Bag, field(tString, 7), length(-1)),
	one("length: list of -1", Bag, list(1, tI64, -1)),
	one("length: list of structs of -2G", Bag, list(2, tStruct, -1<<31)),
	one("length: map of -1", Bag, mapOf(4, tI64, tI64, -1)),
	one("length: unknown string of -1", Bag, field(tString, 99), length(-1)),
	one("length: unknown list of -1", Bag, list(99, tI64, -1)),
	big("recursion: 16 MB, a struct in a struct", Node, nil, field(tStruct, 1)),
	big("recursion: 16 MB, through lists", Node, nil, list(2, tStruct, 1)),
	big("recursion: 16 MB, through maps", Node, nil, mapOf(3, tString, tStruct, 1), length(0)),
	big("recursion: 16 MB, unknown structs", Bag, nil, field(tStruct, 99)),
	big("recursion: 16 MB, unknown lists", Bag, list(99, tList, 1), elements(tList, 1)),
	big("recursion: 16 MB, unknown maps", Bag, mapOf(99, tI32, tMap, 1), join(length(0), []byte{tI32, tMap}, length(1))),
	flood("flood: 1 MB of empty structs", list(2, tStruct, megabyte), []byte{tStop}),
	flood("flood: 1 MB of empty strings", list(3, tString, megabyte/4), length(0)),
	flood("flood: 1 MB of empty lists", list(5, tList, megabyte/5), elements(tI64, 0)),
	flood("flood: 1 MB of empty structs, unknown", list(99, tStruct, megabyte), []byte{tStop}),
	{Name: "flood: 1 MB of map entries", Type: Bag, Valid: true, Make: func() [][]byte { return mapFlood(megabyte) }},
	{Name: "flood: 1 MB of string keys, empty lists", Type: Bag, Valid: true, Make: tableFlood},
	{Name: "flood: 8 MB of map entries", Type: Bag, Valid: true, Make: func() [][]byte { return mapFlood(8 * megabyte) }},
	flood("flood: 1 MB of one field again and again", nil, join(list(1, tI64, 1), make([]byte, 8))),
	{Name: "Order, cut at every byte", Type: Order, Make: func() [][]byte { return everyCut(order()) }},
	{Name: "Order, every byte changed", Type: Order, Any: true, Make: func() [][]byte { return everyChange(order()) }},
	{Name: "20,000 times random bytes", Type: Bag, Any: true, Make: randomBytes},
	{Name: "20,000 times random fields", Type: Node, Any: true, Make: randomFields},
}

func one(name, typ string, parts ...[]byte) Input {
	return Input{Name: name, Type: typ, Make: func() [][]byte { return [][]byte{join(parts...)} }}
}

// big is 16 MB of a head and then one thing again and again: nothing is closed.
func big(name, typ string, head []byte, again ...[]byte) Input {
	return Input{Name: name, Type: typ, Make: func() [][]byte {
		a := join(again...)
		return [][]byte{join(head, bytes.Repeat(a, (million-len(head))/len(a)))}
	}}
}

// flood is 1 MB of a head and one thing again and again, well formed.
func flood(name string, head, again []byte) Input {
	return Input{Name: name, Type: Bag, Valid: true, Make: func() [][]byte {
		return [][]byte{join(head, bytes.Repeat(again, megabyte/len(again)), []byte{tStop})}
	}}
}

func mapFlood(size int) [][]byte {
	n := size / 16
	m := mapOf(4, tI64, tI64, int32(n))
	for i := range n {
		m = binary.BigEndian.AppendUint64(m, uint64(i)*0x9e3779b97f4a7c15)
		m = binary.BigEndian.AppendUint64(m, uint64(i))
	}
	return [][]byte{append(m, tStop)}
}

func tableFlood() [][]byte {
	const n = megabyte / (4 + 4 + 5)
	m := mapOf(9, tString, tList, n)
	for i := range n {
		m = append(m, length(4)...)
		m = binary.BigEndian.AppendUint32(m, uint32(i))
		m = append(m, elements(tString, 0)...)
	}
	return [][]byte{append(m, tStop)}
}

func order() []byte { return codecs.Reference()["order"] }

func everyCut(order []byte) (all [][]byte) {
	for n := range order {
		all = append(all, order[:n:n])
	}
	return all
}

func everyChange(order []byte) (all [][]byte) {
	for i := range order {
		for _, v := range []byte{0, 1, 0x7f, 0x80, 0xff, order[i] ^ 4} {
			m := bytes.Clone(order)
			m[i] = v
			all = append(all, m)
		}
	}
	return all
}

func randomBytes() (all [][]byte) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 20000 {
		m := make([]byte, r.IntN(512))
		for i := range m {
			m[i] = byte(r.Uint32())
		}
		all = append(all, m)
	}
	return all
}

// randomFields are random where it matters: types and numbers of fields that exist,
// small and large lengths.
func randomFields() (all [][]byte) {
	r := rand.New(rand.NewPCG(5, 6))
	types := []byte{tStop, tBool, 3, 4, 6, tI32, tI64, tString, tStruct, tMap, tSet, tList, 16}
	typ := func() byte { return types[r.IntN(len(types))] }
	size := func() []byte { return length(int32(r.Uint32()) >> (r.IntN(12) * 3)) }
	for range 20000 {
		var m []byte
		for range r.IntN(40) {
			switch r.IntN(5) {
			case 0, 1:
				m = append(m, field(typ(), int16(r.IntN(7)-1))...)
			case 2:
				m = append(append(m, typ()), size()...)
			case 3:
				m = append(append(m, typ(), typ()), size()...)
			case 4:
				m = append(m, size()...)
			}
		}
		all = append(all, m)
	}
	return all
}

func field(typ byte, id int16) []byte {
	return binary.BigEndian.AppendUint16([]byte{typ}, uint16(id))
}

func length(n int32) []byte { return binary.BigEndian.AppendUint32(nil, uint32(n)) }

// elements is the head of a list or set.
func elements(typ byte, n int32) []byte { return join([]byte{typ}, length(n)) }

func list(id int16, typ byte, n int32) []byte { return join(field(tList, id), elements(typ, n)) }

func mapOf(id int16, key, value byte, n int32) []byte {
	return join(field(tMap, id), []byte{key, value}, length(n))
}

func join(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
