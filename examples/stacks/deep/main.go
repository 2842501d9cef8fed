// Deep keeps 10 MB of buffers on the stack, which doubles and is copied until it has
// 16 MB. A published program did it with one array of 10 MB; today's compiler puts variables of
// more than 128 KB on the heap (see seam stack limits), so here 80 calls have 128 KB each.
package main

import "fmt"

const size = 128 << 10

// fill uses a buffer of its own in each of its calls.
func fill(calls int) byte {
	var buffer [size]byte
	for i := range buffer {
		buffer[i] = byte(i + calls)
	}
	if calls == 1 {
		return buffer[size-1]
	}
	return fill(calls-1) + buffer[calls]
}

func main() {
	result := make(chan byte)
	go func() { result <- fill(80) }()
	fmt.Println(<-result)
}
