// Command late has C functions that call Go although the plan says that they are leaves.
package main

/*
#include <errno.h>

struct big { long v[16]; };
long loop(long n, long *p);
long add(long a, long b);
long nested0(long depth, long *p);
long nested1(long depth, long *p);
long nested2(long depth, long *p);
long nested3(long depth, long *p);
int panics0(int how);
int panics1(int how);
int panics2(int how);
int panics3(int how);
int fails(int code);
struct big doubled(struct big b);
double kept(long n, double x);
void set_hook(void);
long total(const long *p, long n);
long open_total(const long *p, long n);
long lies(const long *p);
*/
import "C"

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/late/other"
)

// goStep does what callbacks do: it blocks, allocates, collects garbage, yields, grows
// its stack, and calls C.
//
//export goStep
func goStep(i C.long) C.long {
	switch i % 8 {
	case 0:
		return deep(int(i%97)) - deep(int(i%97)) + i
	case 1:
		runtime.Gosched()
	case 2:
		done := make(chan C.long)
		go func() { done <- C.add(i, 1) }()
		return <-done - 1
	case 3:
		if i%64 == 3 {
			runtime.GC()
		}
	case 4:
		return C.add(i, 0)
	case 5:
		if i%128 == 5 {
			time.Sleep(time.Microsecond)
		}
	}
	return i
}

//go:noinline
func deep(n int) C.long {
	var pad [128]C.long
	pad[n] = 1
	if n == 0 {
		return pad[0]
	}
	return deep(n-1) + pad[n]
}

//export goNested
func goNested(depth C.long, p *C.long) C.long {
	deep(int(depth) * 20)
	x := new(C.long)
	*x = *p + 1
	switch depth {
	case 1:
		return C.nested1(2, x)
	case 2:
		return C.nested2(3, x)
	case 3:
		return C.nested3(4, x)
	}
	runtime.GC()
	return goStep(10)
}

//export goPanic
func goPanic(how C.int) {
	deep(50)
	switch how {
	case 0:
		panic("from the callback")
	case 1:
		runtime.Goexit()
	case 2:
		func() {
			defer func() { fmt.Println("recovered in the callback:", recover()) }()
			panic("inside")
		}()
	}
}

func recovered(f func()) {
	defer func() { fmt.Println("recovered:", recover()) }()
	f()
}

func sum(n C.long) C.long { return n * (n - 1) / 2 }

// loops calls loop from a number of goroutines at once.
func loops(goroutines int, n C.long) {
	var wait sync.WaitGroup
	for range goroutines {
		wait.Add(1)
		go func() {
			defer wait.Done()
			x := [2]C.long{1000, 0}
			if got := C.loop(n, &x[0]); got != sum(n) || x[1] != 1000+sum(n) {
				panic(fmt.Sprint("loop: ", got, x))
			}
		}()
	}
	wait.Wait()
}

// scenarios in which every function is called for the first time.
var scenarios = map[string]func(){
	"once":       func() { loops(1, 100) },
	"goroutines": func() { loops(8, 2000) },
	"locked": func() {
		runtime.LockOSThread()
		loops(1, 100)
		x := [2]C.long{}
		fmt.Println(C.loop(50, &x[0]))
		runtime.UnlockOSThread()
	},
	"nested": func() {
		x := C.long(5)
		fmt.Println(C.nested0(1, &x))
	},
	"errno": func() {
		r, err := C.fails(C.int(2))
		fmt.Println(r, err)
	},
	"struct": func() {
		var b C.struct_big
		for i := range b.v {
			b.v[i] = C.long(i)
		}
		fmt.Println(C.doubled(b).v)
	},
	"registers": func() { fmt.Println(C.kept(1000, 1.5)) },
	"panic": func() {
		recovered(func() { C.panics0(0) })
		recovered(func() { C.panics0(0) })
		loops(4, 200)
		done := make(chan bool)
		go func() {
			defer close(done)
			recovered(func() { C.panics1(1) })
		}()
		<-done
		recovered(func() { fmt.Println(C.panics2(2)) })
		loops(1, 200)
		recovered(func() { panics() })
	},
	"deep": func() { fmt.Println(fromBelow(200)) },
	"closed": func() {
		for _, f := range []func(depth int){totals, openTotals} {
			fmt.Println(testing.AllocsPerRun(100, func() { f(9) }))
		}
	},
	"not closed": func() {
		x := C.long(1)
		recovered(func() { fmt.Println(C.lies(&x)) })
	},
	"unrecovered": func() { C.panics3(0) },
	"elsewhere": func() {
		fmt.Println(other.Call(1))
		C.set_hook()
		recovered(func() { fmt.Println(other.Call(2)) })
	},
}

// totals and openTotals call C with an argument on the stack, which grows.
//
//go:noinline
func totals(depth int) {
	var x [4]C.long
	x[3] = C.long(depth)
	if C.total(&x[0], 4) != C.long(depth) {
		panic("wrong total")
	}
	if depth > 0 {
		totals(depth - 1)
	}
}

//go:noinline
func openTotals(depth int) {
	var x [4]C.long
	x[3] = C.long(depth)
	if C.open_total(&x[0], 4) != C.long(depth) {
		panic("wrong total")
	}
	if depth > 0 {
		openTotals(depth - 1)
	}
}

// panics has panics of C's in several frames of one stack.
func panics() {
	defer func() {
		recovered(func() { C.panics3(0) })
		panic("again")
	}()
	C.panics1(0)
}

// fromBelow calls C where the stack is about to be full, whatever its size.
func fromBelow(n int) C.long {
	if n == 0 {
		x := [2]C.long{}
		return C.loop(100, &x[0])
	}
	var pad [7]C.long
	pad[n%7] = 1
	return fromBelow(n-1) + pad[n%7]
}

func main() {
	f, ok := scenarios[os.Args[1]]
	if !ok {
		panic("unknown scenario " + os.Args[1])
	}
	var stop atomic.Bool
	var background sync.WaitGroup
	if len(os.Args) > 2 { // under garbage collection
		debug.SetGCPercent(1)
		background.Add(1)
		go func() {
			defer background.Done()
			for !stop.Load() {
				runtime.GC()
				runtime.Gosched()
			}
		}()
	}
	f()
	stop.Store(true)
	background.Wait()
	fmt.Println("end")
}
