// Command coro has C functions that call Go, which the plan calls coro.
package main

/*
#cgo LDFLAGS: -lpthread
#include <stdlib.h>

typedef long (*visitor)(void *, long);
long add(long a, long b);
long visit(long n, visitor f, void *p);
long quick(long n);
long call_go(void *p, long x);
long down(long depth, long *p);
void leave(int how);
long wide(long depth);
long from_thread(long x);
void join(void *thread);
int errno_after(int code);
void slow_go(long ms);
void slow_c(long us);
long never(const long *p);
void at_exit_go(void);
void end(int code);
long raises(void);
long go_in_handler(long n);
long go_in_own_handler(long n);
*/
import "C"

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/cgo"
	"runtime/debug"
	"runtime/pprof"
	"runtime/trace"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

//export goVisit
func goVisit(p unsafe.Pointer, x C.long) C.long {
	if p != nil {
		return (*(*cgo.Handle)(p)).Value().(func(C.long) C.long)(x)
	}
	switch x % 16 {
	case 1:
		return C.add(x, C.long(deep(int(x%97)))) // a leaf, and a stack that grows
	case 3:
		runtime.Gosched()
	case 5:
		if x%64 == 5 {
			runtime.GC()
		}
	case 8:
		done := make(chan C.long)
		go func() { done <- C.add(x, 0) }()
		return <-done
	}
	return x
}

//go:noinline
func deep(n int) int {
	var pad [128]int
	pad[n] = 1
	if n == 0 {
		return 0
	}
	return deep(n-1) + pad[n] - 1
}

//export goQuick
func goQuick(x C.long) C.long { return x }

//export goDown
func goDown(depth C.long, p *C.long) C.long {
	if depth == 0 {
		runtime.GC()
		return *p
	}
	deep(int(depth) % 97)
	x := new(C.long)
	*x = *p + 1
	return C.down(depth-1, x)
}

//export goLeave
func goLeave(how C.int) {
	switch how {
	case 0:
		panic("out of C")
	case 1:
		runtime.Goexit()
	}
}

//export goWide
func goWide(depth C.long) C.long {
	if depth == 0 {
		return 0
	}
	return C.wide(depth-1) + 1
}

// goExit ends the program in a callback: C's way if code is positive, Go's if not.
//
//export goExit
func goExit(code C.int) {
	if code < 0 {
		os.Exit(int(-code))
	}
	C.end(code)
}

//export goAtExit
func goAtExit(x C.long) C.long {
	time.Sleep(time.Millisecond)
	return visit(int(x), nil)
}

//export goJoin
func goJoin(thread unsafe.Pointer) { C.join(thread) }

//export goSleep
func goSleep(ms C.long) { time.Sleep(time.Duration(ms) * time.Millisecond) }

func visit(n int, f func(x C.long) C.long) C.long {
	if f == nil {
		return C.visit(C.long(n), C.visitor(C.call_go), nil)
	}
	h := (*cgo.Handle)(C.malloc(C.size_t(unsafe.Sizeof(cgo.Handle(0)))))
	*h = cgo.NewHandle(f)
	defer C.free(unsafe.Pointer(h))
	defer h.Delete()
	return C.visit(C.long(n), C.visitor(C.call_go), unsafe.Pointer(h))
}

func recovered(f func()) (r any) {
	defer func() { r = recover() }()
	f()
	return nil
}

// parallel runs f in some goroutines at once.
func parallel(f func()) {
	var wait sync.WaitGroup
	for range 6 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			f()
		}()
	}
	wait.Wait()
}

func goexit(f func()) {
	done := make(chan bool)
	go func() {
		defer close(done)
		f()
		panic("the goroutine went on")
	}()
	<-done
}

// status is a line of /proc/self/status.
func status(name string) (n int) {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		panic(err)
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			fmt.Sscan(rest, &n)
		}
	}
	return n
}

var scenarios = map[string]func(){
	"visit": func() {
		parallel(func() {
			if got := visit(3000, nil); got != 3000*2999/2 {
				panic(fmt.Sprint("visit: ", got))
			}
		})
	},
	"quick": func() {
		// Stopped by signals at every instruction on the way to Go and back.
		parallel(func() {
			for range 10 {
				if got := C.quick(100_000); got != 100_000*99_999/2 {
					panic(fmt.Sprint("quick: ", got))
				}
			}
		})
	},
	"goroutine": func() {
		// The callback runs in the caller's goroutine, with its labels, and on its thread.
		pprof.Do(context.Background(), pprof.Labels("who", "caller"), func(context.Context) {
			var dump bytes.Buffer
			visit(1, func(x C.long) C.long {
				pprof.Lookup("goroutine").WriteTo(&dump, 1)
				return 0
			})
			fmt.Println(strings.Contains(dump.String(), `"who":"caller"`))
		})
		var stack string
		visit(1, func(C.long) C.long { stack = string(debug.Stack()); return 0 })
		fmt.Println(strings.Contains(stack, "main.main()"), strings.Contains(stack, "main._Cfunc_visit("))
	},
	"nested": func() {
		parallel(func() {
			x := C.long(5)
			if got := C.down(100, &x); got != 105+101*5+100*101/2 {
				panic(fmt.Sprint("down: ", got))
			}
		})
	},
	"wide": func() { parallel(func() { fmt.Println(C.wide(100)) }) },
	"exit": func() {
		inC := func() { visit(1<<40, nil) }
		go inC()
		go inC()
		C.at_exit_go()
		C.end(7)
	},
	"exit in a callback": func() {
		C.at_exit_go()
		visit(3, func(x C.long) C.long { goExit(8); return x })
	},
	"exit of Go": func() {
		C.at_exit_go()
		visit(3, func(x C.long) C.long { goExit(-9); return x })
	},
	"signals": func() {
		parallel(func() {
			for range 100 {
				if C.raises() != 1 {
					panic("a signal that C raised came late")
				}
			}
		})
		fmt.Println(C.go_in_handler(10))
	},
	"own signals": func() {
		if got := C.go_in_own_handler(100); got != 100*99/2+100 {
			panic(fmt.Sprint("go_in_own_handler: ", got))
		}
		fmt.Println(visit(100, nil))
	},
	"storm": storm,
	"leave": func() {
		// Panics and the ends of goroutines leave nothing behind.
		leave := func(n int) {
			for range n {
				if r := recovered(func() { C.leave(0) }); r != "out of C" {
					panic(r)
				}
				goexit(func() { C.leave(1) })
				C.leave(2)
			}
		}
		n, err := strconv.Atoi(os.Getenv("LEAVES"))
		if err != nil {
			n = 5000
		}
		leave(100)
		runtime.GC()
		threads, memory := status("Threads"), status("VmRSS")
		leave(n)
		runtime.GC()
		fmt.Println(status("Threads") < threads+4, status("VmRSS") < memory+8<<10)
		// Out of several calls at once, from a callback in the middle of others.
		fmt.Println(recovered(func() {
			visit(3, func(x C.long) C.long {
				if x == 1 {
					defer func() { panic(fmt.Sprint(recover(), " twice")) }()
					visit(1, func(C.long) C.long { C.leave(0); return 0 })
				}
				return x
			})
		}))
		fmt.Println(visit(100, nil))
	},
	"locks": func() {
		// A thread that is locked, unlocked and locked anew in callbacks.
		runtime.LockOSThread()
		visit(10, func(x C.long) C.long { runtime.LockOSThread(); runtime.Gosched(); runtime.UnlockOSThread(); return x })
		runtime.UnlockOSThread()
		parallel(func() { visit(10, func(x C.long) C.long { runtime.LockOSThread(); return x }) })
		fmt.Println(visit(100, nil))
	},
	"locked": func() {
		// The goroutine has its thread to itself in a callback and until C returns, and not longer.
		locked := func() bool {
			stack := make([]byte, 100)
			stack = stack[:runtime.Stack(stack, false)]
			line, _, _ := bytes.Cut(stack, []byte("\n"))
			return bytes.Contains(line, []byte("locked to thread"))
		}
		done := make(chan bool)
		go func() { // main's own goroutine is locked while the program begins
			defer close(done)
			for range 2 {
				fmt.Print(locked())
				visit(3, func(x C.long) C.long {
					fmt.Print(" ", locked())
					visit(2, func(x C.long) C.long { fmt.Print(" ", locked()); return x })
					fmt.Print(" ", locked())
					return x
				})
				fmt.Println("", locked())
				fmt.Println(recovered(func() { visit(3, func(x C.long) C.long { visit(2, nil); C.leave(0); return x }) }), locked())
			}
			runtime.LockOSThread()
			visit(2, nil)
			fmt.Println(recovered(func() { visit(2, func(x C.long) C.long { C.leave(C.int(2 * (1 - x))); return x }) }), locked())
			runtime.UnlockOSThread()
			fmt.Println(locked())
			visit(2, func(x C.long) C.long { runtime.LockOSThread(); return x })
			fmt.Print(locked())
			runtime.UnlockOSThread()
			fmt.Print(" ", locked())
			runtime.UnlockOSThread()
			fmt.Println("", locked())
		}()
		<-done
	},
	"unlocked": func() {
		// Somebody who unlocks the thread more often than he has locked it, and doesn't wait then.
		for range 20 {
			if got := visit(10, func(x C.long) C.long { runtime.UnlockOSThread(); return x }); got != 45 {
				panic(fmt.Sprint("unlocked: ", got))
			}
		}
		fmt.Println(visit(100, nil))
	},
	"thread": func() {
		parallel(func() {
			if got := C.from_thread(2); got != 2003 {
				panic(fmt.Sprint("from_thread: ", got))
			}
		})
	},
	"errno": func() {
		ok, err := C.errno_after(7)
		fmt.Println(ok, err)
	},
	"profiles": func() {
		// All that walks the stack, while it goes through C.
		runtime.SetMutexProfileFraction(1)
		runtime.SetBlockProfileRate(1)
		runtime.MemProfileRate = 1
		var cpu, events bytes.Buffer
		if err := pprof.StartCPUProfile(&cpu); err != nil {
			panic(err)
		}
		if err := trace.Start(&events); err != nil {
			panic(err)
		}
		var mu sync.Mutex
		n := 0
		parallel(func() {
			for range 5 {
				visit(400, func(x C.long) C.long {
					mu.Lock()
					defer mu.Unlock()
					n += len(fmt.Sprint(x)) - len(fmt.Sprint(x)) + 1
					return goVisit(nil, x)
				})
			}
		})
		trace.Stop()
		pprof.StopCPUProfile()
		fmt.Println(n, cpu.Len() > 0, events.Len() > 0)
		var block strings.Builder
		pprof.Lookup("mutex").WriteTo(&block, 1)
		fmt.Println(strings.Contains(block.String(), "main.visit"))
	},
	"slow": func() {
		// Only C is on the guard's clock.
		for range 5 {
			C.slow_go(20)
		}
		for range 2000 {
			C.slow_c(200)
		}
	},
	"long": func() { C.slow_go(4000) },
	"never": func() {
		x := C.long(41)
		fmt.Println(C.never(&x))
	},
	"unrecovered": func() { C.leave(0) },
}

// storm makes $CALLBACKS callbacks or more in goroutines that are stopped by signals, moved and
// collected; some end in a panic, some end their goroutine, some when a context does.
func storm() {
	n, err := strconv.Atoi(os.Getenv("CALLBACKS"))
	if err != nil {
		panic(err)
	}
	var cpu bytes.Buffer
	runtime.SetCPUProfileRate(2000)
	if err := pprof.StartCPUProfile(&cpu); err != nil { // says so on standard error: the rate is ours
		panic(err)
	}
	threads, memory := 0, 0
	var calls, left atomic.Int64
	for round := 0; calls.Load() < int64(n); round++ {
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(round%7)*time.Millisecond)
		parallel(func() {
			for i := range 20 {
				made := C.long(0)
				ended := true
				var group sync.WaitGroup
				group.Add(1)
				go func() {
					defer group.Done()
					defer func() {
						if r := recover(); r != nil && r != "storm" {
							panic(r)
						}
					}()
					sum := visit(500, func(x C.long) C.long {
						if x != made {
							panic(fmt.Sprint("callback ", x, " came as ", made))
						}
						made++
						switch {
						case x == 400 && i%5 == 1:
							panic("storm")
						case x == 400 && i%5 == 2, x%64 == 0 && i%5 == 3 && ctx.Err() != nil:
							runtime.Goexit()
						case x == 100:
							deep(int(x) % 97)
						}
						return x
					})
					if ended = false; sum != 500*499/2 {
						panic(fmt.Sprint("sum: ", sum))
					}
				}()
				group.Wait()
				if calls.Add(int64(made)); ended {
					left.Add(1)
				}
				if got := C.quick(1000); got != 1000*999/2 {
					panic(fmt.Sprint("quick: ", got))
				}
				calls.Add(1000)
			}
		})
		cancel()
		if round == 20 {
			runtime.GC()
			threads, memory = status("Threads"), status("VmRSS")
		}
	}
	pprof.StopCPUProfile()
	cpu.Reset()
	runtime.GC()
	fmt.Println(left.Load() > 0, threads == 0 || status("Threads") < threads+6, memory == 0 || status("VmRSS") < memory+24<<10)
	fmt.Fprintln(os.Stderr, calls.Load(), "callbacks,", left.Load(), "calls left by them")
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
