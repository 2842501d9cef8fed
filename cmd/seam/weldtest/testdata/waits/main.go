// Command waits calls C that waits for Go.
package main

/*
#cgo LDFLAGS: -lpthread
#include <pthread.h>
int wait_for_go(void);
int calls_go_for_long(void);
int quick(int n);
*/
import "C"

import (
	"fmt"
	"os"
	"time"
)

//export goWork
func goWork() { fmt.Println("Go was called") }

//export goLong
func goLong() { time.Sleep(4 * time.Second) }

func main() {
	for i := range 1000 {
		if C.quick(C.int(i)) != C.int(i)+1 {
			panic("wrong result")
		}
	}
	if len(os.Args) > 1 {
		fmt.Println(C.calls_go_for_long())
	} else {
		fmt.Println(C.wait_for_go())
	}
}
