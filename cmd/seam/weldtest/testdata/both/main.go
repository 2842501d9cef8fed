// Command both waits in C in two ways at once: on coroutines of package coro, by its netio, and in
// functions that the plan parks.
package main

// #include "both.h"
import "C"

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"github.com/seamgo/seam/coro"
	"github.com/seamgo/seam/coro/netio"
)

const many = 100

var wrong atomic.Int32

func main() {
	fmt.Println(netio.Status().Path)
	executor, err := coro.NewExecutor(coro.ExecutorOptions{})
	check(err)
	most := 0
	var group, begun sync.WaitGroup
	begun.Add(2 * many)
	for i := range 2 * many {
		pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
		check(err)
		group.Go(func() {
			n := 0
			if i%2 == 0 {
				n = int(C.echo(C.int(pair[0]), 20))
			} else {
				e := &C.struct_echo{fd: C.int(pair[0]), n: 20}
				if _, err := executor.Runner().Call(context.Background(), unsafe.Pointer(C.echo_entry()), unsafe.Pointer(e)); err != nil {
					fmt.Println(err)
				}
				n = int(e.result)
			}
			if n != 20 {
				wrong.Add(1)
			}
		})
		group.Go(func() {
			check(syscall.SetNonblock(pair[1], true))
			f := os.NewFile(uintptr(pair[1]), "socket") // in Go's poller, which takes no thread
			b := []byte{0}
			if _, err := f.Read(b); err != nil {
				panic(err)
			}
			// Nobody goes on before all of them wait.
			begun.Done()
			begun.Wait()
			for n := range 20 {
				if _, err := f.Write([]byte{byte(n)}); err != nil {
					panic(err)
				}
				if _, err := f.Read(b); err != nil || b[0] != byte(n) {
					wrong.Add(1)
				}
			}
			f.Close()
		})
	}
	for range 5 {
		time.Sleep(5 * time.Millisecond)
		most = max(most, threads())
	}
	group.Wait()
	fmt.Println("wrong:", wrong.Load())
	fmt.Fprintln(os.Stderr, "threads:", most)
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func threads() (n int) {
	text, err := os.ReadFile("/proc/self/status")
	check(err)
	_, rest, _ := strings.Cut(string(text), "Threads:")
	fmt.Sscan(rest, &n)
	return n
}
