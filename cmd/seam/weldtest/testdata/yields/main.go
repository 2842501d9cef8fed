// Command yields waits in C for locks that are held over callbacks, for Go code and for time, and prints how the
// waits ended. With cgo goroutines that wait in C have no processor.
package main

// #include "ways.h"
// void into_go_now(void);
import "C"

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"
)

var inGo func()

//export into_go_now
func into_go_now() { inGo() }

var intoGo = C.into_go(C.into_go_now)

func main() {
	switch os.Args[1] {
	case "lock over a callback":
		inGo = func() { time.Sleep(time.Millisecond) }
		for way := C.int(0); C.lock_name(way) != nil; way++ {
			C.reset()
			var all sync.WaitGroup
			var results [8]C.int
			for i := range results {
				all.Go(func() {
					for range 3 {
						if r := C.held(way, C.int(i), intoGo); r != 0 {
							results[i] = r
						}
					}
				})
			}
			all.Wait()
			fmt.Println(C.GoString(C.lock_name(way)), results)
		}
	case "for Go":
		for way := C.int(0); C.wait_name(way) != nil; way++ {
			begin, end := make(chan bool), make(chan bool)
			go func() {
				defer close(end)
				<-begin
				time.Sleep(20 * time.Millisecond)
				C.let_go(way)
			}()
			var begun sync.Once
			inGo = func() { begun.Do(func() { close(begin) }) }
			if way < 9 || way >= 11 && way <= 21 || way >= 33 { // these call Go only from another thread, or not at all
				inGo()
				inGo = func() { time.Sleep(20 * time.Millisecond) }
			}
			fmt.Println(C.GoString(C.wait_name(way)), C.wait_way(way, intoGo))
			<-end
		}
	case "in a child":
		inGo = runtime.GC
		for range 10 {
			fmt.Println(C.in_child(0, intoGo), C.in_child(1, intoGo))
		}
	case "in time":
		for way := C.int(0); C.time_name(way) != nil; way++ {
			fmt.Println(C.GoString(C.time_name(way)), C.in_time(way, 30, 0), C.in_time(way, 30, 1))
		}
	}
}
