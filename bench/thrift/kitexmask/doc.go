// Package kitexmask sends parts of messages by Kitex: what a mask leaves of them.
package kitexmask

//go:generate go run ../../../cmd/seam gen --kitex --field-mask -o gen idl
