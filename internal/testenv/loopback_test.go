package testenv

import (
	"net"
	"runtime"
	"testing"
)

// A connection that goes out takes no port of the address that is a process's own.
func TestLoopback(t *testing.T) {
	l, err := net.Listen("tcp", Loopback()+":0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if from := c.LocalAddr().(*net.TCPAddr).IP.String(); runtime.GOOS == "linux" && from == Loopback() {
		t.Errorf("a connection came from %s", from)
	}
}
