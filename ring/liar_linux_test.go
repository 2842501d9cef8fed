package ring

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"unsafe"
)

// lies writes what it likes over all that two sides share, while they use it.
func lies(seed uint64, n int, rings ...*memory) {
	g := rand.New(rand.NewPCG(seed, 1))
	for range n {
		m := rings[g.IntN(len(rings))]
		m.mu.RLock()
		if m.ctl == nil {
			m.mu.RUnlock()
			continue
		}
		size := int(controlSize)
		if g.IntN(2) == 0 {
			size += int(m.capacity)
		}
		word := (*atomic.Uint64)(unsafe.Add(unsafe.Pointer(m.ctl), 8*g.IntN(size/8)))
		if g.IntN(2) == 0 { // what matters most
			word = []*atomic.Uint64{&m.ctl.written, &m.ctl.read, (*atomic.Uint64)(unsafe.Pointer(&m.ctl.reader.state)), (*atomic.Uint64)(unsafe.Pointer(&m.ctl.writer.state))}[g.IntN(4)]
		}
		switch g.IntN(6) {
		case 0:
			word.Store(g.Uint64())
		case 1:
			word.Store(word.Load() + 8*uint64(g.IntN(9)) - 32)
		case 2:
			word.Store([]uint64{0, 1, 2, 3, 7, 8, 1 << 31, 1 << 32, 1 << 63, 1<<64 - 8, 1<<64 - 1, padding<<32 | 8}[g.IntN(12)])
		case 3:
			word.Store(word.Load() ^ 1<<g.IntN(64))
		case 4:
			word.Add(m.capacity)
		case 5: // and now and then the truth
			word.Store(word.Load() &^ 7)
		}
		m.mu.RUnlock()
	}
}

// A peer that lies in every field, while both sides run: the other side's calls end, with
// records inside of the ring or with an error, and nothing else happens.
func TestLiar(t *testing.T) {
	for name, o := range waysToWake {
		for _, full := range []Full{Block, DropOldest} {
			t.Run(name, func(t *testing.T) {
				o.Full = full
				for seed := range uint64(40) {
					server, client := connect2(t, o, o)
					ctx, cancel := context.WithCancel(forever)
					ended := make(chan error, 4)
					for _, c := range []*Conn{server, client} {
						go func() {
							for {
								switch err := c.Writer().Send(ctx, make([]byte, seed%200)); err {
								case nil, ErrFull:
									if ctx.Err() != nil {
										ended <- nil
										return
									}
								default:
									ended <- err
									return
								}
							}
						}()
						go func() {
							sum := 0
							for {
								rec, err := c.Reader().Next(ctx)
								if err != nil {
									ended <- err
									return
								}
								if ctx.Err() != nil {
									ended <- nil
									return
								}
								for _, b := range rec {
									sum += int(b)
								}
							}
						}()
					}
					lies(seed, 3000, server.dirs[0], server.dirs[1])
					cancel()
					server.wake()
					client.wake()
					for range 4 {
						if err := <-ended; err != nil && err != ErrGone && err != io.EOF && err != context.Canceled && !errors.Is(err, ErrCorrupt) {
							t.Errorf("seed %d: %v", seed, err)
						}
					}
					server.Close()
					client.Close()
				}
			})
		}
	}
}

// The same to a process in C: it ends by itself, not by a signal, and doesn't wait for ever.
func TestLiarToC(t *testing.T) {
	for name, o := range waysToWake {
		for _, role := range []string{"echo", "consume-dropped"} {
			t.Run(name+"/"+role, func(t *testing.T) {
				if role != "echo" {
					o.Full = DropOldest
				}
				for seed := range uint64(5) {
					c, cmd, said := startPeer(t, role, 1000, o)
					ctx, cancel := context.WithCancel(forever)
					done := make(chan bool)
					go func() {
						defer close(done)
						for {
							if err := c.Writer().Send(ctx, numberedRecord(int(seed))); err != nil && err != ErrFull || ctx.Err() != nil {
								return
							}
						}
					}()
					lies(seed, 3000, c.dirs[0], c.dirs[1])
					cancel()
					c.wake()
					<-done
					c.Close()
					if cmd.Wait(); !cmd.ProcessState.Exited() {
						t.Errorf("seed %d: %v\n%s", seed, cmd.ProcessState, said)
					}
				}
			})
		}
	}
}
