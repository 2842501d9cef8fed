//go:build linux && cgo

package blocking

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/labtest"
	"github.com/seamgo/seam/cmd/seam/internal/lab/subprocess"
)

func init() { subprocess.Emulator = os.Getenv("SEAM_TEST_EMULATOR") }

func TestEveryWayRuns(t *testing.T) {
	for _, via := range vias {
		for _, n := range []int{1, 20} {
			t.Run(fmt.Sprintf("%s/%d", via, n), func(t *testing.T) {
				before := labtest.Leftovers(t)
				found, err := probeFor(t.Context(), order{Via: via, N: n, Looks: 1, Window: 50 * time.Millisecond})
				if err == nil && rate(found) == 0 {
					// A machine that is busy with other things may leave no time for one call.
					found, err = probeFor(t.Context(), order{Via: via, N: n, Looks: 1, Window: 5 * time.Second})
				}
				labtest.Measured(t, err)
				values := map[string]float64{}
				for _, m := range found {
					if m.Name == "" {
						m.Name = name(via, n)
					}
					if m.Label == "" || m.Value < 0 {
						t.Errorf("bad metric %+v", m)
					}
					if _, twice := values[m.Name+" "+m.Unit]; twice {
						t.Errorf("%s %s is found twice", m.Name, m.Unit)
					}
					values[m.Name+" "+m.Unit] = m.Value
				}
				for _, unit := range []string{unitRate, unitLate, unitThreads} {
					if values[name(via, n)+" "+unit] <= 0 {
						t.Errorf("no %s in %v", unit, values)
					}
				}
				// Each call of cgo that is in C at the time of the look has a thread (on a busy
				// machine some are not); the other ways are bounded.
				if threads := values[name(via, n)+" "+unitThreads]; via == viaCgo && threads < float64(n)/2 || threads > float64(n+slots+20) {
					t.Errorf("%v threads for %d calls", threads, n)
				}
				for _, name := range []string{usedName(via, n), notInGoName(via, n)} {
					if v := values[name+" %"]; v > 100 {
						t.Errorf("%s is %v %%", name, v)
					}
				}
				labtest.NoMoreThan(t, before)
			})
		}
	}
}

// rate is how many calls a second ended.
func rate(found []lab.Metric) float64 {
	for _, m := range found {
		if m.Unit == unitRate {
			return m.Value
		}
	}
	return 0
}

func TestProbeEndsWhenAsked(t *testing.T) {
	before := labtest.Leftovers(t)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := probe(viaCgo, 1)(gone, lab.NewBench(lab.Full, 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
	// At whatever point it is then.
	soon, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := probeFor(soon, order{Via: viaCgo, N: 4, Looks: 1, Window: time.Hour}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error is %v", err)
	}
	labtest.NoMoreThan(t, before)
}

func TestTooManyCallsAreNotMeasured(t *testing.T) {
	for _, via := range vias {
		_, err := probeFor(t.Context(), order{Via: via, N: 1 << 30, Looks: 1, Window: time.Second})
		var nm *lab.NotMeasured
		if !errors.As(err, &nm) || nm.Reason == "" {
			t.Errorf("%s: error %v, want a reason", via, err)
		}
	}
}

func TestUnknownWay(t *testing.T) {
	_, err := probeFor(t.Context(), order{Via: "pigeon", N: 1, Looks: 1, Window: time.Second})
	var nm *lab.NotMeasured
	if !errors.As(err, &nm) || nm.Reason != `no way to call C is named "pigeon"` {
		t.Errorf("error %v", err)
	}
}

func TestEveryLookIsTold(t *testing.T) {
	found, err := probeFor(t.Context(), order{Via: viaCgo, N: 2, Looks: 3, Window: 10 * time.Millisecond})
	var nm *lab.NotMeasured
	if errors.As(err, &nm) {
		t.Skip(err)
	}
	rates := 0
	for _, m := range found {
		if m.Unit == unitRate { // it may be 0: the window is short, and the machine may be busy
			rates++
		}
	}
	if err != nil || rates != 3 {
		t.Errorf("%d looks, error %v", rates, err)
	}
}

// A tick that is missed counts: none is lost, and a later one of the same
// wake-up is late by a period less.
func TestWatcherCountsEveryTick(t *testing.T) {
	w, err := newWatcher(time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.watch(50 * time.Millisecond); err != nil {
		t.Fatal(err)
	}
	if len(w.late) < 49 {
		t.Errorf("%d ticks in 50 ms, want one each", len(w.late))
	}
	for i, v := range w.late {
		if v < 0 {
			t.Errorf("tick %d came %v ns early", i, -v)
		}
	}
}

func TestPeerAnswersEveryByteOnce(t *testing.T) {
	before := labtest.Leftovers(t)
	p, err := startPeer(time.Millisecond, 100)
	if err != nil {
		t.Fatal(err)
	}
	var fds []int
	for range 50 {
		fd, err := dial(p.name)
		if err != nil {
			t.Fatal(err)
		}
		fds = append(fds, fd)
	}
	for range 3 {
		for _, fd := range fds {
			if _, err := unix.Write(fd, []byte{1}); err != nil {
				t.Fatal(err)
			}
		}
		for i, fd := range fds {
			var answer [8]byte
			if n, err := unix.Read(fd, answer[:]); n != 1 || err != nil {
				t.Fatalf("connection %d: %d bytes, %v", i, n, err)
			}
		}
	}
	for _, fd := range fds[:25] {
		unix.Close(fd)
	}
	p.close() // ends the other connections too
	for i, fd := range fds[25:] {
		var answer [8]byte
		if n, err := unix.Read(fd, answer[:]); n != 0 || err != nil {
			t.Errorf("connection %d after the end: %d bytes, %v", i, n, err)
		}
		unix.Close(fd)
	}
	labtest.NoMoreThan(t, before)
}

// Who asks for more at once than was agreed on is hung up on, not forgotten.
func TestPeerHangsUpOnTooMuch(t *testing.T) {
	p, err := startPeer(time.Hour, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	fd, err := dial(p.name)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	if _, err := unix.Write(fd, []byte{1, 2}); err != nil {
		t.Fatal(err)
	}
	var answer [8]byte
	if n, err := unix.Read(fd, answer[:]); n != 0 || err != nil {
		t.Errorf("%d bytes, %v; want the end", n, err)
	}
}
