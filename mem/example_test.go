package mem_test

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unsafe"

	"github.com/seamgo/seam/mem"
)

// What C does in these examples, Go does here: the functions that stand for C's are given
// what C is given.

// upper stands for a C function that puts its result into a seam_bytes.
func upper(in mem.Str, out *mem.Bytes) {
	if out.Cap < in.Len {
		out.Need = in.Len // seam_put does this
		return
	}
	to := unsafe.Slice(out.Data, out.Cap)
	for i, c := range unsafe.Slice(in.Data, in.Len) {
		to[i] = c &^ 0x20
	}
	out.Len = in.Len
}

func ExampleFillInto() {
	fill := mem.FillInto(make([]byte, 0, 4)) // too small: C is called twice
	for again := true; again; {
		out := fill.Room()
		upper(mem.StrOf("seam"+"less"), &out)
		var err error
		if again, err = fill.Again(out, 1<<20); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Printf("%s\n", fill.Bytes())
	// Output: SEAMLESS
}

func ExampleFill_Again() {
	fill := mem.FillInto(make([]byte, 16))
	lie := fill.Room()
	lie.Len = 17 // what C says it has written
	_, err := fill.Again(lie, 1<<20)
	fmt.Println(errors.Is(err, mem.ErrInvalid), err)

	large := fill.Room()
	large.Need = 1 << 30
	_, err = fill.Again(large, 1<<20)
	fmt.Println(errors.Is(err, mem.ErrLimit), err)
	// Output:
	// true mem: length exceeds capacity: C says it wrote 17 bytes into 16
	// true mem: limit exceeded: C needs 1073741824 bytes, the limit is 1048576
}

func ExampleOf() {
	c := new([8]int32) // stands for memory that C allocated
	c[1] = 7
	owner := mem.NewOwner(func() { fmt.Println("given back") }) // C.free, say

	view, err := mem.Of[int32](owner, unsafe.Pointer(c), 3, len(c))
	if err != nil {
		fmt.Println(err)
		return
	}
	in, err := view.Slice() // in place
	fmt.Println(in, err)
	kept, err := view.Clone() // Go's own
	fmt.Println(kept, err)

	fmt.Println(owner.Release())
	_, err = view.Slice()
	fmt.Println(err)
	fmt.Println(kept)
	// Output:
	// [0 7 0] <nil>
	// [0 7 0] <nil>
	// given back
	// <nil>
	// mem: already released: the Owner of this memory has been released
	// [0 7 0]
}

func ExampleOf_whatCSays() {
	p := unsafe.Pointer(new([8]int32))
	for _, what := range []struct {
		at          unsafe.Pointer
		n, capacity int
	}{{nil, 3, 3}, {p, -1, 8}, {p, 9, 8}} {
		_, err := mem.Of[int32](nil, what.at, what.n, what.capacity)
		fmt.Println(err)
	}
	// Output:
	// mem: nil address with a length: C says 3 elements and room for 3 at nil
	// mem: negative length or capacity: C says -1 elements and room for 8
	// mem: length exceeds capacity: C says 9 elements and room for 8
}

func ExamplePool() {
	pool, err := mem.NewPool(mem.Class{Size: 4096, Count: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	// C is given pool.C() once, and then handles.
	b, err := pool.Get(1000)
	if err != nil {
		fmt.Println(err)
		return
	}
	memory, err := b.Bytes()
	fmt.Println(len(memory), b.Handle() != 0, err)

	_, err = pool.Get(1000) // there is one buffer
	fmt.Println(err)
	fmt.Println(pool.Close())

	fmt.Println(b.Release())
	fmt.Println(b.Release())
	_, err = b.Bytes()
	fmt.Println(err)
	fmt.Println(pool.Close())
	// Output:
	// 4096 true <nil>
	// mem: no free buffer of 1000 bytes or more: of 1 in all, Go has 1 and C alone holds 0
	// mem: buffers are in use: 1 of 1, 0 of them held by C alone; Close works when all are released
	// <nil>
	// mem: already released: buffer 0 of the pool; it has been free or used 1 times since
	// mem: already released: buffer 0 of the pool; it has been free or used 1 times since
	// <nil>
}

func ExamplePool_GetWait() {
	pool, err := mem.NewPool(mem.Class{Size: 4096, Count: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	b, err := pool.Get(4096)
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	_, err = pool.GetWait(ctx, 4096)
	fmt.Println(err)

	go b.Release()
	b, err = pool.GetWait(context.Background(), 4096)
	fmt.Println(err)
	fmt.Println(b.Release(), pool.Close())
	// Output:
	// context deadline exceeded
	// <nil>
	// <nil> <nil>
}

func ExampleArena_Bytes() {
	arena, err := mem.NewArena(4096)
	if err != nil {
		fmt.Println(err)
		return
	}
	// C has made nothing in it, but claims to.
	_, err = arena.Bytes(mem.Part{At: 0, Len: 10})
	fmt.Println(errors.Is(err, mem.ErrInvalid), err)
	// Output: true mem: out of range: 10 bytes at 0 are not a part of the arena, where C has used 0
}

func ExampleWatch() {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	token := mem.Watch(ctx)
	// C is given token.C() and asks seam_cancelled.
	fmt.Println("C could see the end:", token.Stop())
	// Output: C could see the end: true
}

func ExampleHandles() {
	type session struct{ user string }
	var sessions mem.Handles[session]
	h, err := sessions.New(&session{"ann"}) // C keeps the number
	if err != nil {
		panic(err)
	}
	s, err := sessions.Get(h)
	fmt.Println(s.user, err)

	fmt.Println(sessions.Delete(h))
	_, err = sessions.Get(h)
	fmt.Println(errors.Is(err, mem.ErrReleased))
	_, err = sessions.Get(12345)
	fmt.Println(err)
	// Output:
	// ann <nil>
	// <nil>
	// true
	// mem: not a handle: 0x3039
}

func ExampleStrOf() {
	s := mem.StrOf("seam")
	fmt.Println(s.Len, string(unsafe.Slice(s.Data, s.Len))) // what C sees
	// Output: 4 seam
}
