package main

import (
	"fmt"
	"os"
	"sync"
)

//go:noinline
func deep(n int) int {
	var b [512]byte
	b[n%512] = 1
	if n == 0 {
		return int(b[0])
	}
	return deep(n-1) + int(b[1])
}

func main() {
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			deep(i)
			fmt.Fprintf(os.Stderr, "goroutine %d has no newline; ", i)
		})
	}
	wg.Wait()
	fmt.Fprintln(os.Stderr, "stackalloc 3000")
	fmt.Fprintln(os.Stderr, "stackfree 0xc000000000 1000 bytes")
}
