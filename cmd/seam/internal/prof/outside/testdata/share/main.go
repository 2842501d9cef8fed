// Command share does one thing with its time, for ever.
package main

/*
static volatile int sink;
static int twice(int a) { return a * 2; }
static void spin(void) { for (int i = 0; i < 1000000; i++) sink += i; }
extern int goTwice(int);
static void callBack(void) { for (int i = 0; i < 1000; i++) sink += goTwice(i); }
*/
import "C"

import (
	"fmt"
	"os"
	"syscall"
)

//export goTwice
func goTwice(a C.int) C.int { return a * 2 }

var sink int

func main() {
	do, ok := map[string]func(){
		"calls":     func() { sink += int(C.twice(C.int(sink))) },
		"callbacks": func() { C.callBack() },
		"c":         func() { C.spin() },
		"few": func() {
			for i := range 1_000_000 {
				sink = sink*31 + i
				if i%1000 == 0 {
					syscall.Getppid()
				}
			}
			C.twice(1)
		},
	}[os.Args[1]]
	if !ok {
		os.Exit(2)
	}
	fmt.Println("ready")
	for {
		do()
	}
}
