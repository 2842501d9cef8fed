package leaks

import (
	"io"

	"github.com/seamgo/seam/cmd/seam/internal/jsonfile"
)

// Encode writes the leaks as indented JSON.
func (f *File) Encode(w io.Writer) error { return jsonfile.Encode(w, f) }
