// Command leaks gets memory from C in every way, and does with it what its
// arguments say, in order.
package main

/*
#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void eat(void *p) { free(p); }
static void *grow(void *p, size_t n) { return realloc(p, n); }

static void *eat_thread(void *p) { free(p); return 0; }
static void eat_elsewhere(void *p)
{
	pthread_t t;
	pthread_create(&t, 0, eat_thread, p);
	pthread_join(t, 0);
}

static int eat_in_child(void *p)
{
	int status;
	if (fork() == 0) {
		free(p);
		_exit(0);
	}
	wait(&status);
	return status;
}

extern void goAllocates(void);
static void call_back(void) { goAllocates(); }
*/
import "C"

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"example.com/leaks/clean"
	"example.com/leaks/dep"
	"example.com/leaks/shared"
)

func free(p unsafe.Pointer) { C.free(p) }

//export goAllocates
func goAllocates() { C.CString("back") }

func kinds(keep func(unsafe.Pointer)) {
	keep(unsafe.Pointer(C.CString("hello")))
	keep(C.CBytes(make([]byte, 1000)))
	keep(C.malloc(10))
	keep(C.calloc(3, 7))
	keep(C.realloc(nil, 11))
	keep(C.reallocarray(nil, 3, 4))
	keep(C.aligned_alloc(64, 128))
	keep(C.memalign(64, 256))
	keep(C.valloc(13))
	keep(unsafe.Pointer(C.strdup((*C.char)(unsafe.Pointer(unsafe.StringData("text\x00"))))))
	keep(unsafe.Pointer(C.strndup((*C.char)(unsafe.Pointer(unsafe.StringData("text\x00"))), 2)))
	var p unsafe.Pointer
	if C.posix_memalign(&p, 64, 640) != 0 {
		panic("no memory")
	}
	keep(p)
	q, err := C.calloc(1, 5)
	if q == nil {
		panic(err)
	}
	keep(q)
}

func chain() unsafe.Pointer {
	p := C.malloc(1)
	for i := range 50 {
		p = C.realloc(p, C.size_t(100*i+100))
		p = C.grow(p, C.size_t(100*i+150))
	}
	return p
}

func goroutines() {
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			C.malloc(40)
			for i := range 2000 {
				s := C.CString(strconv.Itoa(i))
				p := C.malloc(C.size_t(i))
				if i%500 == 0 {
					runtime.GC()
				}
				C.eat(unsafe.Pointer(s))
				C.free(p)
			}
		})
	}
	wg.Wait()
}

// grow takes longer than the second without which nothing is said of growth.
func grow() {
	steady()
	for i := range 400 {
		C.malloc(1)
		if i%4 == 0 {
			time.Sleep(15 * time.Millisecond)
		}
	}
}

func steady() {
	for range 10 {
		C.malloc(5)
	}
}

func main() {
	for _, what := range os.Args[1:] {
		switch what {
		case "kinds":
			kinds(func(unsafe.Pointer) {})
		case "kinds freed":
			kinds(free)
		case "freed in C":
			kinds(func(p unsafe.Pointer) { C.eat(p) })
		case "freed in a thread":
			kinds(func(p unsafe.Pointer) { C.eat_elsewhere(p) })
		case "freed in a child":
			if C.eat_in_child(C.malloc(8)) != 0 {
				panic("the child died")
			}
		case "shared":
			shared.Give(10)
		case "chain":
			chain()
		case "chain freed":
			free(chain())
		case "dep":
			dep.Keep(3)
		case "double":
			p := C.malloc(9)
			free(p)
			C.free(p)
			C.eat(p)
		case "middle":
			p := C.malloc(99)
			C.free(unsafe.Add(p, 16))
			C.eat(p)
		case "goroutines":
			goroutines()
		case "callback":
			C.call_back()
		case "grow":
			grow()
		case "clean":
			fmt.Println(clean.Length("hello"))
		case "children":
			for range 3 {
				cmd := exec.Command(os.Args[0], "dep")
				if err := cmd.Run(); err != nil {
					panic(err)
				}
			}
		case "kill":
			if err := syscall.Kill(os.Getpid(), syscall.SIGKILL); err != nil {
				panic(err)
			}
		case "exit":
			os.Exit(7)
		case "panic":
			panic("on purpose")
		case "nothing":
		case "out":
			fmt.Println("standard output")
			fmt.Fprintln(os.Stderr, "standard error")
		default:
			panic(what)
		}
	}
}
