// Command table calls each function of libc that waits, and prints what comes of it.
package main

// #include "table.h"
import "C"

import (
	"fmt"
	"os"
	"runtime"
)

func main() {
	if len(os.Args) > 1 {
		go func() {
			for {
				runtime.GC()
			}
		}()
	}
	for i := C.int(0); C.case_name(i) != nil; i++ {
		ends, endsErr := C.case_ends(i)
		late, lateErr := C.case_times_out(i)
		if ends >= 0 {
			endsErr = nil // what errno was on the way
		}
		if late >= 0 {
			lateErr = nil
		}
		fmt.Println(C.GoString(C.case_name(i)), ends, endsErr, late, lateErr)
	}
}
