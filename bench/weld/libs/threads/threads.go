// Package threads counts this process's threads while something runs.
package threads

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Most runs f and returns the most threads that the process had meanwhile, looked at every
// 5 ms, but for those whose names begin with one of the prefixes.
func Most(f func(), but ...string) int {
	stop, most := make(chan bool), make(chan int)
	go func() {
		n := 0
		for {
			n = max(n, count(but))
			select {
			case <-stop:
				most <- n
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	f()
	close(stop)
	return <-most
}

func count(but []string) int {
	if len(but) == 0 {
		status, err := os.ReadFile("/proc/self/status")
		if err != nil {
			panic(err)
		}
		_, after, _ := strings.Cut(string(status), "\nThreads:")
		n := 0
		for _, d := range strings.Fields(after)[0] {
			n = n*10 + int(d-'0')
		}
		return n
	}
	n := 0
	all, err := filepath.Glob("/proc/self/task/*/comm")
	if err != nil {
		panic(err)
	}
next:
	for _, path := range all {
		name, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		for _, b := range but {
			if strings.HasPrefix(string(name), b) {
				continue next
			}
		}
		n++
	}
	return n
}
