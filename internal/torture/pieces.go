//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package torture

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"time"
	"unsafe"

	"github.com/seamgo/seam/coro"
	"github.com/seamgo/seam/internal/torture/cside"
	"github.com/seamgo/seam/leaf"
	"github.com/seamgo/seam/mem"
	"github.com/seamgo/seam/offload"
)

var (
	leafBytes  = leaf.Of[cside.Bytes]("torture_leaf", cside.Leaf)
	leafFill   = leaf.Of[cside.Fill]("torture_fill_room", cside.FillRoom)
	leafArena  = leaf.Of[cside.Parts]("torture_fill_arena", cside.FillArena)
	leafBuffer = leaf.Of[cside.Buffer]("torture_fill_buffer", cside.FillBuffer)
)

func bytesOf(seed uint64, n int) []byte {
	b := make([]byte, n)
	for at := 0; at < n; at += 1024 { // C repeats what it sends
		cside.Pattern(b[at:min(n, at+1024)], seed)
	}
	return b
}

func (m *machine) leaf(o *op) (uint64, error) {
	next := mix(o.value, 1)
	if o.n < 512 { // on the goroutine's stack
		var room [512]byte
		p := room[:o.n]
		for i := range p {
			p[i] = byte((o.value + uint64(i)) * 0x9E3779B97F4A7C15 >> 56)
		}
		args := cside.Bytes{Data: unsafe.Pointer(&room), N: o.n, Seed: o.value, Next: next}
		leafBytes.Call(&args)
		if !sameBytes(p, next) {
			return 0, errors.New("the leaf's bytes are not on the goroutine's stack")
		}
		return args.Hash, nil
	}
	p := make([]byte, o.n)
	cside.Pattern(p, o.value)
	args := cside.Bytes{Data: unsafe.Pointer(&p[0]), N: o.n, Seed: o.value, Next: next}
	leafBytes.Call(&args)
	if !cside.Intact(p, next) {
		return 0, errors.New("the leaf's bytes are not in the heap")
	}
	return args.Hash, nil
}

// sameBytes is Intact for bytes that must not escape.
func sameBytes(p []byte, seed uint64) bool {
	for i, b := range p {
		if b != byte((seed+uint64(i))*0x9E3779B97F4A7C15>>56) {
			return false
		}
	}
	return true
}

var offloaded = offload.Of[cside.Bytes]("torture_offload", cside.Offloaded)

func (m *machine) pooled(ctx context.Context, o *op) (uint64, error) {
	const size = 600
	p := cside.Alloc(size)
	b := unsafe.Slice((*byte)(p), size)
	cside.Pattern(b, o.value)
	args := &cside.Bytes{Data: p, N: size, Seed: o.value, Next: ^o.value, Pause: o.n}
	v, err := offloaded.TryCall(ctx, m.pool, args)
	if errors.Is(err, offload.ErrFull) {
		v, err = offloaded.Call(ctx, m.pool, args)
	}
	ran := cside.Intact(b, ^o.value)
	if !ran && !cside.Intact(b, o.value) || err == nil && !ran {
		m.wrong(o, "the bytes are damaged (%v)", err)
	}
	if !cside.Free(p) {
		m.wrong(o, "what is beside the bytes is damaged")
	}
	return uint64(v), err
}

func (m *machine) fill(o *op) (uint64, error) {
	args := cside.Fill{Seed: o.value, N: o.n}
	f := mem.FillInto(make([]byte, o.n/2))
	for again := true; again; {
		args.Out = f.Room()
		leafFill.Call(&args)
		var err error
		if again, err = f.Again(args.Out, 1<<20); err != nil {
			return 0, err
		}
	}
	if got := f.Bytes(); int64(len(got)) != o.n || !cside.Intact(got, o.value) {
		return 0, fmt.Errorf("%d bytes, not those that C wrote", len(got))
	}
	return o.value, nil
}

func (m *machine) arena(o *op) (uint64, error) {
	a, err := mem.NewArena(int(o.n))
	if err != nil {
		return 0, err
	}
	args := cside.Parts{Seed: o.value, N: o.n}
	for again := true; again; {
		args.Arena = a.C()
		leafArena.Call(&args)
		if again, err = a.Again(4 << 20); err != nil {
			return 0, err
		}
	}
	for i, part := range args.Parts {
		b, err := a.Bytes(part)
		if err != nil || int64(len(b)) != o.n || !cside.Intact(b, o.value+uint64(i)) {
			return 0, fmt.Errorf("part %d of an arena: %d bytes, %v", i, len(b), err)
		}
	}
	a.Reset()
	return o.value, nil
}

func (m *machine) buffer(ctx context.Context, o *op) (uint64, error) {
	b, err := m.buffers.Get(int(o.n))
	for errors.Is(err, mem.ErrExhausted) {
		time.Sleep(time.Millisecond)
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		b, err = m.buffers.Get(int(o.n))
	}
	if err != nil {
		return 0, err
	}
	args := cside.Buffer{Pool: m.buffers.C(), Buffer: b.Handle(), Seed: o.value, N: o.n}
	leafBuffer.Call(&args)
	runtime.Gosched()
	p, err := b.Bytes()
	if err != nil || args.Code != 0 || !cside.Intact(p[:o.n], o.value) {
		return 0, fmt.Errorf("a buffer: status %d, %v", args.Code, err)
	}
	if err := b.Release(); err != nil {
		return 0, err
	}
	if leafBuffer.Call(&args); args.Code != cside.Stale {
		return 0, fmt.Errorf("a buffer that was released, given to C: status %d", args.Code)
	}
	return o.value, nil
}

func (m *machine) view(o *op) (uint64, error) {
	p := cside.Alloc(uintptr(o.n))
	cside.Pattern(unsafe.Slice((*byte)(p), o.n), o.value)
	intact := false
	owner := mem.NewOwner(func() { intact = cside.Free(p) })
	v, err := mem.Of[byte](owner, p, int(o.n), int(o.n))
	if err != nil {
		return 0, err
	}
	b, err := v.Slice()
	if err != nil || !cside.Intact(b, o.value) {
		return 0, fmt.Errorf("a view: %v", err)
	}
	if err := owner.Release(); err != nil || !intact {
		return 0, fmt.Errorf("the memory of C is damaged: %v", err)
	}
	if _, err := v.Slice(); !errors.Is(err, mem.ErrReleased) {
		return 0, fmt.Errorf("a view of memory that was freed: %v", err)
	}
	return o.value, nil
}

func (m *machine) collect(o *op) (uint64, error) {
	runtime.GC()
	return o.value, nil
}

func (m *machine) spawn(o *op) (uint64, error) {
	err := exec.Command("/bin/true").Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 127 { // it had no descriptor for its libraries
		err = errScarce
	}
	return o.value, err
}

// finalize leaves garbage whose cleanup calls C in two ways, on the runtime's own
// goroutine.
func (m *machine) finalize(o *op) (uint64, error) {
	m.cleanups.Add(1)
	runtime.AddCleanup(&[64]byte{}, func(m *machine) {
		defer m.cleaned.Add(1)
		a := &op{id: o.id, kind: leafCall, value: o.value, n: o.n}
		b := &op{id: o.id, kind: call, value: o.value, way: int(o.value % bubbleWays), stack: coro.DefaultStackSize, frame: 64,
			steps: []step{{code: cside.Upcall, kid: a}, {code: cside.Sleep, n: 1000}}}
		m.run(context.Background(), b)
	}, m)
	return o.value, nil
}
