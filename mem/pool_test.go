package mem_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/seamgo/seam/mem"
)

func newPool(t testing.TB, classes ...mem.Class) *mem.Pool {
	t.Helper()
	p, err := mem.NewPool(classes...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func get(t testing.TB, p *mem.Pool, size int) mem.Buffer {
	t.Helper()
	b, err := p.Get(size)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestNewPool(t *testing.T) {
	for _, test := range []struct {
		name    string
		classes []mem.Class
		says    string
	}{
		{"no class", nil, "needs a class"},
		{"no size", []mem.Class{{64, 1}, {0, 5}}, "class 1 of the pool is 5 buffers of 0 bytes"},
		{"negative count", []mem.Class{{64, -1}}, "-1 buffers"},
		{"too many", []mem.Class{{64, 1 << 19}, {128, 1<<19 + 1}}, "1048577 buffers; a pool has at most 1048576"},
		{"too much", []mem.Class{{math.MaxInt - 100, 2}}, "size overflows"},
		{"rounded up to nothing", []mem.Class{{math.MaxInt, 1}}, "size overflows"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := mem.NewPool(test.classes...); err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("%v; want one that says %q", err, test.says)
			}
		})
	}
}

// A buffer comes from the smallest class that is large enough and has one free.
func TestPoolClasses(t *testing.T) {
	p := newPool(t, mem.Class{Size: 4096, Count: 1}, mem.Class{Size: 100, Count: 2})
	var held []mem.Buffer
	for i, want := range []int{128, 128, 4096} {
		b := get(t, p, 100)
		s, err := b.Bytes()
		if err != nil || len(s) != want || cap(s) != want {
			t.Fatalf("buffer %d has %d bytes, %v; want %d", i, len(s), err, want)
		}
		if address := uintptr(unsafe.Pointer(&s[0])); address%64 != 0 {
			t.Errorf("buffer %d lies at %#x", i, address)
		}
		held = append(held, b)
	}
	if _, err := p.Get(1); !errors.Is(err, mem.ErrExhausted) || !strings.Contains(err.Error(), "of 3 in all, Go has 3") {
		t.Errorf("a fourth buffer: %v", err)
	}
	if _, err := p.Get(4097); !errors.Is(err, mem.ErrTooLarge) || !strings.Contains(err.Error(), "4097 bytes, the largest buffer has 4096") {
		t.Errorf("too large: %v", err)
	}
	if _, err := p.Get(-1); !errors.Is(err, mem.ErrNegative) {
		t.Errorf("negative: %v", err)
	}
	if err := p.Close(); !errors.Is(err, mem.ErrBusy) || !strings.Contains(err.Error(), "3 of 3, 0 of them held by C") {
		t.Errorf("Close: %v", err)
	}
	for _, b := range held {
		if err := b.Release(); err != nil {
			t.Fatal(err)
		}
	}
	if s := p.Stats(); s != (mem.PoolStats{Buffers: 3}) {
		t.Errorf("when all are released the figures are %+v", s)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); !errors.Is(err, mem.ErrClosed) {
		t.Errorf("second Close: %v", err)
	}
	if _, err := p.Get(1); !errors.Is(err, mem.ErrClosed) {
		t.Errorf("Get of a closed pool: %v", err)
	}
	if _, err := held[0].Bytes(); !errors.Is(err, mem.ErrReleased) {
		t.Errorf("a buffer of a closed pool: %v", err)
	}
}

// A buffer ends with its release, for all copies of the value.
func TestRelease(t *testing.T) {
	p := newPool(t, mem.Class{Size: 64, Count: 1})
	b := get(t, p, 10)
	other := b
	if b.Handle() == 0 {
		t.Error("a handle of 0")
	}
	if err := other.Release(); err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{"Bytes": second(b.Bytes()), "Release": b.Release(), "Release of the copy": other.Release()} {
		if !errors.Is(err, mem.ErrReleased) || !strings.Contains(err.Error(), "used 1 times since") {
			t.Errorf("%s after the release: %v", what, err)
		}
	}
	again := get(t, p, 10) // the same memory
	if again.Handle() == b.Handle() {
		t.Error("a handle that was there before")
	}
	if _, err := b.Bytes(); !errors.Is(err, mem.ErrReleased) {
		t.Errorf("Bytes of a buffer that somebody else has: %v", err)
	}
	if err := b.Release(); !errors.Is(err, mem.ErrReleased) {
		t.Errorf("Release of a buffer that somebody else has: %v", err)
	}
	if _, err := again.Bytes(); err != nil {
		t.Errorf("the new owner: %v", err)
	}
	var zero mem.Buffer
	if err := zero.Release(); !errors.Is(err, mem.ErrHandle) {
		t.Errorf("the zero Buffer: %v", err)
	}
	if _, err := zero.Bytes(); !errors.Is(err, mem.ErrHandle) {
		t.Errorf("the zero Buffer: %v", err)
	}
}

func second[T any](_ T, err error) error { return err }

// A cache keeps what was used last, and gives it up when it is closed.
func TestCache(t *testing.T) {
	p := newPool(t, mem.Class{Size: 64, Count: 3})
	if _, err := p.NewCache(65, 1); !errors.Is(err, mem.ErrTooLarge) {
		t.Errorf("a cache of too large buffers: %v", err)
	}
	if _, err := p.NewCache(64, 0); err == nil {
		t.Error("a cache of nothing")
	}
	c, err := p.NewCache(64, 2)
	if err != nil {
		t.Fatal(err)
	}
	var list []mem.Buffer
	for range 3 {
		b, err := c.Get()
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, b)
	}
	for _, b := range list {
		if err := c.Put(b); err != nil {
			t.Fatal(err)
		}
		if err := c.Put(b); !errors.Is(err, mem.ErrReleased) {
			t.Errorf("a second Put: %v", err)
		}
		if _, err := b.Bytes(); !errors.Is(err, mem.ErrReleased) {
			t.Errorf("after the Put: %v", err)
		}
	}
	if s := p.Stats(); s.InUse != 2 && !debugging() {
		t.Errorf("%d buffers in the cache", s.InUse)
	}
	b, err := c.Get()
	if err != nil || b.Handle() == list[1].Handle() {
		t.Errorf("%#x, %v", b.Handle(), err)
	}
	if s, err := b.Bytes(); err != nil || len(s) != 64 {
		t.Errorf("%d bytes, %v", len(s), err)
	}
	if err := p.Close(); !errors.Is(err, mem.ErrBusy) {
		t.Errorf("Close with a cache: %v", err)
	}
	if err := c.Put(b); err != nil {
		t.Fatal(err)
	}
	c.Close()
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

func TestGetWait(t *testing.T) {
	p := newPool(t, mem.Class{Size: 64, Count: 1}, mem.Class{Size: 1024, Count: 1})
	small, large := get(t, p, 64), get(t, p, 1024)
	ctx, cancel := context.WithCancelCause(context.Background())
	cause := errors.New("enough")
	cancel(cause)
	if _, err := p.GetWait(ctx, 64); !errors.Is(err, cause) {
		t.Errorf("a context that has ended: %v", err)
	}
	if _, err := p.GetWait(context.Background(), 1025); !errors.Is(err, mem.ErrTooLarge) {
		t.Errorf("too large: %v", err)
	}
	got := make(chan mem.Buffer)
	for _, size := range []int{1000, 10} {
		go func() {
			b, err := p.GetWait(context.Background(), size)
			if err != nil {
				t.Error(err)
			}
			got <- b
		}()
	}
	if err := small.Release(); err != nil { // enough for one of them only
		t.Fatal(err)
	}
	b := <-got
	if s, _ := b.Bytes(); len(s) != 64 {
		t.Errorf("%d bytes for who wanted 10", len(s))
	}
	select {
	case <-got:
		t.Error("a buffer that is too small")
	case <-time.After(20 * time.Millisecond):
	}
	_ = large.Release()
	large = <-got
	if s, _ := large.Bytes(); len(s) != 1024 {
		t.Errorf("%d bytes for who wanted 1000", len(s))
	}
	// Closing wakes those who wait for what nobody has any more.
	_ = b.Release()
	_ = large.Release()
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := p.GetWait(context.Background(), 1); !errors.Is(err, mem.ErrClosed) {
		t.Errorf("a closed pool: %v", err)
	}
}

// A Close that fails changes nothing: nobody finds the pool empty meanwhile.
func TestCloseBusy(t *testing.T) {
	p := newPool(t, mem.Class{Size: 64, Count: 500})
	kept := get(t, p, 64)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				b, err := p.Get(64)
				if err != nil {
					t.Error(err)
					return
				}
				_ = b.Release()
			}
		})
	}
	for range 300 {
		if err := p.Close(); !errors.Is(err, mem.ErrBusy) {
			t.Fatal(err)
		}
	}
	close(stop)
	wg.Wait()
	_ = kept.Release()
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// Who is woken for one buffer and finds another passes the word on: a goroutine that wants the small
// one may take the large one, and still nobody waits for ever.
func TestGetWaitPassesOn(t *testing.T) {
	for range 20 {
		p := newPool(t, mem.Class{Size: 64, Count: 1}, mem.Class{Size: 4096, Count: 1})
		small, large := get(t, p, 64), get(t, p, 4096)
		got := make(chan int, 2)
		for _, size := range []int{64, 4096} {
			go func() {
				b, err := p.GetWait(context.Background(), size)
				if err != nil {
					t.Error(err)
				}
				s, _ := b.Bytes()
				got <- len(s)
				_ = b.Release()
			}()
		}
		time.Sleep(time.Millisecond)
		_ = large.Release()
		_ = small.Release()
		if a, b := <-got, <-got; a < 64 || b < 64 || a+b < 64+4096 {
			t.Fatalf("%d and %d bytes", a, b)
		}
	}
}

// What C hands back by its handle is the buffer, while Go has it.
func TestBufferOf(t *testing.T) {
	p, other := newPool(t, mem.Class{Size: 64, Count: 2}), newPool(t, mem.Class{Size: 64, Count: 2})
	b := get(t, p, 64)
	back, err := p.Buffer(b.Handle())
	if err != nil || back != b {
		t.Errorf("%v, %v", back, err)
	}
	if _, err := other.Buffer(b.Handle()); !errors.Is(err, mem.ErrHandle) {
		t.Errorf("of another pool: %v", err)
	}
	if _, err := p.Buffer(b.Handle() + 2); !errors.Is(err, mem.ErrHandle) {
		t.Errorf("of no buffer: %v", err)
	}
	_ = back.Release()
	if _, err := p.Buffer(b.Handle()); !errors.Is(err, mem.ErrStale) {
		t.Errorf("released: %v", err)
	}
}

// Wake has those who wait look again, no matter who has released what.
func TestWake(t *testing.T) {
	p := newPool(t, mem.Class{Size: 64, Count: 1})
	p.Wake()
	b := get(t, p, 64)
	got := make(chan error)
	go func() {
		b, err := p.GetWait(context.Background(), 64)
		if err == nil {
			err = b.Release()
		}
		got <- err
	}()
	for range 50 {
		p.Wake()
		time.Sleep(time.Millisecond / 10)
	}
	select {
	case err := <-got:
		t.Errorf("a buffer that somebody has: %v", err)
	default:
	}
	_ = b.Release()
	p.Wake()
	if err := <-got; err != nil {
		t.Error(err)
	}
}

// Many wait for few, and all get their turn.
func TestGetWaitMany(t *testing.T) {
	p := newPool(t, mem.Class{Size: 64, Count: 2}, mem.Class{Size: 256, Count: 1})
	var wg sync.WaitGroup
	for i := range 30 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 50 {
				ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
				b, err := p.GetWait(ctx, []int{64, 256}[i%2])
				cancel()
				if err != nil {
					t.Error(err)
					return
				}
				s, err := b.Bytes()
				if err != nil {
					t.Error(err)
				}
				s[0] = byte(i)
				if err := b.Release(); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	wg.Wait()
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// There are 4096 pools at a time, and any number one after the other.
func TestManyPools(t *testing.T) {
	var open []*mem.Pool
	for {
		p, err := mem.NewPool(mem.Class{Size: 64, Count: 1})
		if err != nil {
			if !strings.Contains(err.Error(), "pools are open") {
				t.Error(err)
			}
			break
		}
		open = append(open, p)
	}
	if len(open) < 4000 || len(open) > 4096 {
		t.Errorf("%d pools", len(open))
	}
	for _, p := range open {
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for range 5000 {
		if err := newPool(t, mem.Class{Size: 64, Count: 1}).Close(); err != nil {
			t.Fatal(err)
		}
	}
}
