package leaks

import (
	"io"

	"github.com/seamgo/seam/cmd/seam/internal/jsonfile"
)

var jsonKind = jsonfile.Kind{Schema: "seam.leaks/1"}

// Encode writes the leaks as indented JSON.
func (f *File) Encode(w io.Writer) error { return jsonKind.Encode(w, f) }
