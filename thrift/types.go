package thrift

import "github.com/seamgo/seam/thrift/codec"

// A UUID is a value of Thrift's type uuid: its 16 bytes in the order of the
// wire. Its text, in JSON too, is the form with 36 letters.
type UUID = codec.UUID

// ParseUUID reads a UUID of 36 letters, hexadecimal digits of either case with
// four hyphens, or of 32 without them. Either may be in braces.
func ParseUUID(text string) (UUID, error) { return codec.ParseUUID(text) }

// A Pair is an entry, with a Key and a Value, of a map whose keys Go can't
// have as keys of a map: lists, sets, maps and structs. Such a map is a
// []Pair, in the order of the wire.
type Pair[K, V any] = codec.Pair[K, V]

// Unknown holds the fields of a struct that its reader did not know, so that
// they can be written again: seam gen --unknown adds it to structs.
type Unknown = codec.Unknown

// Ptr returns a pointer to v, for optional fields.
func Ptr[T any](v T) *T { return &v }
