package hostile

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"

	"github.com/seamgo/seam/bench/thrift/codecs"
)

// Types in the compact protocol.
const (
	cTrue   = 1
	cI64    = 6
	cString = 8
	cList   = 9
	cMap    = 11
	cStruct = 12
)

// compactInputs are for the compact protocol, where a byte can claim more.
var compactInputs = []Input{
	packed("claim: 16M i64", Bag, packedList(1, cI64, million)),
	packed("claim: 16M structs", Bag, packedList(2, cStruct, million)),
	packed("claim: 16M strings", Bag, packedList(3, cString, million)),
	packed("claim: 16M map entries", Bag, packedField(cMap, 4), varint(million), []byte{cI64<<4 | cI64}),
	packed("claim: 16M bools", Bag, packedList(10, cTrue, million)),
	packed("claim: 2G bools, unknown field", Bag, packedField(cList, 99), []byte{15<<4 | cTrue}, varint(1<<31-1)),
	packed("length: string of 2 GB", Bag, packedField(cString, 6), varint(1<<31-1)),
	packed("length: string of -1", Bag, packedField(cString, 6), varint(1<<32-1)),
	packed("length: list of -1", Bag, packedList(1, cI64, 1<<32-1)),
	packed("length: a number of 11 bytes", Bag, packedList(1, cI64, 1), bytes.Repeat([]byte{0xff}, 10), []byte{1, tStop}),
	packedBig("recursion: 16 MB, a struct in a struct", Node, nil, packedField(cStruct, 1)),
	packedBig("recursion: 16 MB, through lists", Node, nil, []byte{2<<4 | cList, 1<<4 | cStruct}),
	packedBig("recursion: 16 MB, unknown structs", Bag, packedField(cStruct, 99), packedField(cStruct, 1)),
	packedBig("recursion: 16 MB, unknown lists", Bag, packedField(cList, 99), []byte{1<<4 | cList}),
	packedFlood("flood: 1 MB of empty structs", packedList(2, cStruct, megabyte), []byte{tStop}),
	packedFlood("flood: 1 MB of empty strings", packedList(3, cString, megabyte), []byte{0}),
	packedFlood("flood: 1 MB of empty lists", packedList(5, cList, megabyte), []byte{cI64}),
	packedFlood("flood: 1 MB of small numbers", packedList(1, cI64, megabyte), []byte{2}),
	{Name: "compact Order, cut at every byte", Type: Order, Compact: true, Make: func() [][]byte { return everyCut(packedOrder()) }},
	{Name: "compact Order, every byte changed", Type: Order, Compact: true, Any: true, Make: func() [][]byte { return everyChange(packedOrder()) }},
	{Name: "compact, 20,000 times random bytes", Type: Bag, Compact: true, Any: true, Make: randomBytes},
	{Name: "compact, 20,000 times random fields", Type: Node, Compact: true, Any: true, Make: randomPacked},
}

func packed(name, typ string, parts ...[]byte) Input {
	in := one("compact "+name, typ, parts...)
	in.Compact = true
	return in
}

func packedBig(name, typ string, head []byte, again ...[]byte) Input {
	in := big("compact "+name, typ, head, again...)
	in.Compact = true
	return in
}

func packedFlood(name string, head, again []byte) Input {
	in := flood("compact "+name, head, again)
	in.Compact = true
	return in
}

func packedOrder() []byte {
	w, err := codecs.CompactReference()
	if err != nil {
		panic(err) // it is the same every time, and codecs tests it
	}
	return w["order"]
}

// randomPacked are random where it matters, as randomFields are.
func randomPacked() (all [][]byte) {
	r := rand.New(rand.NewPCG(9, 10))
	for range 20000 {
		var m []byte
		for range r.IntN(40) {
			switch r.IntN(4) {
			case 0, 1:
				m = append(m, byte(r.IntN(5)<<4|r.IntN(14)))
			case 2:
				m = append(m, byte(r.IntN(4)<<4|r.IntN(14)))
			case 3:
				m = append(m, varint(r.Uint64()>>r.IntN(64))...)
			}
		}
		all = append(all, m)
	}
	return all
}

// packedField is the head of the first field of a struct.
func packedField(typ byte, id int16) []byte {
	if id <= 15 {
		return []byte{byte(id)<<4 | typ}
	}
	return append([]byte{typ}, varint(uint64(id)<<1)...) // zigzag of a positive number
}

func packedList(id int16, typ byte, n uint64) []byte {
	return join(packedField(cList, id), []byte{15<<4 | typ}, varint(n))
}

func varint(n uint64) []byte { return binary.AppendUvarint(nil, n) }
