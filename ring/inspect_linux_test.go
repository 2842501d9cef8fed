package ring

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seamgo/seam/internal/child"
)

// A ring can be looked at from outside, with who waits.
func TestInspect(t *testing.T) {
	if len(child.Emulator()) > 0 {
		t.Skip("an emulator's addresses are not those that the system knows")
	}
	collected(t)
	c, cmd, said := startPeer(t, "echo-asleep", 0, Options{Capacity: 4096})
	if err := c.Writer().Send(forever, make([]byte, 40)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Reader().Next(forever); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	var seen []Seen
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		for _, pid := range []int{cmd.Process.Pid, os.Getpid()} { // from both sides
			var err error
			if seen, err = Inspect(pid); err != nil || len(seen) != 2 {
				t.Fatalf("%d rings, %v", len(seen), err)
			}
		}
		if seen[0].ReaderWaits {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the peer doesn't sleep")
		}
	}
	there, back := seen[0], seen[1]
	if there.Back || there.Written != 48 || there.Fill() != 0 || there.Capacity != 4096 || there.Version != version || there.ReaderSleeps == 0 ||
		!slices.Equal(sorted(there.Processes), sorted([]int{os.Getpid(), cmd.Process.Pid})) {
		t.Errorf("there: %+v", there)
	}
	if !back.Back || back.Fill() != 48 || back.ReaderWaits || back.WriterClosed || back.Inode != there.Inode {
		t.Errorf("back: %+v", back)
	}
	c.Writer().Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if seen, err := Inspect(os.Getpid()); err != nil || len(seen) != 2 || !seen[1].WriterClosed || !seen[0].WriterClosed {
		t.Errorf("after the end: %+v, %v", seen, err)
	}
	if _, err := Inspect(1 << 30); err == nil || !strings.Contains(err.Error(), "there is no process 1073741824") {
		t.Error(err)
	}
}

func sorted(list []int) []int { return slices.Sorted(slices.Values(list)) }
