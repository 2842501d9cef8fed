//go:build !linux

package thrift

import "net"

// corkable is for systems that can't keep an answer until its connection ends.
func corkable(*net.TCPConn) {}

// waits is whether somebody waits to be accepted, where that can't be asked.
func waits(net.Listener) bool { return false }
