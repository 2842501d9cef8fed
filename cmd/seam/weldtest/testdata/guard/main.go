// Command guard runs the scenario that its first argument names.
package main

/*
#cgo LDFLAGS: -lpthread
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>

extern void goBack(void);
extern long goSum(long);

void spin(long us);
long busy(const long *p, long us);
int quick(int a);
void copy_out(const long *from, long *to, int n);
void calls_go(int really);
void calls_go_late(int really, long us);
long sum(const long *p, int n);
int fail(const int *code);
long sum_by_go(long n);
long on_thread(long n);
*/
import "C"

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"sync"
	"sync/atomic"
	"time"
)

//export goBack
func goBack() { fmt.Println("Go was called") }

// goSum is called by C and calls a welded function.
//
//export goSum
func goSum(n C.long) C.long {
	x := [3]C.long{n, n, n}
	return C.sum(&x[0], 3)
}

// Called before main and before the runtime's other threads exist.
var early = func() C.long {
	x := [2]C.long{20, 22}
	return C.sum(&x[0], 2)
}()

var inInit C.long

func init() {
	x := [2]C.long{1, 2}
	inInit = C.sum(&x[0], 2)
}

// recovered runs f and swallows its panic.
func recovered(f func()) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Println("recovered")
		}
	}()
	f()
}

// slow calls the slow function with an argument on the stack.
func slow() {
	for i := range 20 {
		x := [2]C.long{C.long(i), 100}
		if got := C.busy(&x[0], 100); got != C.long(i)+100 {
			panic(fmt.Sprint("wrong result ", got))
		}
	}
}

// deep uses so much stack that it moves, and calls C on the way.
func deep(n int) C.long {
	var pad [64]C.long
	pad[n%64] = C.long(n)
	if n == 0 {
		return 0
	}
	before := C.sum(&pad[0], 64)
	rest := deep(n - 1)
	if after := C.sum(&pad[0], 64); after != before || after != C.long(n) {
		panic(fmt.Sprint("the stack's values changed: ", before, after, n))
	}
	return before + rest
}

// stress calls C on growing and shrinking stacks under garbage collection, for
// a number of rounds in each of some goroutines.
func stress(rounds int) {
	debug.SetGCPercent(1)
	var stop atomic.Bool
	var background, workers sync.WaitGroup
	background.Add(1)
	go func() {
		defer background.Done()
		for !stop.Load() {
			runtime.GC()
			runtime.Gosched()
		}
	}()
	for w := range 6 {
		workers.Add(1)
		go func() {
			defer workers.Done()
			if w == 0 {
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
			}
			for i := range rounds {
				done := make(chan C.long)
				go func() { done <- deep(50 + i%100) }()
				n := C.long(50 + i%100)
				if got := <-done; got != n*(n+1)/2 {
					panic(fmt.Sprint("deep: ", got))
				}
				from := make([]C.long, 100)
				to := make([]C.long, 100)
				for j := range from {
					from[j] = C.long(i * j)
				}
				C.copy_out(&from[0], &to[0], 100)
				for j := range to {
					if to[j] != C.long(i*j) {
						panic("copy_out")
					}
				}
				code := C.int(i%30 + 1)
				if r, err := C.fail(&code); r != -code || err == nil {
					panic(fmt.Sprint("fail: ", r, err))
				}
			}
		}()
	}
	workers.Wait()
	stop.Store(true)
	background.Wait()
}

func main() {
	what := os.Args[1]
	switch what {
	case "early":
		fmt.Println(early, inInit)
	case "slow":
		slow()
		slow()
		var wait sync.WaitGroup
		for range 4 {
			wait.Add(1)
			go func() { defer wait.Done(); slow() }()
		}
		wait.Wait()
	case "quick":
		for i := range 200000 {
			if C.quick(C.int(i)) != C.int(i)+1 {
				panic("wrong result")
			}
		}
	case "callback":
		recovered(func() { C.calls_go(1) })
	case "callback after demotion":
		for range 500 { // on a busy machine the first few may be excused
			C.calls_go_late(0, 100)
		}
		fmt.Println("demoted")
		recovered(func() { C.calls_go_late(1, 0) })
		recovered(func() { fmt.Println("still here") })
	case "callback in goroutine":
		done := make(chan bool)
		go func() {
			defer close(done)
			recovered(func() { C.calls_go(1) })
		}()
		<-done
		time.Sleep(time.Second)
	case "in callback":
		fmt.Println(C.sum_by_go(14))
	case "foreign thread":
		fmt.Println(C.on_thread(100))
	case "finalizer":
		done := make(chan C.long, 1)
		func() {
			x := new([100]C.long)
			x[7] = 42
			runtime.SetFinalizer(x, func(x *[100]C.long) { done <- C.sum(&x[0], 100) })
		}()
		for range 100 {
			runtime.GC()
			select {
			case got := <-done:
				fmt.Println(got)
				return
			case <-time.After(10 * time.Millisecond):
			}
		}
	case "stress":
		stress(2000)
	case "stress with profile":
		f, err := os.CreateTemp("", "profile")
		if err != nil {
			panic(err)
		}
		defer os.Remove(f.Name())
		runtime.SetCPUProfileRate(2000) // StartCPUProfile complains, and goes on at this rate
		if err := pprof.StartCPUProfile(f); err != nil {
			panic(err)
		}
		stress(2000)
		pprof.StopCPUProfile()
	case "soak":
		for range 60 {
			stress(1000)
		}
	default:
		panic("unknown scenario " + what)
	}
	fmt.Println("end")
}
