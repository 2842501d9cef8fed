// Buffers answers each request in a goroutine of its own with a buffer of 64 KB on its
// stack: each goroutine's stack is allocated twice, and what it already holds is copied.
// With the argument "workers", four goroutines answer all requests: their stacks grow once.
package main

import (
	"fmt"
	"os"
	"sync"
)

const requests = 1000

// answer needs a buffer.
func answer(request int) byte {
	var buffer [64 << 10]byte
	for i := 0; i < len(buffer); i += 512 {
		buffer[i] = byte(i ^ request)
	}
	return buffer[request*512%len(buffer)]
}

// each starts a goroutine for every request.
func each(use func(byte)) {
	var all sync.WaitGroup
	for request := range requests {
		all.Go(func() { use(answer(request)) })
	}
	all.Wait()
}

// workers has goroutines that live on.
func workers(use func(byte)) {
	var all sync.WaitGroup
	work := make(chan int)
	for range 4 {
		all.Go(func() {
			for request := range work {
				use(answer(request))
			}
		})
	}
	for request := range requests {
		work <- request
	}
	close(work)
	all.Wait()
}

func main() {
	var mutex sync.Mutex
	sum := 0
	use := func(b byte) {
		mutex.Lock()
		sum += int(b)
		mutex.Unlock()
	}
	if len(os.Args) > 1 && os.Args[1] == "workers" {
		workers(use)
	} else {
		each(use)
	}
	fmt.Println("answered", requests, "requests; sum", sum)
}
