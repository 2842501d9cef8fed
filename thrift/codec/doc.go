// Package codec is what the Go code that seam gen writes is made of: it reads
// and writes the binary and compact protocols, and compares, copies and formats
// structs. Programs call generated code and package [thrift]. Only the types
// that thrift takes from here are meant for people: Options, Limits, the errors,
// UUID, Pair and Unknown.
//
// The functions don't check what generated code has checked before.
//
// [thrift]: https://pkg.go.dev/github.com/seamgo/seam/thrift
package codec
