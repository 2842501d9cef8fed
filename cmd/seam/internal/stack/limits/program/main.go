//go:build ignore

// The program that seam stack limits builds with a Go toolchain and runs: what a
// compiler leaves to run time, and what the runtime allows. It is written for Go
// 1.13, and prints lines of "seam", a key and numbers to standard error.
package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"unsafe"
)

func main() {
	if len(os.Args) == 3 && os.Args[1] == "overflow" {
		most, err := strconv.Atoi(os.Args[2])
		if err != nil {
			println("seam: not a size:", os.Args[2])
			os.Exit(2)
		}
		overflow(most)
	}
	measure()
	println("seam end 0")
}

// measure prints what can be found out without an end by force.
func measure() {
	standard := debug.SetMaxStack(64 << 20)
	debug.SetMaxStack(standard)
	println("seam max", standard)

	const goroutines = 2048
	println("seam start", stacks(goroutines), goroutines)

	text := string(make([]byte, bound+1))
	println("seam make", largest(func(n int) { result = made(n) }, 0))
	println("seam append", largest(func(n int) { result = appended(n) }, 0))
	println("seam bytes", largest(func(n int) { result = converted(text[:n]) }, 0))
	// The slice that is returned has to be on the heap: what counts is whether the
	// stores that it outgrows are.
	println("seam return", 8*largest(func(n int) { kept = returned(n) }, 1))
}

// bound is the largest number of elements that is tried.
const bound = 256 << 10

var (
	result int
	kept   []uint64
)

// largest is the largest n up to bound for which f makes no more than allowed
// allocations. What it says of n and n+1 has been seen.
func largest(f func(n int), allowed uint64) int {
	stays := func(n int) bool { return allocations(f, n) <= allowed }
	good, bad := 0, 1
	for stays(bad) {
		if good = bad; good == bound {
			return bound
		}
		bad *= 2
	}
	for bad-good > 1 {
		if n := good + (bad-good)/2; stays(n) {
			good = n
		} else {
			bad = n
		}
	}
	return good
}

// allocations is the number of allocations of f(n). Others may allocate meanwhile:
// the mean rounded down has few of theirs, the least of three has none.
func allocations(f func(n int), n int) uint64 {
	const times = 32
	least := ^uint64(0)
	var before, after runtime.MemStats
	for round := 0; round < 3; round++ {
		runtime.ReadMemStats(&before)
		for i := 0; i < times; i++ {
			f(n)
		}
		runtime.ReadMemStats(&after)
		if each := (after.Mallocs - before.Mallocs) / times; each < least {
			least = each
		}
	}
	return least
}

//go:noinline
func made(n int) int {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i)
	}
	return sum(b)
}

//go:noinline
func appended(n int) int {
	var b []byte
	for i := 0; i < n; i++ {
		b = append(b, byte(i))
	}
	return sum(b)
}

//go:noinline
func returned(n int) []uint64 {
	var list []uint64
	for i := 0; i < n; i++ {
		list = append(list, uint64(i))
	}
	return list
}

// converted writes to its copy: one that is only read need not be made.
//
//go:noinline
func converted(s string) int {
	b := []byte(s)
	for i := range b {
		b[i]++
	}
	return sum(b)
}

//go:noinline
func sum(b []byte) (n int) {
	for _, v := range b {
		n += int(v)
	}
	return n
}

// stacks is what the stacks of so many goroutines take that wait for a channel.
func stacks(goroutines int) uint64 {
	end, ready := make(chan bool), make(chan bool)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := 0; i < goroutines; i++ {
		go func() {
			ready <- true
			<-end
		}()
		<-ready
	}
	runtime.ReadMemStats(&after)
	close(end)
	return after.StackInuse - before.StackInuse
}

// room is what a frame of down has for a variable.
const room = 64 << 10

// overflow recurses until the runtime ends the program. It prints the size of a
// frame first, then each depth.
func overflow(most int) {
	if most > 0 {
		debug.SetMaxStack(most)
	}
	end := make(chan bool)
	go func() {
		// The second time the stack is as large as it must be and does not move,
		// so addresses can be compared.
		var at [4]uintptr
		down(0, len(at), &at)
		down(0, len(at), &at)
		println("seam frame", int(at[1]-at[2]), int(at[2]-at[3]))
		down(1, -1, nil)
		close(end)
	}()
	<-end
}

//go:noinline
func down(depth, stop int, at *[4]uintptr) int {
	here := depth
	if depth == stop {
		return here
	}
	if depth < 0 {
		// Never: the frame has room for it, but no memory is touched.
		var unused [room]byte
		fill(unused[:])
		return sum(unused[:])
	}
	if at != nil {
		at[depth] = uintptr(unsafe.Pointer(&here))
	} else {
		println("seam depth", depth)
	}
	return down(depth+1, stop, at) + here
}

//go:noinline
func fill(b []byte) {
	for i := range b {
		b[i] = byte(i)
	}
}
