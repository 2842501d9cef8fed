//go:build !linux

package ring

import (
	"net"
	"runtime"
)

func serve(*net.UnixConn, Options) (*Conn, error) {
	return nil, wrap(ErrUnsupported, "rings between processes need memfd_create, which %s doesn't have", runtime.GOOS)
}

func connect(sock *net.UnixConn, o Options) (*Conn, error) { return serve(sock, o) }
