//go:build linux

package cli

import (
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/seamgo/seam/ring"
)

func TestRing(t *testing.T) {
	self := strconv.Itoa(os.Getpid())
	seam(t, "ring", self).must(t, exitOK, "shares no rings", "")
	address := filepath.Join(t.TempDir(), "socket")
	l, err := net.Listen("unix", address)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	served := make(chan *ring.Conn, 1)
	go func() {
		sock, err := l.Accept()
		if err != nil {
			return
		}
		c, _ := ring.Serve(t.Context(), sock.(*net.UnixConn), ring.Options{Capacity: 4096})
		served <- c
	}()
	sock, err := net.Dial("unix", address)
	if err != nil {
		t.Fatal(err)
	}
	client, err := ring.Connect(t.Context(), sock.(*net.UnixConn), ring.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	server := <-served
	defer server.Close()
	if err := server.Writer().Send(t.Context(), make([]byte, 2040)); err != nil {
		t.Fatal(err)
	}
	seam(t, "ring", self).must(t, exitOK, "50 %", "")
	c := seam(t, "ring", self, "--json", "-")
	var f ringFile
	if err := json.Unmarshal([]byte(c.out), &f); err != nil || c.code != exitOK || len(f.Rings) != 4 || f.Rings[0].Written != 2048 || f.Schema != "seam.ring/1" {
		t.Errorf("exit code %d, %v\n%s%s", c.code, err, c.out, c.errout)
	}
	seam(t, "ring", "1073741824").must(t, exitUsage, "", "there is no process 1073741824")
}
