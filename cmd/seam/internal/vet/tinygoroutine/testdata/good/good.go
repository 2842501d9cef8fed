// Package good starts goroutines that work or wait.
package good

import (
	"os"
	"sync"
)

// Remove waits for the disk.
func Remove(files []string) {
	var wg sync.WaitGroup
	for _, f := range files {
		wg.Add(1)
		go func() {
			defer wg.Done()
			os.Remove(f)
		}()
	}
	wg.Wait()
}

// Wait waits.
func Wait(in []chan int, out chan int, mu *sync.Mutex, n *int) {
	for _, c := range in {
		go func() { out <- <-c }()
		go func() { mu.Lock(); *n++; mu.Unlock() }()
	}
}

// Once is one goroutine, and a loop in each of some.
func Once(x *int, list [][]int) {
	go func() { *x = 1 }()
	for _, l := range list {
		go func() {
			for i := range l {
				l[i] *= 2
			}
		}()
	}
}

// Group waits for the disk, and starts what isn't seen.
func Group(files []string, f func()) {
	var wg sync.WaitGroup
	for _, name := range files {
		wg.Go(func() { os.Remove(name) })
		wg.Go(f)
	}
	wg.Go(func() { files[0] = "" })
	wg.Wait()
}
