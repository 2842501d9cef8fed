//go:build payload_program

// Command program decodes and encodes messages by one library, called in different ways.
// It takes orders as JSON on standard input and answers on descriptor 3.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"time"
	"unsafe"
)

type order struct {
	Do    string // "time", "allocate", "serve", "usage", "answer", "refuse"
	Bytes int    // size of the message
	Via   string
	Part  string // of what is timed; "" is all
	Tight bool   // the message has no slack behind it
	N     int
	Input []byte // of "answer": the message, in place of one of Bytes
	Users int    // of "answer": how many at once
}

type answer struct {
	Wrong   string // why there is no figure
	Library string
	NS      int64   // "time": of N operations; "usage": CPU time of the process
	Allocs  float64 // an operation's, on Go's heap
	Bytes   float64
	Port    int
	Message []byte // the message and its answer
	Output  []byte
}

// A user does the work for one goroutine at a time.
type user interface {
	// room is memory for a message of n bytes, with slack behind it.
	room(n int) ([]byte, error)
	// do answers the message that lies in the room. The answer is good until the
	// next do, or close.
	do(in []byte) ([]byte, error)
	// close frees what Go doesn't collect. The user stays usable.
	close() error
}

// The largest message, and the largest answer.
const (
	limit   = 1 << 20
	largest = 2 << 20
)

func main() {
	orders, answers := json.NewDecoder(os.Stdin), json.NewEncoder(os.NewFile(3, "answers"))
	for {
		var o order
		if orders.Decode(&o) != nil {
			return // the parent is gone
		}
		a, err := follow(o)
		if err != nil {
			a = answer{Wrong: err.Error()}
		}
		if a.Wrong == "" {
			a.Library = library()
		}
		if answers.Encode(a) != nil {
			return
		}
	}
}

func follow(o order) (answer, error) {
	switch o.Do {
	case "time":
		return timed(o)
	case "allocate":
		return allocate(o)
	case "serve":
		port, err := serve()
		return answer{Port: port}, err
	case "usage":
		return answer{NS: cpu().Nanoseconds()}, nil
	case "answer":
		return answered(o)
	case "refuse":
		return refused(o)
	}
	return answer{}, fmt.Errorf("unknown order %q", o.Do)
}

func newUser(via string) (user, error) {
	if how := ways[via]; how != nil {
		return how()
	}
	return nil, fmt.Errorf("%s is not called via %s", library(), via)
}

// A bench is a user with a message in its room, whose answer has been checked.
type bench struct {
	user user
	in   []byte
	out  []byte // a copy
}

type benchKey struct {
	bytes int
	via   string
	tight bool
}

var benches = map[benchKey]*bench{}

func benchOf(o order) (*bench, error) {
	k := benchKey{o.Bytes, o.Via, o.Tight}
	if b := benches[k]; b != nil {
		return b, nil
	}
	m, err := message(o.Bytes)
	if err != nil {
		return nil, err
	}
	u, err := newUser(o.Via)
	if err != nil {
		return nil, err
	}
	in, err := u.room(len(m))
	if err != nil {
		return nil, err
	}
	copy(in, m)
	if o.Tight {
		in = in[:len(in):len(in)]
	}
	b := &bench{user: u, in: in}
	for range 2 {
		out, err := u.do(in)
		if err != nil {
			return nil, err
		}
		if err := check(m, out); err != nil {
			return nil, err
		}
		b.out = append(b.out[:0], out...)
	}
	benches[k] = b
	return b, nil
}

// timed does something N times and returns the CPU time that it took.
func timed(o order) (answer, error) {
	b, err := benchOf(o)
	if err != nil {
		return answer{}, err
	}
	run := func(n int) error {
		for range n {
			if _, err := b.user.do(b.in); err != nil {
				return err
			}
		}
		return nil
	}
	if o.Part != "" {
		if run, err = partOf(o, b); err != nil {
			return answer{}, err
		}
	}
	// With one P the collector works on this thread's time, and not on that of a
	// processor that happens to be idle.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if err := run(1 + o.N/16); err != nil { // others have used the caches
		return answer{}, err
	}
	start := cpu()
	err = run(o.N)
	return answer{NS: (cpu() - start).Nanoseconds()}, err
}

// cpu is the CPU time of this process. Nothing that is timed waits, so time that other
// processes take from it is left out.
func cpu() time.Duration {
	const processClock = 2 // CLOCK_PROCESS_CPUTIME_ID
	var t syscall.Timespec
	if _, _, errno := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, processClock, uintptr(unsafe.Pointer(&t)), 0); errno != 0 {
		panic(fmt.Errorf("clock_gettime: %w", errno))
	}
	return time.Duration(t.Nano())
}

// allocate counts what an operation allocates on Go's heap.
func allocate(o order) (answer, error) {
	b, err := benchOf(o)
	if err != nil {
		return answer{}, err
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	runtime.GC() // so that no collection empties a pool in between
	var before, after runtime.MemStats
	for range 10 {
		if _, err := b.user.do(b.in); err != nil {
			return answer{}, err
		}
	}
	runtime.ReadMemStats(&before)
	for range o.N {
		if _, err := b.user.do(b.in); err != nil {
			return answer{}, err
		}
	}
	runtime.ReadMemStats(&after)
	n := float64(o.N)
	return answer{Allocs: float64(after.Mallocs-before.Mallocs) / n, Bytes: float64(after.TotalAlloc-before.TotalAlloc) / n}, nil
}

// answered answers one message and checks it, for several users at once.
func answered(o order) (answer, error) {
	in := o.Input
	if in == nil {
		m, err := message(o.Bytes)
		if err != nil {
			return answer{}, err
		}
		in = m
	}
	type result struct {
		out []byte
		err error
	}
	results := make(chan result)
	for range max(1, o.Users) {
		go func() {
			u, err := newUser(o.Via)
			if err != nil {
				results <- result{nil, err}
				return
			}
			var out []byte
			for range max(1, o.N) {
				var room []byte
				if room, err = u.room(len(in)); err != nil {
					break
				}
				copy(room, in)
				if o.Tight {
					room = room[:len(room):len(room)]
				}
				if out, err = u.do(room); err != nil {
					break
				}
				if err = check(in, out); err != nil {
					break
				}
			}
			out = append([]byte(nil), out...) // it is the user's
			results <- result{out, errors.Join(err, u.close())}
		}()
	}
	a := answer{Message: in}
	var err error
	for range max(1, o.Users) {
		r := <-results
		a.Output, err = r.out, errors.Join(err, r.err)
	}
	return a, err
}

// refused hands in a malformed message N times.
func refused(o order) (answer, error) {
	u, err := newUser(o.Via)
	if err != nil {
		return answer{}, err
	}
	in, err := u.room(len(o.Input))
	if err != nil {
		return answer{}, err
	}
	copy(in, o.Input)
	for range o.N {
		if out, err := u.do(in); err == nil {
			return answer{}, fmt.Errorf("a malformed message is answered by %.200q", out)
		}
	}
	return answer{}, u.close()
}
