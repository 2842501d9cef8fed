// Package codec is what the Go code that seam gen writes is made of: it reads
// and writes the binary and the compact protocol, compares, copies and prints
// structs. Programs use generated code and package [thrift]; they need this
// package only to read what the types mean that thrift has from here.
//
// The functions check nothing that generated code has checked before it calls
// them.
//
// [thrift]: https://pkg.go.dev/github.com/seamgo/seam/thrift
package codec
