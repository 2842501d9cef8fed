// Command deepbind waits in a library that it opens, by RTLD_DEEPBIND if it has an argument.
package main

/*
#cgo LDFLAGS: -ldl
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
static int (*in_library)(int);
static int load(const char *name, int deep)
{
	void *l = dlopen(name, RTLD_NOW | (deep ? RTLD_DEEPBIND : 0));
	in_library = l ? (int (*)(int))dlsym(l, "lib_wait") : NULL;
	return in_library != NULL;
}
static int through(int fd) { return in_library(fd); }
*/
import "C"

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
)

// named is closed when a function was named on standard error, which goes through a pipe.
func named() chan bool {
	is := make(chan bool)
	r, w, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	was, err := syscall.Dup(2)
	if err != nil {
		panic(err)
	}
	if err := syscall.Dup3(int(w.Fd()), 2, 0); err != nil {
		panic(err)
	}
	go func() {
		for lines := bufio.NewScanner(r); lines.Scan(); {
			fmt.Fprintln(os.NewFile(uintptr(was), "stderr"), lines.Text())
			if strings.Contains(lines.Text(), "deepbind.through") {
				close(is)
				return
			}
		}
	}()
	return is
}

func main() {
	deep := len(os.Args) > 1
	var seen chan bool
	if deep {
		seen = named()
	}
	if C.load(C.CString("./lib.so"), C.int(len(os.Args)-1)) == 0 {
		panic("no library")
	}
	const calls = 20
	r, w, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	fd := C.int(r.Fd())
	var all sync.WaitGroup
	for range calls {
		all.Add(1)
		go func() {
			defer all.Done()
			C.through(fd)
		}()
	}
	if deep {
		<-seen
	}
	w.Write(make([]byte, calls))
	all.Wait()
	fmt.Println("end")
}
