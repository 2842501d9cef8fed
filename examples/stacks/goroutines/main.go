// Goroutines starts twelve goroutines that each print. Each begins with 2 KB, which is
// enough with today's Go; with Go 1.13 each grew to 4 KB.
package main

import (
	"fmt"
	"sync"
)

func main() {
	var all sync.WaitGroup
	for i := range 12 {
		all.Go(func() { fmt.Println("goroutine", i) })
	}
	all.Wait()
}
