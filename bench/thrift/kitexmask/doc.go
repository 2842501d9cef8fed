// Package kitexmask sends parts of messages by Kitex: what a mask leaves of them.
//
// The generated code is not committed: make peers.
package kitexmask
