// Package conform holds the code of a type with every construct of the IDL. Its tests,
// which have the build tag seam_thrift_peers, let Apache's libraries for C++, Python and
// Java read what our code writes and write what it reads, and call each other.
//
// They need what scripts/need names for the target test-thrift-peers in the Makefile.
//
// The generated code is not committed: make peers.
package conform
