package recording

// The tool is built of this package, so what no longer compiles goes first.
//go:generate rm -f layout_seam.go
//go:generate go run ../../.. layout --write --header ../runtime/record/c/seam_record.h

// How every record begins, and its chunks, as seam_record.h has them. A record is
// read by these types, whatever machine it is read on; layout_seam.go and
// layout_seam.h prove that C writes it so.

// Header is the beginning of a record. The first chunk is HeaderSize behind it.
//
//seam:layout struct seam_record_header
type Header struct {
	Magic            [8]byte
	Version, Order   uint32
	Used, PID        uint64
	StartReal, Start uint64 // since 1970, and by the clock that all other times are of
	Failed           uint64 // the error for which the file could not grow, or 0
}

// Chunk is how all of them begin. Size is that of the whole chunk, a multiple of
// chunkAlign.
//
//seam:layout struct seam_chunk
type Chunk struct{ Size, Type uint32 }

// Text is a chunk that tells of the process; strings follow, each with a 0.
//
//seam:layout struct seam_text
type Text struct {
	Chunk      Chunk
	ID, Length uint32
	_          [2]uint64
}

const (
	// HeaderSize is where the first chunk begins.
	HeaderSize = 4096

	// TextChunk is the type of a Text.
	TextChunk = 4

	// Order is what the word for the byte order holds.
	Order = 0x01020304

	maxFile    = 256 << 20
	chunkAlign = 64 // chunks begin at multiples of it, and are that long at least
)
