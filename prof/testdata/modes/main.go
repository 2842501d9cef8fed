// Command modes takes a profile of C that it calls. It is built in every way that a program can
// be built in, and as a library for a C program (host.c.txt).
package main

/*
#cgo CFLAGS: -O3 -fomit-frame-pointer
void modes_3(long ms);
void modes_crash(int way);
*/
import "C"

import (
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"

	"github.com/seamgo/seam/prof"
)

//go:noinline
func work() { C.modes_3(400); runtime.KeepAlive(os.Args) }

// modesReady is called first: of the very first call Go asks for no context, if its packages are
// being initialised meanwhile (go.dev/issue/15943).
//
//export modesReady
func modesReady() {}

// modesRun writes the profile to a file. A C program calls it.
//
//export modesRun
func modesRun(name *C.char) C.int {
	switch C.GoString(name) {
	case "segv":
		C.modes_crash(0)
	case "abort":
		C.modes_crash(1)
	case "trap":
		C.modes_crash(2)
	case "overflow":
		C.modes_crash(3)
	}
	if err := run(C.GoString(name)); err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

func run(name string) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return err
	}
	work()
	pprof.StopCPUProfile()
	fmt.Println(prof.Status())
	return f.Close()
}

func main() {
	if os.Args[1] == "overflow" {
		C.modes_crash(3)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}
