// Package thrift is the runtime of the Go code that seam gen writes for Thrift
// files: how messages are read and written, limits on what untrusted bytes may
// cost, errors that name the field, and clients and servers.
//
// A generated type is a [Message]. Most programs need only its own methods:
//
//	out, err := order.AppendBinary(nil)
//	err = order.DecodeBinary(in)
//
// [DecodeBinary] and [DecodeCompact] take [Options]: other limits, strings
// that are views of the input. They accept bytes after the message.
//
// A client is made of a [Transport], a [Client] and the generated type around
// it; a server is a [Server] with a generated [Processor].
//
// # Memory
//
// Decoding copies what it keeps, so the input may be reused at once. Strings,
// byte slices and slices of numbers share allocations of 5 KB, also with
// messages decoded before and after. A short string that is kept for long
// keeps up to 5 KB alive; strings.Clone detaches it. The structs of a list
// share one allocation as well.
//
// Decoding into an object that was used before gives the same result as
// decoding into a new one, but reuses the slices, maps and structs it finds
// there. Nothing that was taken out of such an object may still be in use.
//
// # Safety
//
// No input makes decoding panic, recurse without bound or allocate more than
// its [Limits] allow.
//
// # Bubbles
//
// Servers and clients work in the bubbles of testing/synctest. Over net.Pipe all
// timeouts are the bubble's. Over sockets the bubble's clock stands still while
// anybody waits for the network, as always in a bubble.
//
// What only generated code calls is in package codec.
package thrift
