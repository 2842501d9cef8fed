// Package thrift is the run-time of the Go code that seam gen writes for
// Thrift definitions: the binary and compact protocols, limits on what hostile
// bytes may cost, errors that name the field, and clients and servers over a
// small transport.
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
// 4 KB, even with messages decoded before and after. So a short string that is kept
// for a long time retains up to 4 KB; strings.Clone releases it. Structs in a list
// share one allocation as well.
//
// Decoding into a used object gives the same result as decoding into a new
// one, but reuses its slices, maps and structs. So nothing that was taken out
// of such an object may still be in use.
//
// # Safety
//
// No input makes decoding panic, recurse without bound or allocate more than
// it can pay for; see [Limits].
//
// What only generated code calls is in package codec.
package thrift
