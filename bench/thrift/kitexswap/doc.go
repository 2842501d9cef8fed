// Package kitexswap shows that what seam gen --kitex writes takes the place of what kitex
// writes: the program in ours and theirs is the same but for an import path, and either
// talks to either by all of Kitex's transports for Thrift. Package ours/use is kitex's own
// service package over our types.
//
// The generated code is not committed: make peers.
package kitexswap
