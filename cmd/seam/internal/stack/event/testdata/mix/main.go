// The program whose log mix.log is: goroutines that grow, by recursion and by one large
// frame, some that shrink and grow again.
package main

import (
	"fmt"
	"runtime"
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

//go:noinline
func big() byte {
	var b [100 << 10]byte
	for i := range b {
		b[i] = byte(i)
	}
	return b[runtime.NumCPU()]
}

func main() {
	var wg sync.WaitGroup
	for range 2 {
		for i := range 32 {
			wg.Go(func() { deep(i) })
		}
		wg.Wait()
		runtime.GC()
	}
	hold := make(chan int)
	for range 4 {
		wg.Go(func() { deep(40); <-hold; deep(20); <-hold })
	}
	for range 3 {
		runtime.GC()
	}
	for range 4 {
		hold <- 1
	}
	close(hold)
	wg.Wait()
	fmt.Println(big())
}
