// Package thrift is the run-time of the Go code that seam gen writes for
// Thrift definitions: the binary and compact protocols, limits on what bytes
// from strangers may cost, errors that name the field, and clients and
// servers over a small transport.
//
// A generated type is a [Message]. Its own methods are all that most
// programs need:
//
//	out, err := order.AppendBinary(nil)
//	err = order.DecodeBinary(in)
//
// [DecodeBinary] and [DecodeCompact] take [Options]: other limits, strings
// that are views of the input, bytes after the message.
//
// # Memory
//
// Decoding copies what it keeps: the input may be reused at once. The
// strings, byte slices and slices of numbers of a message share allocations of
// 4 KB, also with messages that are decoded before and after. So a short string
// that is kept for long keeps up to 4 KB with it; strings.Clone makes it stand
// alone. Structs in a list share one
// allocation as well.
//
// Decoding into an object that was used before gives the same result as
// decoding into a new one, but takes the slices, maps and structs it finds
// there instead of new ones. So nothing that was taken out of such an object
// may still be in use.
//
// # Safety
//
// No input makes decoding panic, recurse without bound or allocate more than
// it can pay for; see [Limits].
//
// What only generated code calls is in package codec.
package thrift
