//go:build linux && cgo

package events

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/labtest"
	"github.com/seamgo/seam/cmd/seam/internal/lab/subprocess"
)

func init() { subprocess.Emulator = os.Getenv("SEAM_TEST_EMULATOR") }

func TestEveryServerAnswers(t *testing.T) {
	for _, via := range vias {
		// More connections than are opened together, fewer than are asked at once.
		for _, connections := range []int{300, 5} {
			t.Run(via, func(t *testing.T) {
				before := labtest.Leftovers(t)
				found, err := probeFor(t.Context(), via, size{connections, 2, 20 * time.Millisecond})
				labtest.Measured(t, err)
				values, count := map[string]float64{}, map[string]int{}
				for _, m := range found {
					if m.Label == "" || m.Value < 0 || !strings.HasPrefix(m.Name, name(via)) {
						t.Errorf("bad metric %+v", m)
					}
					values[m.Name+" "+m.Unit] = m.Value
					count[m.Name+" "+m.Unit]++
				}
				for key, n := range count {
					if n != 2 && !strings.HasSuffix(key, unitContention) {
						t.Errorf("%s is found %d times, want one for each of 2 looks", key, n)
					}
				}
				for _, key := range []string{
					name(via) + " " + unitRate, name(via) + " " + unitMedian, name(via) + " " + unitCPU,
					name(via) + " " + unitSwitches, aloneName(via) + " " + unitMedian,
				} {
					if values[key] <= 0 {
						t.Errorf("no %s in %v", key, values)
					}
				}
				if len(values) != 9 || values[name(via)+" "+unitTail] < values[name(via)+" "+unitMedian] {
					t.Errorf("found %v", values)
				}
				labtest.NoMoreThan(t, before)
			})
		}
	}
}

func TestProbeEndsWhenAsked(t *testing.T) {
	before := labtest.Leftovers(t)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := probe(viaNetpoll)(gone, lab.NewBench(lab.Quick, 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
	// At whatever point it is then.
	soon, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := probeFor(soon, viaNetpoll, size{10, 1, time.Hour}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error is %v", err)
	}
	labtest.NoMoreThan(t, before)
}

func TestTooManyConnectionsAreNotMeasured(t *testing.T) {
	_, err := probeFor(t.Context(), viaNetpoll, size{1 << 30, 1, time.Second})
	var nm *lab.NotMeasured
	if !errors.As(err, &nm) || !strings.Contains(nm.Reason, "ulimit") {
		t.Errorf("error %v, want a reason with what to do", err)
	}
	_, err = probeFor(t.Context(), "pigeon", size{1, 1, time.Second})
	if !errors.As(err, &nm) || !strings.Contains(nm.Reason, `no server is named "pigeon"`) {
		t.Errorf("error %v", err)
	}
}

// answerer serves connections with f until the test ends and returns its port.
func answerer(t *testing.T, f func(net.Conn)) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return // the test has ended
			}
			go func() {
				defer c.Close()
				f(c)
			}()
		}
	}()
	return l.Addr().(*net.TCPAddr).Port
}

// answers returns a server that adds to the first answers as it must and makes
// the others with f.
func answers(good int, f func(net.Conn, []byte) bool) func(net.Conn) {
	return func(c net.Conn) {
		m := make([]byte, 64)
		for n := 0; ; n++ {
			if _, err := io.ReadFull(c, m); err != nil {
				return
			}
			binary.NativeEndian.PutUint64(m, binary.NativeEndian.Uint64(m)+1)
			if n >= good {
				if !f(c, m) {
					return
				}
				continue
			}
			if _, err := c.Write(m); err != nil {
				return
			}
		}
	}
}

func TestClientPutsAnswersTogether(t *testing.T) {
	port := answerer(t, answers(0, func(c net.Conn, m []byte) bool {
		for i := range 4 {
			if _, err := c.Write(m[16*i : 16*i+16]); err != nil {
				return false
			}
		}
		return true
	}))
	k, err := connect(port, 3, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer k.close()
	for range 2 {
		s, err := k.run(2, 20*time.Millisecond)
		if err != nil {
			t.Fatal(err)
		}
		if s.answers == 0 || len(s.latency) != s.answers || s.took <= 0 {
			t.Errorf("%d answers, %d latencies, %v", s.answers, len(s.latency), s.took)
		}
		for _, v := range s.latency {
			if v <= 0 || v > float64(s.took) {
				t.Fatalf("a latency of %v ns in %v", v, s.took)
			}
		}
	}
}

func TestClientSeesWrongAnswers(t *testing.T) {
	for _, tt := range []struct {
		name string
		f    func(net.Conn, []byte) bool
		want error
	}{
		{"wrong number", func(c net.Conn, m []byte) bool { m[0]++; _, err := c.Write(m); return err == nil }, syscall.EPROTO},
		{"hung up", func(net.Conn, []byte) bool { return false }, syscall.ECONNRESET},
	} {
		for good := range 2 { // while it connects, and later
			t.Run(tt.name, func(t *testing.T) {
				k, err := connect(answerer(t, answers(good, tt.f)), 1, time.Second)
				if err == nil {
					defer k.close()
					_, err = k.run(1, time.Second)
				}
				if !errors.Is(err, tt.want) {
					t.Errorf("error %v, want %v", err, tt.want)
				}
			})
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	if _, err := connect(port, 1, time.Second); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("nobody listens, but error %v", err)
	}
}
