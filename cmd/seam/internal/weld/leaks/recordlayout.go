package leaks

import "github.com/seamgo/seam/cmd/seam/internal/weld/recording"

// The tool is built of this package, so what no longer compiles goes first.
//go:generate rm -f layout_seam.go
//go:generate go run ../../.. layout --write --header ../runtime/leaks/c/seam_leaks_impl.h "--cflags=-I ../runtime/record/c"

// The records of programs that are searched for leaks, as seam_leaks_file.h has
// them: see package recording.

var format = recording.Format{Magic: magic, Version: version, Verb: "leaks", Err: ErrNotRecord}

const (
	magic   = "SEAMLEAK"
	version = 3

	bins       = 64   // of a stack's history
	firstShift = 10   // a bin is 1 << shift ns, and at first 1 << firstShift
	slab       = 4096 // blocks in a chunk

	stateLive = 1 // of a block
)

// Types of chunks.
const (
	chunkBlocks = 1 + iota
	chunkStack
	chunkWrong
)

//seam:layout struct seam_leaks_header
type header struct {
	Head                              recording.Header
	End                               uint64 // when something was allocated or freed last
	LostBlocks, LostStacks, LostWrong uint64
	Unsearched                        uint64
	Seen                              uint64 // when the process was there last; 0: not told
	RSSFirst, RSSLast                 uint64 // its resident memory; 0: not told
}

// A block is one that Go has got, or has had.
//
//seam:layout struct seam_block
type block struct {
	Address, Size  uint64
	Stack, Next    uint32
	FreedBy, Again uint32
	FreedAt        uint64
	State, Moved   uint32
}

//seam:layout struct seam_blocks
type blocks struct {
	Chunk recording.Chunk
	_     [7]uint64
	List  [slab]block
}

// A stack is one that allocates or frees: triples of function, file and line follow.
//
//seam:layout struct seam_stack
type stack struct {
	Chunk             recording.Chunk
	ID, Length        uint32
	Made, MadeBytes   uint64
	Freed, FreedBytes uint64
	Lock              int32
	Shift             uint32
	_                 uint64
	Bins              [bins]uint32 // live blocks at the end of the time, plus 1; 0: as before
}

// A wrong is a free that must not be: where in C it was freed first, and now, follow.
//
//seam:layout struct seam_wrong
type wrong struct {
	Chunk               recording.Chunk
	Kind, Length        uint32
	Stack, First        uint32 // that allocated the block, that freed it
	Second, _           uint32 // that freed it wrongly
	Count, Size, Offset uint64
	_                   uint64
}
