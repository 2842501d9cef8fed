package testenv

import (
	"net"
	"os"
	"runtime"
)

// Loopback is a loopback address of this process's own, where the system has many, for what listens
// on a port, ends and listens there again. Every connection that goes out comes from 127.0.0.1 and
// takes any port that is free there for its own end, for as long as it likes.
func Loopback() string {
	if pid := os.Getpid(); runtime.GOOS == "linux" {
		own := net.IPv4(127, 0x40|byte(pid>>16)&0x3f, byte(pid>>8), byte(pid)).String()
		if l, err := net.Listen("tcp", own+":0"); err == nil {
			l.Close()
			return own
		}
	}
	return "127.0.0.1"
}
