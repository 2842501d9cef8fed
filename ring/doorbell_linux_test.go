package ring

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime"
	"testing"
	"time"
)

func newDoorbell(t testing.TB) *Doorbell {
	t.Helper()
	d, err := NewDoorbell()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

// Many writers, each with a ring of its own, and one goroutine that reads them all: nothing
// is lost or out of order, and each end is told.
func TestDoorbell(t *testing.T) {
	const rings, records = 20, 300
	for name, o := range waysToWake {
		t.Run(name, func(t *testing.T) {
			d := newDoorbell(t)
			numbers := map[*Conn]int{}
			var clients []*Conn
			for i := range rings {
				serving := o
				serving.Doorbell = d
				server, client := connect2(t, serving, o)
				numbers[server] = i
				clients = append(clients, client)
			}
			for i, client := range clients {
				go func() {
					for k := range records {
						rec := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, uint32(i)), uint32(k))
						if err := client.Writer().Send(forever, rec); err != nil {
							t.Error(err)
						}
						if k%50 == i {
							time.Sleep(time.Millisecond)
						}
					}
					client.Writer().Close()
				}()
			}
			var got [rings]uint32
			for ended := 0; ended < rings; {
				c, err := d.Next(forever)
				if err != nil {
					t.Fatal(err)
				}
				i := numbers[c]
				for {
					rec, ok, err := c.Reader().TryNext()
					if err == io.EOF {
						ended++
						if got[i] != records {
							t.Errorf("ring %d ended after %d records", i, got[i])
						}
					} else if err != nil {
						t.Fatal(err)
					}
					if !ok {
						break
					}
					if w, k := binary.LittleEndian.Uint32(rec), binary.LittleEndian.Uint32(rec[4:]); int(w) != i || k != got[i] {
						t.Fatalf("record %d of writer %d in place of %d of %d", k, w, got[i], i)
					}
					got[i]++
				}
			}
			ctx, cancel := context.WithTimeout(forever, 5*time.Millisecond)
			defer cancel()
			if c, err := d.Next(ctx); err != context.DeadlineExceeded {
				t.Errorf("after all have ended: %v, %v", c, err)
			}
		})
	}
}

// A peer that goes without a word, one that is closed here, and a ring that is left with
// records unread.
func TestDoorbellEnds(t *testing.T) {
	for name, o := range waysToWake {
		t.Run(name, func(t *testing.T) {
			d := newDoorbell(t)
			serving := o
			serving.Doorbell = d
			gone, itsClient := connect2(t, serving, o)
			closed, _ := connect2(t, serving, o)
			rich, richClient := connect2(t, serving, o)
			next := func(want *Conn) {
				t.Helper()
				if c, err := d.Next(forever); c != want || err != nil {
					t.Fatalf("%p, %v, want %p", c, err, want)
				}
			}
			for range 3 {
				richClient.Writer().Append(forever, []byte("x"))
			}
			richClient.Writer().Flush()
			for range 3 {
				next(rich)
				if _, ok, err := rich.Reader().TryNext(); !ok || err != nil {
					t.Fatal(ok, err)
				}
			}
			itsClient.sock.Close()
			next(gone)
			if _, _, err := gone.Reader().TryNext(); err != ErrGone {
				t.Errorf("%v", err)
			}
			closed.Close()
			ctx, cancel := context.WithTimeout(forever, 5*time.Millisecond)
			defer cancel()
			if c, err := d.Next(ctx); err != context.DeadlineExceeded {
				t.Errorf("%p, %v", c, err)
			}
			// A connection that comes while Next waits.
			late := make(chan *Conn)
			go func() {
				server, client := connect2(t, serving, o)
				client.Writer().Send(forever, []byte("late"))
				late <- server
			}()
			c, err := d.Next(forever)
			if err != nil || c != <-late {
				t.Errorf("%p, %v", c, err)
			}
			if rec, ok, err := c.Reader().TryNext(); !ok || string(rec) != "late" {
				t.Errorf("%q, %v", rec, err)
			}
			if _, err := c.Reader().Next(forever); !errors.Is(err, ErrInvalid) {
				t.Errorf("to wait for what a doorbell waits for: %v", err)
			}
			d.Close()
			if _, err := d.Next(forever); err != ErrClosed {
				t.Errorf("closed: %v", err)
			}
		})
	}
}

// Rings that are idle have no goroutine, and nobody is woken for them.
func TestDoorbellIsQuiet(t *testing.T) {
	const rings = 200
	before := runtime.NumGoroutine()
	here, there := newDoorbell(t), newDoorbell(t)
	var servers, clients []*Conn
	for range rings {
		server, client := connect2(t, Options{Capacity: 64, Untrusted: true, Doorbell: here}, Options{Doorbell: there})
		servers, clients = append(servers, server), append(clients, client)
	}
	if n := runtime.NumGoroutine() - before; n > rings/10 {
		t.Errorf("%d goroutines for %d rings", n, 2*rings)
	}
	for range 50 {
		// It looks, and asks all to ring, unless the time is up before.
		ctx, cancel := context.WithTimeout(forever, time.Millisecond)
		if c, err := here.Next(ctx); err != context.DeadlineExceeded {
			t.Fatalf("%p, %v", c, err)
		}
		cancel()
		if err := clients[7].Writer().Send(forever, []byte("x")); err != nil {
			t.Fatal(err)
		}
		if c, err := here.Next(forever); c != servers[7] || err != nil {
			t.Fatalf("%p, %v", c, err)
		}
		if _, ok, err := servers[7].Reader().TryNext(); !ok || err != nil {
			t.Fatal(ok, err)
		}
	}
	for i, s := range servers {
		if n := s.Reader().Stats().WriterWoke; i == 7 && (n == 0 || n > 50) || i != 7 && n != 0 {
			t.Errorf("ring %d was rung %d times", i, n)
		}
	}
}

// Records through one of so many rings, and what each end of them costs in memory. Both ends
// are in this process, and each takes a descriptor, of which 20,000 is a usual limit.
func BenchmarkDoorbell(b *testing.B) {
	for _, rings := range []int{1, 1000, 9000} {
		b.Run(fmt.Sprintf("rings=%d", rings), func(b *testing.B) {
			var m0, m1 runtime.MemStats
			here, there := newDoorbell(b), newDoorbell(b)
			runtime.GC()
			runtime.ReadMemStats(&m0)
			servers, clients := map[*Conn]bool{}, []*Conn{}
			for range rings {
				server, client := connect2(b, Options{Capacity: 4096, Untrusted: true, Doorbell: here}, Options{Doorbell: there})
				servers[server], clients = true, append(clients, client)
			}
			runtime.GC()
			runtime.ReadMemStats(&m1)
			rec := make([]byte, 64)
			for i := 0; b.Loop(); i++ {
				if err := clients[i%rings].Writer().Send(forever, rec); err != nil {
					b.Fatal(err)
				}
				c, err := here.Next(forever)
				if err != nil {
					b.Fatal(err)
				}
				if _, ok, err := c.Reader().TryNext(); !ok || err != nil {
					b.Fatal(ok, err)
				}
			}
			b.ReportMetric(float64(m1.HeapInuse+m1.StackInuse-m0.HeapInuse-m0.StackInuse)/float64(2*rings), "B/conn")
		})
	}
}
