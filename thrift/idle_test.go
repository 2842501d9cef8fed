package thrift

import (
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"
)

// A connection is closed when it has been idle for IdleTimeout since its last message, not
// since an earlier one.
func TestIdleSinceTheLastMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := net.Pipe()
		s := &Server{Processor: echo, IdleTimeout: time.Hour}
		ended := make(chan error)
		go func() { ended <- s.ServeConn(server) }()
		call := request(Buffered, Binary, CallMessage, "echo", "text", 1)
		answer := make([]byte, 1000)
		for range 5 {
			time.Sleep(40 * time.Minute)
			if _, err := client.Write(call); err != nil {
				t.Fatal(err)
			}
			if _, err := client.Read(answer); err != nil {
				t.Fatal(err)
			}
		}
		start := time.Now()
		if _, err := client.Read(answer); err != io.EOF || time.Since(start) != time.Hour {
			t.Errorf("after the last message: %v, after %v", err, time.Since(start))
		}
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
