package thrift

import (
	"net"
	"os"
	"runtime"
	"testing"
	"time"
)

// openFiles is a number of descriptors.
type openFiles int

// descriptors counts those of the process, on Linux.
func descriptors(t *testing.T) openFiles {
	t.Helper()
	if runtime.GOOS != "linux" {
		return 0
	}
	l, err := net.Listen("tcp", "127.0.0.1:0") // the first use of the network opens two for the poller
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return openFiles(len(list))
}

// same fails the test if there are more than before, when all that is closing is closed.
func (before openFiles) same(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		now := descriptors(t)
		if now <= before {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d descriptors, %d before", now, before)
		}
	}
}
