//go:build linux

package prof

import (
	"context"
	"net"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A process that is stopped takes the connection and says nothing: an interrupt ends the wait.
func TestAttachInterrupted(t *testing.T) {
	l, err := net.Listen("unix", "@seam-prof-"+strconv.Itoa(os.Getpid()))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		if c, err := l.Accept(); err == nil {
			_, _ = c.Read(make([]byte, 1)) // it has asked
			context.AfterFunc(t.Context(), func() { c.Close() })
		}
	}()
	err = Attach(ctx, os.Getpid(), 100, time.Hour, t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "process "+strconv.Itoa(os.Getpid())+" doesn't answer") {
		t.Errorf("%v", err)
	}
}
