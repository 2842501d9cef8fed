package hostile

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	apachelib "github.com/apache/thrift/lib/go/thrift"
	frugallib "github.com/cloudwego/frugal"

	"github.com/seamgo/seam/bench/thrift/peers/apache"
	"github.com/seamgo/seam/bench/thrift/peers/fastgo"
	"github.com/seamgo/seam/bench/thrift/peers/frugal"
	"github.com/seamgo/seam/bench/thrift/peers/kitex"
	"github.com/seamgo/seam/bench/thrift/peers/seam"
	"github.com/seamgo/seam/thrift"
)

// A library decodes bytes into a fresh object of each type, in one or both protocols.
type library struct {
	name            string
	binary, compact map[string]func([]byte) error
}

var libraries = []library{
	{"seam",
		map[string]func([]byte) error{Node: ours[seam.Node], Bag: ours[seam.Bag], Order: ours[seam.Order]},
		map[string]func([]byte) error{Node: oursCompact[seam.Node], Bag: oursCompact[seam.Bag], Order: oursCompact[seam.Order]}},
	{"seam-tight",
		map[string]func([]byte) error{Node: tight[seam.Node], Bag: tight[seam.Bag], Order: tight[seam.Order]},
		map[string]func([]byte) error{Node: tightCompact[seam.Node], Bag: tightCompact[seam.Bag], Order: tightCompact[seam.Order]}},
	{"kitex", map[string]func([]byte) error{Node: fast[kitex.Node], Bag: fast[kitex.Bag], Order: fast[kitex.Order]}, nil},
	{"fastgo", map[string]func([]byte) error{Node: fast[fastgo.Node], Bag: fast[fastgo.Bag], Order: fast[fastgo.Order]}, nil},
	{"frugal", map[string]func([]byte) error{Node: reflected[frugal.Node], Bag: reflected[frugal.Bag], Order: reflected[frugal.Order]}, nil},
	{"apache",
		map[string]func([]byte) error{Node: protocol[apache.Node], Bag: protocol[apache.Bag], Order: protocol[apache.Order]},
		map[string]func([]byte) error{Node: protocolCompact[apache.Node], Bag: protocolCompact[apache.Bag], Order: protocolCompact[apache.Order]}},
}

// Libraries are the names that [Measure] knows.
func Libraries() (names []string) {
	for _, l := range libraries {
		names = append(names, l.name)
	}
	return names
}

// Reads reports whether a library has the protocol of an input.
func Reads(lib string, in Input) bool {
	_, err := decoder(lib, in)
	return err == nil
}

func decoder(lib string, in Input) (func([]byte) error, error) {
	i := slices.IndexFunc(libraries, func(l library) bool { return l.name == lib })
	if i < 0 {
		return nil, fmt.Errorf("no library %q: want one of %v", lib, Libraries())
	}
	types := libraries[i].binary
	if in.Compact {
		types = libraries[i].compact
	}
	decode := types[in.Type]
	if decode == nil {
		return nil, fmt.Errorf("%s has no %s in the protocol of %q", lib, in.Type, in.Name)
	}
	return decode, nil
}

func ours[T any, M interface {
	*T
	DecodeBinary([]byte) error
}](b []byte) error {
	return M(new(T)).DecodeBinary(b)
}

func oursCompact[T any, M interface {
	*T
	DecodeCompact([]byte) error
}](b []byte) error {
	return M(new(T)).DecodeCompact(b)
}

// tightly is the limit that a server of small trust would set: a well formed message
// may not take more memory than the budget either.
var tightly = thrift.Options{Limits: thrift.Limits{Amplify: 4}}

func tight[T any, M interface {
	*T
	thrift.Message
}](b []byte) error {
	_, err := thrift.DecodeBinary(b, M(new(T)), tightly)
	return err
}

func tightCompact[T any, M interface {
	*T
	thrift.Message
}](b []byte) error {
	_, err := thrift.DecodeCompact(b, M(new(T)), tightly)
	return err
}

func fast[T any, M interface {
	*T
	FastRead([]byte) (int, error)
}](b []byte) error {
	_, err := M(new(T)).FastRead(b)
	return err
}

func reflected[T any](b []byte) error {
	_, err := frugallib.DecodeObject(b, new(T))
	return err
}

// protocol is Apache's library with its default limits.
func protocol[T any, M interface {
	*T
	apachelib.TStruct
}](b []byte) error {
	t := &apachelib.TMemoryBuffer{Buffer: bytes.NewBuffer(b)}
	return M(new(T)).Read(context.Background(), apachelib.NewTBinaryProtocolConf(t, nil))
}

func protocolCompact[T any, M interface {
	*T
	apachelib.TStruct
}](b []byte) error {
	t := &apachelib.TMemoryBuffer{Buffer: bytes.NewBuffer(b)}
	return M(new(T)).Read(context.Background(), apachelib.NewTCompactProtocolConf(t, nil))
}
