// Package kitexmask sends parts of messages by Kitex: what a mask leaves of them. Folder theirs
// is what kitex writes, whose masks ours are compared with.
package kitexmask

//go:generate ./generate
