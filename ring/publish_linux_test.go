package ring

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func publisher(t testing.TB, path string, capacity int) *Publisher {
	t.Helper()
	p, err := Publish(path, PublishOptions{Capacity: capacity})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

func subscriber(t testing.TB, path string, o SubscribeOptions) *Subscriber {
	t.Helper()
	s, err := Subscribe(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// at is a path short enough for a socket's.
func at(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "ring")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return filepath.Join(dir, "s")
}

// news is a record whose bytes say its number.
func news(number uint64) []byte {
	p := bytesOf(int(number))
	return append(binary.LittleEndian.AppendUint64(nil, number), p...)
}

func wantNews(t testing.TB, p Publication, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(p.Data, news(p.Number)) {
		t.Fatalf("record %d isn't what was published: %x", p.Number, p.Data)
	}
}

func TestPublish(t *testing.T) {
	path := at(t)
	p := publisher(t, path, 1<<16)
	p.Send(news(1))
	now, all := subscriber(t, path, SubscribeOptions{}), subscriber(t, path, SubscribeOptions{History: true})
	if n := p.Subscribers(); n != 2 {
		t.Errorf("%d subscribers", n)
	}
	if got, err := all.Next(forever); err != nil || got.Number != 1 || got.Lost != 0 {
		t.Fatal(got, err)
	}
	done := make(chan error, 1)
	go func() {
		for n := range uint64(100) { // less than the ring has: nobody loses anything
			if err := p.Append(news(n + 2)); err != nil {
				done <- err
				return
			}
			if n%7 == 0 {
				p.Flush()
			}
		}
		done <- p.Close()
	}()
	for _, s := range []*Subscriber{now, all} {
		for n := uint64(2); n <= 101; n++ {
			got, err := s.Next(forever)
			wantNews(t, got, err)
			if got.Number != n || got.Lost != 0 {
				t.Fatalf("record %d, %d lost, in place of %d", got.Number, got.Lost, n)
			}
		}
		if _, err := s.Next(forever); err != io.EOF {
			t.Errorf("at the end: %v", err)
		}
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if err := p.Send(nil); err != ErrClosed {
		t.Errorf("a record after the end: %v", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket is left: %v", err)
	}
}

// A slow reader loses what was overwritten, and is told how much: what it has got and what it has
// lost is all that there was.
func TestOvertaken(t *testing.T) {
	for _, capacity := range []int{2048, 1 << 14} {
		path := at(t)
		p := publisher(t, path, capacity)
		s := subscriber(t, path, SubscribeOptions{})
		publish := func(from, to uint64) {
			for n := from; n < to; n++ {
				p.Append(news(n))
				if n%32 == 0 {
					p.Flush()
				}
			}
		}
		publish(1, 1000) // more than the ring has
		go func() {
			publish(1000, 20000)
			p.Close()
		}()
		var got, lost, last uint64
		for {
			r, err := s.Next(forever)
			if err == io.EOF {
				break
			}
			wantNews(t, r, err)
			if r.Number != last+r.Lost+1 {
				t.Fatalf("record %d after %d, and %d lost", r.Number, last, r.Lost)
			}
			got, lost, last = got+1, lost+r.Lost, r.Number
			if got%50 == 0 {
				time.Sleep(100 * time.Microsecond)
			}
		}
		if lost == 0 || got+lost != last {
			t.Errorf("capacity %d: %d records and %d lost, the last is %d", capacity, got, lost, last)
		}
	}
}

// The next publisher at the path is found, and what of its records was overwritten before
// that is told.
func TestNextPublisher(t *testing.T) {
	path := at(t)
	first := publisher(t, path, 1<<12)
	s := subscriber(t, path, SubscribeOptions{Spin: -1})
	first.Send(news(1))
	first.Append(news(2))
	one, err := s.Next(forever)
	wantNews(t, one, err)
	first.Abort() // what wasn't published isn't seen
	second := publisher(t, path, 1<<12)
	for n := range uint64(100) {
		second.Send(news(n + 1))
	}
	got, err := s.Next(forever)
	wantNews(t, got, err)
	if got.Life == one.Life || got.Number < 2 || got.Lost != got.Number-1 {
		t.Errorf("after another publisher: record %d of life %x, %d lost", got.Number, got.Life, got.Lost)
	}
	life, number := got.Life, got.Number
	s.Close()
	if _, err := s.Next(forever); err != ErrClosed {
		t.Errorf("after Close: %v", err)
	}
	// Another process goes on where that one stopped.
	s = subscriber(t, path, SubscribeOptions{Life: life, Number: number})
	if got, err = s.Next(forever); err != nil || got.Number != number+1 || got.Lost != 0 {
		t.Errorf("record %d, %d lost, after %d: %v", got.Number, got.Lost, number, err)
	}
	// And one that stopped with a publisher that is gone begins with this one's first.
	s = subscriber(t, path, SubscribeOptions{Life: one.Life, Number: 1})
	if got, err = s.Next(forever); err != nil || got.Lost != got.Number-1 {
		t.Errorf("record %d, %d lost: %v", got.Number, got.Lost, err)
	}
}

// Who was overtaken and goes on with what comes next learns what it lost from the next record's
// number; where a publisher has none, from what it says of its last one.
func TestLostAtTheEnd(t *testing.T) {
	path := at(t)
	first := publisher(t, path, 1<<12)
	s := subscriber(t, path, SubscribeOptions{})
	for n := range uint64(10) {
		first.Send(news(n + 1))
	}
	s.pos, s.seen = first.pos, first.pos // as Next does
	first.Abort()
	second := publisher(t, path, 1<<12)
	second.Send(news(1))
	got, err := s.Next(forever)
	wantNews(t, got, err)
	if got.Number != 1 || got.Lost != 10 || s.Lost() != 10 {
		t.Errorf("record %d, %d lost, %d in all, after 10 records of another life", got.Number, got.Lost, s.Lost())
	}
	second.Append(news(2))
	second.Append(news(3))
	second.Flush()
	s.pos, s.seen = second.pos, second.pos
	second.Close()
	for range 2 {
		if _, err := s.Next(forever); err != io.EOF || s.Lost() != 12 {
			t.Errorf("at the end: %v, %d lost", err, s.Lost())
		}
	}
}

func TestSubscriberWaits(t *testing.T) {
	path := at(t)
	for _, wait := range []string{"publisher", "record"} {
		ctx, cancel := context.WithTimeout(forever, 50*time.Millisecond)
		var err error
		if wait == "publisher" {
			_, err = Subscribe(ctx, path, SubscribeOptions{})
		} else {
			publisher(t, path, 0)
			_, err = subscriber(t, path, SubscribeOptions{}).Next(ctx)
		}
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("no %s: %v", wait, err)
		}
	}
	s := subscriber(t, path, SubscribeOptions{})
	ended := make(chan error)
	go func() { _, err := s.Next(forever); ended <- err }()
	time.Sleep(10 * time.Millisecond) // Next sleeps, or not yet
	s.Close()
	if err := <-ended; err != ErrClosed {
		t.Errorf("closed while it waits: %v", err)
	}
}

func TestPublishRefuses(t *testing.T) {
	path := at(t)
	p := publisher(t, path, 64)
	if err := p.Send(make([]byte, 17)); !errors.Is(err, ErrInvalid) {
		t.Errorf("a record of more than half the ring: %v", err)
	}
	for range 9 {
		if err := p.Send(make([]byte, 16)); err != nil {
			t.Error(err)
		}
	}
	if _, err := Publish(path, PublishOptions{}); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "another process serves it") {
		t.Errorf("a second publisher: %v", err)
	}
	if _, err := Publish(path, PublishOptions{Capacity: 100}); !errors.Is(err, ErrInvalid) {
		t.Errorf("a capacity of 100: %v", err)
	}
	if _, err := Subscribe(forever, path, SubscribeOptions{MaxCapacity: 32}); !errors.Is(err, ErrMismatch) {
		t.Errorf("a ring above the limit: %v", err)
	}
	file := filepath.Join(filepath.Dir(path), "file")
	os.WriteFile(file, []byte("mine"), 0o666)
	if _, err := Publish(file, PublishOptions{}); !errors.Is(err, ErrInvalid) {
		t.Errorf("a file at the path: %v", err)
	}
	if b, err := os.ReadFile(file); string(b) != "mine" {
		t.Errorf("the file has %q, %v", b, err)
	}
	if at, err := os.Stat(path); err != nil || at.Mode().Perm() != 0o600 {
		t.Errorf("who may subscribe: %v, %v", at.Mode(), err)
	}
}

// Subscribers can't write to what others read.
func TestPublishedIsReadOnly(t *testing.T) {
	fd, memory, err := publicMemory(1 << 12)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fd)
	defer syscall.Munmap(memory)
	if b, err := syscall.Mmap(fd, 0, len(memory), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED); err == nil {
		syscall.Munmap(b)
		t.Error("the memory can be mapped to be written to")
	}
	if _, err := syscall.Pwrite(fd, []byte{1}, 0); err == nil {
		t.Error("the memory can be written to")
	}
}

// Whatever a publisher writes where its records are, a subscriber gets records, an error, or
// nothing, and reads nothing beyond the memory.
func TestHostilePublisher(t *testing.T) {
	path := at(t)
	seed := uint64(time.Now().UnixNano())
	r := rand.New(rand.NewPCG(seed, 1))
	for round := range 200 {
		p := publisher(t, path, 1<<10)
		s := subscriber(t, path, SubscribeOptions{History: true})
		for n := range uint64(12) {
			p.Send(news(n + 1))
		}
		for range 1 + r.IntN(20) {
			word := p.word(8 * r.Uint64N(1<<7))
			*word = []uint64{r.Uint64(), r.Uint64N(1 << 11), padding<<32 | r.Uint64N(1<<11)}[r.IntN(3)]
		}
		switch r.IntN(4) {
		case 0:
			p.head.written.Store(r.Uint64N(1 << 12))
		case 1:
			p.head.oldest.Store(r.Uint64N(1 << 12))
		}
		ctx, cancel := context.WithTimeout(forever, 2*time.Millisecond)
		var err error
		for err == nil {
			_, err = s.Next(ctx)
		}
		cancel()
		if !errors.Is(err, ErrCorrupt) && !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("seed %d, round %d: %v", seed, round, err)
		}
		s.Close()
		p.Abort()
	}
}

// A subscriber that talks is dismissed; what it writes to its seat harms nobody else.
func TestHostileSubscriber(t *testing.T) {
	path := at(t)
	p := publisher(t, path, 1<<12)
	bad, good := subscriber(t, path, SubscribeOptions{}), subscriber(t, path, SubscribeOptions{})
	for n := range uint64(100) {
		for i := range bad.view.page {
			bad.view.page[i] = 0xff
		}
		p.Send(news(n + 1))
		got, err := good.Next(forever)
		wantNews(t, got, err)
	}
	bad.view.sock.Write([]byte("hello"))
	waitFor(t, func() bool { return p.Subscribers() == 1 })
	p.Send(news(101))
	got, err := good.Next(forever)
	wantNews(t, got, err)
}

// What a record costs the publisher, by how many read: it stores it once.
func BenchmarkPublish(b *testing.B) {
	for _, readers := range []int{0, 1, 8} {
		for _, together := range []int{1, 64} {
			b.Run(fmt.Sprintf("readers=%d/together=%d", readers, together), func(b *testing.B) {
				path := at(b)
				p := publisher(b, path, 1<<20)
				for range readers {
					s := subscriber(b, path, SubscribeOptions{})
					go func() {
						for {
							if _, err := s.Next(forever); err != nil {
								return
							}
						}
					}()
				}
				record := make([]byte, 64)
				for i := 0; b.Loop(); i++ {
					p.Append(record)
					if i%together == 0 {
						p.Flush()
					}
				}
			})
		}
	}
}
