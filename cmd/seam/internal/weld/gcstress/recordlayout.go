package gcstress

import "github.com/seamgo/seam/cmd/seam/internal/weld/recording"

// The tool is built of this package, so what no longer compiles goes first.
//go:generate rm -f layout_seam.go
//go:generate go run ../../.. layout --write --header ../runtime/gcstress/c/seam_stress_impl.h "--cflags=-I ../runtime/record/c"

// The records of such programs, as seam_stress_impl.h has them: see package recording.

var format = recording.Format{Magic: "SEAMSTRE", Version: 2, Verb: "vet --confirm", Err: ErrNotRecord}

// chunkFreed is the type of a [recording.Text] with the names of two C functions, of the
// one in progress and of the one that a finalizer calls, and their stacks, with an empty
// string between them.
const chunkFreed = 1

//seam:layout struct seam_stress_header
type header struct {
	Head      recording.Header
	Collected uint64
}
