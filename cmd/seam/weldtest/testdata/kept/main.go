// Command kept calls C that keeps its processor until the watch has seen that, twice, and C that calls Go all the time.
package main

// #include "kept.h"
import "C"

import (
	"fmt"
	"os"
	"time"

	"example.com/kept/inner"
	"github.com/seamgo/seam/weld"
)

var end time.Time

//export goTick
func goTick() C.int {
	if time.Now().Before(end) {
		return 1
	}
	return 0
}

func kept(name string) (n uint64) {
	for _, f := range weld.ReadStats().Functions {
		if f.Name == "example.com/"+name {
			n += f.Kept
		}
	}
	return n
}

func main() {
	r, w, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	for name, f := range map[string]struct{ call, release func() }{
		"kept/inner.reads": {func() { inner.Read(r.Fd()) }, func() { w.Write([]byte("x")) }},
		"kept.computes":    {func() { C.computes() }, func() { C.release() }},
		"kept.spins":       {func() { C.spins() }, func() { C.release() }},
	} {
		for range 2 {
			before := kept(name)
			go func() {
				for kept(name) == before {
					time.Sleep(time.Millisecond)
				}
				f.release()
			}()
			f.call()
		}
	}
	end = time.Now().Add(700 * time.Millisecond)
	C.visits()
	fmt.Println("visits", kept("kept.visits"))
}
