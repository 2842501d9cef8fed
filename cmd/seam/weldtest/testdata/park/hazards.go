package main

// #include <stdlib.h>
// #include "park.h"
import "C"

import (
	"context"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/cgo"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

// What may happen while calls are parked.
func init() {
	handle := func(f func(int) int) C.uintptr_t { return C.uintptr_t(cgo.NewHandle(f)) }
	// parkedMany has calls wait in C until the program ends.
	parkedMany := func() {
		for range many {
			go C.sleep_ms(100_000)
		}
		go C.hold(1)
		time.Sleep(50 * time.Millisecond)
		threads()
	}
	scenarios["cthreads"] = func() {
		h := handle(func(i int) int {
			if i%5 == 0 {
				time.Sleep(time.Millisecond)
				want(C.sleep_ms(1), 0)
			}
			grow(50)
			return i
		})
		all(20, func(int) { want(C.by_thread(h, 20), 2*190) })
	}
	scenarios["wide"] = func() {
		all(4, func(int) {
			var h C.uintptr_t
			h = handle(func(i int) int {
				if i == 100 {
					runtime.GC()
					return 0
				}
				return 1 + int(C.wide(h, C.int(i+1)))
			})
			want(C.wide(h, 1), 99)
		})
	}
	scenarios["exit"] = func() { parkedMany(); os.Exit(7) }
	scenarios["exit of C"] = func() {
		C.set_exit(handle(func(i int) int { time.Sleep(time.Millisecond); return i + 1 }))
		parkedMany()
		h := handle(func(int) int { C.leave(7); return 0 })
		C.call_back(h, 1, 0)
	}
	scenarios["exit of C without Go"] = func() {
		C.set_exit(0)
		parkedMany()
		C.leave(7)
	}
	scenarios["raise"] = func() {
		C.catch_signal()
		want(C.raises(), 1)
		C.sleep_ms(1)
		want(C.forks(7), 7)
		all(10, func(i int) { want(C.forks(C.int(i)), C.int(i)) })
	}
	scenarios["own stack"] = func() {
		h := handle(func(i int) int { time.Sleep(time.Millisecond); grow(50); return i })
		var pipes [many][2]int
		for i := range pipes {
			check(syscall.Pipe(pipes[i][:]))
		}
		go func() {
			time.Sleep(time.Second) // C that keeps its worker for as long is named
			threads()
			for i := range pipes {
				syscall.Write(pipes[i][1], []byte{byte(i % 100)})
			}
		}()
		all(many, func(i int) { want(C.read_on_own_stack(C.int(pipes[i][0]), h), C.int(i%100)+1) })
	}
	scenarios["busy reads"] = func() {
		var ends [2]int
		check(syscall.Pipe(ends[:]))
		var group sync.WaitGroup
		group.Go(func() { want(C.wait_and_tell(C.int(ends[0])), 0) })
		time.Sleep(20 * time.Millisecond)
		for range 4 {
			group.Go(func() { want(C.read_until_told(), 0) })
		}
		time.Sleep(20 * time.Millisecond)
		syscall.Write(ends[1], []byte{1})
		group.Wait()
	}
	// Each wakes one, so who is woken must be told while others wait.
	scenarios["system semaphore"] = func() {
		want(C.make_set() >= 0, true)
		const waiters, rounds = 48, 10
		var group sync.WaitGroup
		for range waiters {
			group.Go(func() {
				for range rounds {
					want(C.set_down(), 0)
				}
			})
		}
		for range waiters * rounds {
			want(C.set_up(), 0)
		}
		group.Wait()
		want(C.drop_set(), 0)
	}
	// A call that has ended, or calls Go, is told to Go though the call behind it doesn't return.
	scenarios["told"] = func() {
		for i := range C.int(16) {
			var group sync.WaitGroup
			first, second := 2*i+1, 2*i+2
			group.Go(func() { want(C.compute(first), 0) })
			for C.is_computing() != first {
				time.Sleep(time.Millisecond)
			}
			group.Go(func() { // behind it
				if i%2 == 0 {
					want(C.set_errno(5, 0), 0)
					C.release(second)
				} else {
					C.call_back(handle(func(i int) int { C.release(second); return i }), 1, 0)
				}
			})
			time.Sleep(2 * time.Millisecond)
			group.Go(func() { want(C.compute(second), 0) })
			time.Sleep(2 * time.Millisecond)
			C.release(first)
			group.Wait()
		}
	}
	scenarios["posts"] = func() {
		C.catch_posts()
		const n = 3000
		var group sync.WaitGroup
		var stop atomic.Bool
		// Traffic on the locks of the run-time.
		for range 8 {
			group.Go(func() {
				for !stop.Load() {
					C.lock_plainly()
					C.set_errno(3, 0)
				}
			})
		}
		for range 20 {
			group.Go(func() {
				for range n / 20 {
					C.take_post()
				}
			})
		}
		// To all threads, one after the other.
		for C.sent_posts() < n {
			list, err := os.ReadDir("/proc/self/task")
			check(err)
			for _, e := range list {
				if tid, err := strconv.Atoi(e.Name()); err == nil {
					C.send_post(C.int(tid))
				}
			}
		}
		stop.Store(true)
		group.Wait()
	}
	scenarios["notify"] = func() {
		// Go's own handler, on threads that run C on other stacks, in all places.
		got := make(chan os.Signal, 1)
		signal.Notify(got, syscall.SIGUSR1)
		var received atomic.Int32
		go func() {
			for range got {
				received.Add(1)
			}
		}()
		h := handle(func(i int) int { grow(10); return i })
		var group sync.WaitGroup
		var stop atomic.Bool
		for range 8 {
			group.Go(func() {
				for !stop.Load() {
					want(C.call_back(h, 3, 0), 3)
					C.sleep_ms(0) // which a signal may end
				}
			})
		}
		for range 100 {
			list, err := os.ReadDir("/proc/self/task")
			check(err)
			for _, e := range list {
				if tid, err := strconv.Atoi(e.Name()); err == nil {
					syscall.RawSyscall(syscall.SYS_TGKILL, uintptr(os.Getpid()), uintptr(tid), uintptr(syscall.SIGUSR1))
				}
			}
		}
		for received.Load() == 0 {
			time.Sleep(time.Millisecond)
		}
		stop.Store(true)
		group.Wait()
	}
	scenarios["handler"] = func() {
		var group sync.WaitGroup
		group.Go(func() { all(many, func(int) { want(C.sleep_ms(50), 0) }) })
		want(C.handler_calls(handle(func(i int) int {
			time.Sleep(time.Millisecond)
			want(C.sleep_ms(1), 0)
			return i
		})), 70)
		group.Wait()
	}
	scenarios["own handler"] = func() {
		want(C.own_handler_calls(handle(func(i int) int {
			time.Sleep(time.Millisecond)
			grow(100)
			want(C.sleep_ms(1), 0)
			return i
		}), 10), 70)
	}
	scenarios["storm"] = storm
	scenarios["leaves"] = func() {
		n, err := strconv.Atoi(os.Getenv("LEAVES"))
		check(err)
		leave := func(n int) {
			all(10, func(int) {
				h := handle(func(i int) int { panic("out of C") })
				e := handle(func(i int) int { runtime.Goexit(); return i })
				for range n / 10 {
					func() {
						defer func() { want(recover(), any("out of C")) }()
						C.call_back(h, 1, 0)
					}()
					var group sync.WaitGroup
					group.Go(func() { C.call_back(e, 1, 0) })
					group.Wait()
				}
			})
		}
		leave(1000)
		runtime.GC()
		before, memory := status("Threads"), status("VmRSS")
		leave(n)
		runtime.GC()
		want(status("Threads") < before+4, true)
		want(status("VmRSS") < memory+8<<10, true)
	}
	scenarios["lock over Go"] = func() {
		n := 8 * runtime.GOMAXPROCS(0)
		h := handle(func(i int) int { time.Sleep(100 * time.Microsecond); return i })
		all(n, func(i int) { want(C.lock_over_go(h, C.int(i)), C.int(i)) })
		// Threads that wait in libc for the lock of a parked call.
		all(n, func(i int) {
			if i%2 == 0 {
				want(C.lock_over_go(h, C.int(i)), C.int(i))
			} else {
				want(C.lock_plainly(), 0)
			}
		})
	}
	scenarios["lock again"] = func() {
		var h C.uintptr_t
		h = handle(func(i int) int { runtime.Gosched(); return int(C.lock_again(h, C.int(i))) })
		all(20, func(int) { want(C.lock_again(h, 5), 5) })
	}
	scenarios["spin"] = func() {
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() { want(C.spin(), 0) })
		}
		for C.is_spinning() < 4 {
			time.Sleep(time.Millisecond)
		}
		C.stop_spin()
		group.Wait()
	}
	scenarios["starved"] = func() {
		var group sync.WaitGroup
		group.Go(func() { want(C.starve_owner(), 0) })
		all(40, func(int) { C.ask_owner() })
		group.Wait()
	}
	scenarios["once"] = func() { all(many, func(int) { want(C.once_only(), 11) }) }
	scenarios["barrier"] = func() {
		const calls, own, rounds = 60, 4, 20
		want(C.barrier_for(calls+own), 0)
		all(calls+own, func(i int) {
			if i < own {
				want(C.meet_by_thread(calls+own, rounds), 0)
			} else {
				want(C.meet(calls+own, rounds), 0)
			}
		})
		want(C.serials(), rounds)
		want(C.end_barrier(), 0)
		want(C.barrier_for(1), 0) // in the same memory
		want(C.shared_barrier(), 0)
	}
	scenarios["words"] = func() {
		var group sync.WaitGroup
		group.Go(func() { all(many, func(int) { want(C.wait_word(), 0) }) })
		for C.words_asleep() < many {
			time.Sleep(time.Millisecond)
		}
		threads()
		want(C.wake_words(1), 0)
		group.Wait()
		want(C.words_asleep(), 0)
		group.Go(func() { all(many, func(int) { want(C.take_token(), 0) }) })
		for i := range many {
			if i%7 == 0 {
				time.Sleep(100 * time.Microsecond)
			}
			want(C.put_token(), 0)
		}
		group.Wait()
		all(20, func(int) { want(C.word_errors(20), C.int((110*1000+110)*10000+11*100+22)) })
	}
	scenarios["timed locks"] = func() {
		var group sync.WaitGroup
		group.Go(func() { C.hold_timed() })
		for C.is_held() == 0 {
			time.Sleep(time.Millisecond)
		}
		// Each makes a thread of C, which the test counts with ours.
		all(30, func(int) { want(C.try_timed(20), 4) })
		C.end_hold()
		group.Wait()
	}
	scenarios["one file"] = func() {
		dir, err := os.MkdirTemp("", "park")
		check(err)
		defer os.RemoveAll(dir)
		name := dir + "/plain"
		path := C.CString(name)
		defer C.free(unsafe.Pointer(path))
		want(C.plain_open(path), 1)
		all(80, func(i int) {
			if i%2 == 0 {
				want(C.plain_pair(C.int(i), 2), 0)
			} else {
				want(C.plain_line(C.int(i)), 0)
			}
		})
		want(C.plain_close(), 0)
		text, err := os.ReadFile(name)
		check(err)
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		want(len(lines), 40*2+40)
		for i, line := range lines {
			if n, ok := strings.CutPrefix(line, "first "); ok && i+1 < len(lines) {
				want(lines[i+1], "second "+n)
			}
		}
	}
}

// storm makes $CALLBACKS callbacks or more, each checked, in goroutines that are stopped by signals
// and collected; some end in a panic, some end their goroutine, some when a context does.
func storm() {
	n, err := strconv.Atoi(os.Getenv("CALLBACKS"))
	check(err)
	runtime.SetCPUProfileRate(2000)
	check(pprof.StartCPUProfile(io.Discard)) // says so on standard error: the rate is ours
	var calls, left atomic.Int64
	before, memory := 0, 0
	for round := 0; calls.Load() < int64(n); round++ {
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(round%7)*time.Millisecond)
		all(30, func(i int) {
			made, ended := 0, true
			h := cgo.NewHandle(func(k int) int {
				want(k, made)
				made++
				switch {
				case k == 80 && i%5 == 1:
					panic("storm")
				case k == 80 && i%5 == 2, k%16 == 0 && i%5 == 3 && ctx.Err() != nil:
					runtime.Goexit()
				case k%50 == 10:
					grow(100)
					want(C.sleep_ms(0), 0)
				}
				return k
			})
			var group sync.WaitGroup
			group.Go(func() {
				defer func() {
					if r := recover(); r != nil {
						want(r, any("storm"))
					}
				}()
				want(C.call_back(C.uintptr_t(h), 100, 0), 99*100/2)
				ended = false
			})
			group.Wait()
			h.Delete()
			if calls.Add(int64(made)); ended {
				left.Add(1)
			}
		})
		cancel()
		if round == 20 {
			runtime.GC()
			before, memory = status("Threads"), status("VmRSS")
		}
	}
	pprof.StopCPUProfile()
	runtime.GC()
	want(left.Load() > 0, true)
	if before > 0 {
		want(status("Threads") < before+6, true)
		want(status("VmRSS") < memory+24<<10, true)
	}
	os.Stderr.WriteString(strconv.Itoa(int(calls.Load())) + " callbacks, " + strconv.Itoa(int(left.Load())) + " calls left by them\n")
}
