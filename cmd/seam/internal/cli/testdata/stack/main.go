// Stacked does what its argument says, for the tests of seam stack trace.
package main

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

// A mover counts how often its goroutine's stack moved: the address of a local variable
// is another then.
type mover struct{ at, moves uintptr }

//go:noinline
func (m *mover) deep(calls int) byte {
	var frame [1 << 10]byte
	frame[calls&1023] = byte(calls)
	if calls > 0 {
		return m.deep(calls-1) + frame[calls&1023]
	}
	return frame[1]
}

//go:noinline
func (m *mover) large() byte {
	var frame [100 << 10]byte
	for i := range frame {
		frame[i] = byte(i)
	}
	return frame[len(frame)/2]
}

// look is called where the stack may have moved since the last time.
func (m *mover) look(here *byte) {
	if at := uintptr(unsafe.Pointer(here)); at != m.at {
		if m.at != 0 {
			m.moves++
		}
		m.at = at
	}
}

var sink byte

// climb goes one call deeper each time, so that each doubling is seen by itself.
func climb(to int) (moves uintptr) {
	var here byte
	var m mover
	m.look(&here)
	for calls := range to {
		sink += m.deep(calls)
		m.look(&here)
	}
	return m.moves
}

func stackInUse() uint64 {
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return s.StackInuse
}

// An expr is called through an interface alone: no code names who calls it.
type expr interface{ eval(n int) int }

type (
	sum  struct{ of expr }
	sign struct{ of expr }
	leaf struct{}
)

//go:noinline
func (s *sum) eval(n int) int { return s.of.eval(n+1) + n }

//go:noinline
func (s *sign) eval(n int) int { return -s.of.eval(n+1) - n }

//go:noinline
func (leaf) eval(n int) int { return tip(n) }

// tip needs more stack where others have used it up.
//
//go:noinline
func tip(n int) int {
	var frame [3 << 10]byte
	frame[n&1023] = byte(n)
	return int(frame[3])
}

// rings has goroutines call in rings at many depths, as the size of a frame is the compiler's
// affair.
func rings() {
	tree := func(depth int) (e expr) {
		for e = (leaf{}); depth > 0; depth-- {
			e = &sum{&sign{e}}
		}
		return e
	}
	run := func(f func() int) {
		done := make(chan int)
		go func() { done <- f() }()
		sink += byte(<-done)
	}
	for depth := 60; depth < 200; depth++ {
		run(func() int { return tree(depth).eval(0) })
	}
	var again func(n int) int
	again = func(n int) int {
		if n == 0 {
			return tip(0)
		}
		return again(n-1) + 1
	}
	for depth := 60; depth < 600; depth += 20 {
		run(func() int { return again(depth) })
	}
}

// truth prints what the runtime and the program itself know: how often stacks moved, how
// many bytes they have, how large they begin.
func truth() {
	debug.SetGCPercent(-1)
	const goroutines = 20
	before := stackInUse()
	moves := make(chan uintptr)
	leave := make(chan bool)
	var all sync.WaitGroup
	for range goroutines {
		all.Go(func() {
			moves <- climb(100) // 100 KB: seven doublings, to 256 KB
			<-leave
		})
	}
	var sum uintptr
	for range goroutines {
		sum += <-moves
	}
	after := stackInUse()
	start := []metrics.Sample{{Name: "/gc/stack/starting-size:bytes"}}
	metrics.Read(start)
	fmt.Println("moves", sum)
	fmt.Println("inuse", after-before)
	fmt.Println("start", start[0].Value.Uint64())
	fmt.Println("procs", runtime.GOMAXPROCS(0))
	close(leave)
	all.Wait()
}

// shrink parks a goroutine whose stack has become too large, and lets the collector work.
func shrink() {
	debug.SetGCPercent(-1)
	wait, done := make(chan bool), make(chan uintptr)
	go func() {
		var here byte
		var m mover
		m.look(&here)
		sink += m.large() // 2 KB to 256 KB or 128 KB
		m.look(&here)
		for range 3 {
			<-wait
			m.look(&here)
			done <- m.moves
		}
	}()
	var moves uintptr
	for range 3 {
		time.Sleep(10 * time.Millisecond) // it is parked
		runtime.GC()
		wait <- true
		moves = <-done
	}
	fmt.Println("moves", moves)
}

// fill keeps a buffer in each of its calls, as large as today's compilers put on a stack.
//
//go:noinline
func (m *mover) fill(calls int, here *byte) byte {
	var buffer [128 << 10]byte
	buffer[calls] = byte(calls)
	m.look(here)
	if calls > 1 {
		return m.fill(calls-1, here) + buffer[calls]
	}
	return buffer[calls]
}

// deep has 10 MB of buffers on the stack, which needs one of 16 MB for them.
func deep() {
	done := make(chan uintptr)
	go func() {
		var here byte
		var m mover
		m.look(&here)
		sink += m.fill(80, &here)
		done <- m.moves
	}()
	fmt.Println("moves", <-done)
}

// stress lets stacks grow and shrink while the collector runs, goroutines are preempted,
// the profiler interrupts all threads, and others print.
func stress() {
	runtime.SetCPUProfileRate(1000)
	debug.SetGCPercent(5)
	stop := make(chan bool)
	var others, all sync.WaitGroup
	others.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	})
	others.Go(func() { // preempted: it calls nothing
		for n := 0; ; n++ {
			if n&0xfffff == 0 {
				select {
				case <-stop:
					return
				default:
				}
			}
		}
	})
	want := uintptr(0)
	for calls := range 40 {
		want += uintptr(byte(calls * (calls + 1) / 2))
	}
	var mutex sync.Mutex
	var moves uintptr
	wrong := 0
	for g := range 8 {
		all.Go(func() {
			for i := range 50 {
				println("printed by", g, i)
				each := make(chan [2]uintptr)
				go func() {
					var here byte
					var m mover
					m.look(&here)
					sum := uintptr(0)
					for calls := range 40 {
						sum += uintptr(m.deep(calls))
						m.look(&here)
						if calls%8 == 0 {
							runtime.Gosched()
						}
					}
					each <- [2]uintptr{m.moves, sum}
				}()
				got := <-each
				mutex.Lock()
				moves += got[0]
				if got[1] != want {
					wrong++
				}
				mutex.Unlock()
			}
		})
	}
	all.Wait()
	close(stop)
	others.Wait()
	runtime.SetCPUProfileRate(0)
	fmt.Println("moves", moves)
	fmt.Println("wrong", wrong)
}

func overflow(n int) int { return overflow(n+1) + 1 }

func main() {
	what := "hello"
	if len(os.Args) > 1 {
		what = os.Args[1]
	}
	switch what {
	case "hello":
		fmt.Println("hello")
	case "truth":
		truth()
	case "shrink":
		shrink()
	case "deep":
		deep()
	case "rings":
		rings()
	case "stress":
		stress()
	case "exit":
		os.Exit(3)
	case "panic":
		panic("as asked")
	case "overflow":
		debug.SetMaxStack(1 << 20)
		overflow(0)
	case "kill":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		time.Sleep(time.Minute)
	case "cat":
		_, _ = io.Copy(os.Stdout, os.Stdin)
	case "env":
		for _, name := range os.Args[2:] {
			fmt.Println(name + "=" + os.Getenv(name))
		}
	case "closefiles": // as a daemon does
		for fd := 3; fd < 1024; fd++ {
			_ = syscall.Close(fd)
		}
		f, err := os.Create(os.Args[2])
		if err != nil {
			panic(err)
		}
		fmt.Fprintln(f, "ours")
		sink += (&mover{}).deep(100)
		f.Close()
	case "lookalike":
		fmt.Fprint(os.Stderr, "stackalloc 4096\n@1 0 1 0 stack grow done\nrunt")
		println("copystack gp=0xc000002380 [0xc000088000 0xc000088390 0xc000088800] -> [0xc000100000 0xc000100b90 0xc000101000]/4096")
		fmt.Printf("@%d 0 1 0 stackalloc 1073741824\n", os.Getpid())
	case "again": // a traced program that starts another
		p, err := os.StartProcess("/proc/self/exe", []string{os.Args[0], "hello"}, &os.ProcAttr{Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}})
		if err != nil {
			panic(err)
		}
		state, err := p.Wait()
		fmt.Println(state, err)
	case "threads": // one after the other, each with a number of its own
		n, err := strconv.Atoi(os.Args[2])
		if err != nil {
			panic(err)
		}
		for range n {
			locked := make(chan struct{})
			go func() {
				runtime.LockOSThread() // for ever: the thread ends with it
				close(locked)
			}()
			<-locked
		}
	case "descriptor": // of a file
		files, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			panic(err)
		}
		for _, f := range files {
			if name, err := os.Readlink("/proc/self/fd/" + f.Name()); err == nil && name == os.Args[2] {
				fmt.Println("descriptor", f.Name())
			}
		}
	case "serve": // until a signal: tells which, and has an answer of its own
		signals := make(chan os.Signal, 1)
		signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
		fmt.Println("ready")
		fmt.Fprintln(os.Stderr, "server:", <-signals)
		os.Exit(42)
	case "wait":
		fmt.Println("ready")
		time.Sleep(time.Minute)
	}
}
