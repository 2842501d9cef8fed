//go:build cgo && seam_libs

package main

// #cgo CPPFLAGS: -I${SRCDIR}/../../include
// #cgo CXXFLAGS: -O2 -Wall -Wextra -std=c++17 -fno-exceptions
// #cgo LDFLAGS: -lsimdjson
// #include "events.h"
import "C"

import (
	"errors"
	"fmt"
	"unsafe"

	_ "github.com/seamgo/seam/include"
	"github.com/seamgo/seam/leaf"
	"github.com/seamgo/seam/mem"
)

// An Event is a record as C++ leaves it in the arena. Its texts and items are read by
// [Parser.Text] and [Parser.Items].
//
//seam:layout events_event
type Event struct {
	ID            int64
	Type          mem.Part
	Name, Country mem.Part // of the user
	Items         mem.Part
}

// An Item is a part of an order.
//
//seam:layout events_item
type Item struct {
	SKU      mem.Part
	Price    float64
	Quantity int64
}

// parseArgs is what the leaf function is called with.
type parseArgs struct {
	parser unsafe.Pointer
	doc    mem.Str
	room   int
	arena  unsafe.Pointer
	out    C.events_out
}

// The layouts are the same in Go and C, or this does not compile: each constant must be
// neither above nor below 0.
const (
	_ = uint(unsafe.Sizeof(Event{}) - C.sizeof_events_event)
	_ = uint(C.sizeof_events_event - unsafe.Sizeof(Event{}))
	_ = uint(unsafe.Offsetof(Event{}.Items) - unsafe.Offsetof(C.events_event{}.items))
	_ = uint(unsafe.Offsetof(C.events_event{}.items) - unsafe.Offsetof(Event{}.Items))
	_ = uint(unsafe.Sizeof(Item{}) - C.sizeof_events_item)
	_ = uint(C.sizeof_events_item - unsafe.Sizeof(Item{}))
	_ = uint(unsafe.Offsetof(Item{}.Quantity) - unsafe.Offsetof(C.events_item{}.quantity))
	_ = uint(unsafe.Offsetof(C.events_item{}.quantity) - unsafe.Offsetof(Item{}.Quantity))
	_ = uint(unsafe.Sizeof(parseArgs{}) - C.sizeof_events_args)
	_ = uint(C.sizeof_events_args - unsafe.Sizeof(parseArgs{}))
	_ = uint(unsafe.Offsetof(parseArgs{}.out) - unsafe.Offsetof(C.events_args{}.out))
	_ = uint(unsafe.Offsetof(C.events_args{}.out) - unsafe.Offsetof(parseArgs{}.out))
)

var parse = leaf.Of[parseArgs]("events_parse", unsafe.Pointer(C.events_parse))

// Padding is how many bytes simdjson may read behind the end of a document: a document
// whose slice has that much more capacity is read where it lies. Any bytes will do, if
// nobody writes to them meanwhile.
const Padding = C.EVENTS_PADDING

// maxDepth is how deep the fields that nobody knows may be nested.
const maxDepth = C.EVENTS_MAX_DEPTH

// leafLimit is the largest document that is parsed by a leaf call. simdjson takes some
// microseconds for so much, and while a leaf runs the garbage collector waits for it.
// Larger ones go through cgo, whose price is nothing beside their own.
const leafLimit = 16 << 10

// A Parser makes tables of events of JSON documents. What it returns is good until its
// next call. It is for one goroutine at a time; end it with Close.
type Parser struct {
	c      unsafe.Pointer // C++ memory, which keeps its own buffers from call to call
	arena  *mem.Arena
	limit  int
	padded []byte // a copy of a document that had no room behind it
	Copied int    // how many documents were copied for that reason
}

// NewParser returns a parser whose results may take up to limit bytes.
func NewParser(limit int) (*Parser, error) {
	arena, err := mem.NewArena(min(64<<10, limit))
	if err != nil {
		return nil, err
	}
	c := C.events_new(leafLimit) // no leaf call allocates
	if c == nil {
		return nil, errors.New("simdjson: no memory for a parser")
	}
	return &Parser{c: c, arena: arena, limit: limit}, nil
}

// Close frees what C++ has.
func (p *Parser) Close() {
	C.events_free(p.c)
	p.c = nil
}

// Parse reads a document, an event or an array of events, and returns the table of them in
// place. Fields that are not there are zero, fields that nobody knows are checked and
// passed over. doc is not needed any more afterwards. What is wrong with it is an *[Error].
func (p *Parser) Parse(doc []byte) ([]Event, error) {
	if p.c == nil {
		return nil, errors.New("simdjson: Parse of a closed Parser")
	}
	if cap(doc)-len(doc) < Padding {
		// simdjson would read behind Go's allocation: into the next one at best.
		p.Copied++
		if need := len(doc) + Padding; cap(p.padded) < need {
			p.padded = make([]byte, 0, need+need/2)
		}
		doc = append(p.padded[:0], doc...)
	}
	p.arena.Reset()
	var out C.events_out
	for again := true; again; {
		if len(doc) <= leafLimit {
			args := parseArgs{parser: p.c, doc: mem.StrOfBytes(doc), room: cap(doc), arena: p.arena.C()}
			parse.Call(&args)
			out = args.out
		} else {
			out = p.parseLong(doc)
		}
		var err error
		if again, err = p.arena.Again(p.limit); err != nil {
			return nil, fmt.Errorf("simdjson: the events of a document of %d bytes: %w", len(doc), err)
		}
	}
	if out.code != 0 {
		return nil, newError(doc, int(out.code), int(out.at))
	}
	return mem.Elements[Event](p.arena, part(out.events))
}

// parseLong is a function of its own because what is given to cgo by address lies on the
// heap: a leaf call does not allocate.
func (p *Parser) parseLong(doc []byte) C.events_out {
	var out C.events_out
	C.events_parse_long(p.c, (*C.char)(unsafe.Pointer(unsafe.SliceData(doc))), C.size_t(len(doc)), C.size_t(cap(doc)),
		(*C.seam_arena)(p.arena.C()), &out)
	return out
}

func part(p C.seam_part) mem.Part { return mem.Part{At: uint64(p.at), Len: uint64(p.len)} }

// Items returns the items of an event in place.
func (p *Parser) Items(e *Event) ([]Item, error) { return mem.Elements[Item](p.arena, e.Items) }

// Text returns the bytes of a string in place.
func (p *Parser) Text(s mem.Part) ([]byte, error) { return p.arena.Bytes(s) }
