// Command park does what its argument says in many goroutines, and prints what came out
// and how many threads there were.
package main

// #include <stdlib.h>
// #include "park.h"
import "C"

import (
	"fmt"
	"os"
	"runtime"
	"runtime/cgo"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

const many = 300

var scenarios = map[string]func(){
	"sleep": func() {
		all(many, func(i int) { want(C.sleep_ms(100), 0) })
	},
	"arguments": func() {
		all(many, func(i int) { want(C.sum(C.int(i), 1000, 'a', 2.5), C.long(i+1000+'a'+2)) })
	},
	"pipes": func() {
		// A chain: each adds one to what it passes on.
		var ends [many + 1][2]int
		for i := range ends {
			check(syscall.Pipe(ends[i][:]))
		}
		var ready sync.WaitGroup
		ready.Add(1)
		go func() {
			defer ready.Done()
			all(many, func(i int) { want(C.pipe_pass(C.int(ends[i][0]), C.int(ends[i+1][1])), C.int(int8(i+1))) })
		}()
		time.Sleep(100 * time.Millisecond)
		threads()
		syscall.Write(ends[0][1], []byte{0})
		ready.Wait()
	},
	"sockets": func() {
		all(many, func(i int) {
			pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
			check(err)
			done := make(chan C.int)
			go func() { done <- C.socket_echo(C.int(pair[0]), 10) }()
			check(syscall.SetNonblock(pair[1], true))
			ends := os.NewFile(uintptr(pair[1]), "socket") // in Go's poller, which takes no thread
			buf := make([]byte, 8)
			for n := range 10 {
				ends.Write([]byte{byte(n)})
				got, err := ends.Read(buf)
				check(err)
				want(got, 1)
				want(buf[0], byte(n))
			}
			want(<-done, 10)
			syscall.Close(pair[0])
			check(ends.Close())
		})
	},
	"locks": func() {
		for kind := range 3 {
			all(40, func(int) { want(C.lock_over_sleep(C.int(kind), 2), 0) })
		}
	},
	"condition": func() {
		var group sync.WaitGroup
		for range 3 {
			group.Go(func() { all(many, func(int) { C.waiter() }) })
			for C.waiting() < many {
				time.Sleep(time.Millisecond)
			}
			threads()
			C.wake_all()
			group.Wait()
			want(C.waiting(), 0)
		}
	},
	"semaphore": func() {
		var down atomic.Int32
		var group sync.WaitGroup
		group.Go(func() { all(many, func(int) { C.sem_down(); down.Add(1) }) })
		for n := range int32(many) {
			C.sem_up()
			for down.Load() <= n {
				time.Sleep(20 * time.Microsecond)
			}
		}
		group.Wait()
		want(down.Load(), many)
	},
	"timed": func() { all(many, func(int) { want(C.timed(50), 1) }) },
	"join":  func() { all(20, func(int) { want(C.thread_joined(30), 30) }) },
	"init": func() { // see below; when a worker has got in, they are parked
		for !parks() {
		}
		all(many, func(int) { want(C.timed(50), 1) })
	},
	"errno": func() {
		all(many, func(i int) {
			want(C.set_errno(C.int(i), 5), 0)
			_, err := C.set_errno(7, 1)
			want(err, error(syscall.Errno(7)))
		})
	},
	"thread": func() { all(many, func(int) { want(C.same_thread(20), 1) }) },
	"poll": func() {
		var a, b [2]int
		check(syscall.Pipe(a[:]))
		check(syscall.Pipe(b[:]))
		var group sync.WaitGroup
		// All of them wait for the same two descriptors.
		group.Go(func() { all(50, func(int) { want(C.many_fds(C.int(a[0]), C.int(b[0]), 10_000), 2) }) })
		want(C.many_fds(C.int(a[0]), -1, 50), 0)
		syscall.Write(b[1], []byte{1})
		group.Wait()
	},
	"callback": func() {
		all(many, func(i int) {
			me := goid()
			h := cgo.NewHandle(func(k int) int {
				if k%3 == 0 {
					time.Sleep(time.Millisecond)
				}
				grow(100)
				want(goid(), me)
				return k
			})
			want(C.call_back(C.uintptr_t(h), 10, 1), 45)
			h.Delete()
		})
	},
	"nested": func() {
		all(20, func(i int) {
			var down func(k int) int
			depth := 0
			h := cgo.NewHandle(func(k int) int { return down(k) })
			down = func(int) int {
				if depth++; depth == 100 {
					return 1
				}
				return 1 + int(C.call_back(C.uintptr_t(h), 1, 0))
			}
			want(C.call_back(C.uintptr_t(h), 1, 0), 100)
			h.Delete()
		})
	},
	"leave": func() {
		all(many, func(i int) {
			h := cgo.NewHandle(func(k int) int {
				if k == 3 {
					panic("out of C")
				}
				return k
			})
			func() {
				defer func() { want(recover(), any("out of C")) }()
				C.call_back(C.uintptr_t(h), 10, 1)
			}()
			left := make(chan bool)
			e := cgo.NewHandle(func(k int) int { runtime.Goexit(); return 0 })
			go func() {
				defer close(left)
				C.call_back(C.uintptr_t(e), 10, 0)
			}()
			<-left
			want(C.sleep_ms(1), 0)
			h.Delete()
			e.Delete()
		})
	},
	"c11": func() {
		var group sync.WaitGroup
		group.Go(func() { all(many, func(int) { C.c11_waiter() }) })
		for C.c11_waiting() < many {
			time.Sleep(time.Millisecond)
		}
		threads()
		C.c11_wake(1)
		group.Wait()
		group.Go(func() { C.c11_waiter() })
		for C.c11_waiting() < 1 {
			time.Sleep(time.Millisecond)
		}
		C.c11_wake(0)
		group.Wait()
		all(40, func(int) { want(C.c11_lock_over_sleep(2), 0) })
		all(many, func(int) { want(C.c11_timed(50), 1) })
		all(20, func(int) { want(C.c11_joined(30), 30) })
	},
	"stdio": func() {
		dir, err := os.MkdirTemp("", "park")
		check(err)
		defer os.RemoveAll(dir)
		name := dir + "/shared"
		path := C.CString(name)
		defer C.free(unsafe.Pointer(path))
		want(C.shared_open(path), 1)
		all(40, func(i int) { want(C.shared_write(C.int(i), 1), 0) })
		want(C.shared_close(), 0)
		text, err := os.ReadFile(name)
		check(err)
		lines := strings.Fields(string(text))
		want(len(lines), 120)
		for i := 0; i+2 < len(lines); i += 3 {
			want(lines[i+1], lines[i])
			want(lines[i+2], lines[i])
		}
	},
	"deep":     func() { all(20, func(int) { want(C.deep(700), 0) }) },
	"overflow": func() { all(2, func(int) { C.deep(2000) }) },
	// C hears of the stack that it is on, and its package's functions are parked no more.
	"bounds": func() {
		want(C.stack_kb(), 1024)
		for range 2 {
			// Of threads; the first one's may be a page smaller.
			want(C.stack_kb() > 1024, true)
			want(C.stack_kb_again() > 1024, true)
		}
		all(many, func(int) { want(C.sleep_ms(20), 0) })
	},
	"futex": func() {
		all(20, func(int) { want(C.raw_futex(600), 600) })
	},
	// SIGQUIT says who is in C.
	"quit": func() {
		for range 3 {
			go C.sleep_ms(100000)
		}
		time.Sleep(300 * time.Millisecond)
		syscall.Kill(os.Getpid(), syscall.SIGQUIT)
		select {}
	},
	// A thread that looks at a call that keeps its thread takes no descriptor from the program.
	"descriptors": func() {
		want(C.sleep_ms(1), 0) // there is a worker
		first, err := syscall.Dup(0)
		check(err)
		syscall.Close(first)
		var ended atomic.Bool
		go func() {
			want(C.raw_futex(600), 600)
			ended.Store(true)
		}()
		for !ended.Load() {
			fd, err := syscall.Dup(0)
			check(err)
			want(fd, first)
			syscall.Close(fd)
		}
	},
	"locked": func() {
		all(10, func(int) {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			tid := syscall.Gettid()
			want(C.sleep_ms(10), 0)
			want(syscall.Gettid(), tid)
		})
	},
}

//export goCallback
func goCallback(h C.uintptr_t, i C.int) C.int {
	return C.int(cgo.Handle(h).Value().(func(int) int)(int(i)))
}

func main() {
	if len(os.Args) > 2 {
		go func() {
			for {
				runtime.GC()
			}
		}()
	}
	scenarios[os.Args[1]]()
	threads()
	fmt.Printf("wrong: %d\nend\n", wrong.Load())
	fmt.Fprintln(os.Stderr, "threads:", most)
}

// all runs f in so many goroutines at once.
func all(n int, f func(i int)) {
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() { f(i) })
	}
	time.Sleep(10 * time.Millisecond)
	threads()
	group.Wait()
}

var wrong atomic.Int32

func want[T comparable](got, want T) {
	if got != want && wrong.Add(1) < 10 {
		_, _, line, _ := runtime.Caller(1)
		fmt.Printf("line %d: %v, want %v\n", line, got, want)
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// threads notes how many threads there are.
var most int

func threads() { most = max(most, status("Threads")) }

// status is a number of /proc/self/status.
func status(name string) (n int) {
	text, err := os.ReadFile("/proc/self/status")
	check(err)
	_, rest, _ := strings.Cut(string(text), name+":")
	fmt.Sscan(rest, &n)
	return n
}

func goid() string {
	buf := make([]byte, 64)
	return strings.Fields(string(buf[:runtime.Stack(buf, false)]))[1]
}

//go:noinline
func grow(n int) int {
	var frame [512]byte
	if n == 0 {
		return int(frame[0])
	}
	return grow(n-1) + int(frame[n%512])
}

// parks reports whether one of two calls at once, of which one may go through cgo, was on a thread that isn't Go's.
func parks() bool {
	var elsewhere atomic.Bool
	all(2, func(int) {
		tid := syscall.Gettid()
		if got := int(C.sleep_and_tell()); got != tid && got != syscall.Gettid() {
			elsewhere.Store(true)
		}
	})
	return elsewhere.Load()
}

// Go lets no thread of C's in before all init functions have run.
func init() {
	if os.Args[1] == "init" {
		for range 3 {
			all(10, func(int) { want(C.timed(5), 1) })
		}
	}
}
