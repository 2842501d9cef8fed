// Command prog ends in the ways that its argument says.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"

	"example.com/traced/lib"
)

func main() {
	for range 100 {
		lib.Quick(1, 2)
	}
	lib.Back = func(n int) int { panic("through C") }
	switch os.Args[1] {
	case "return":
	case "exit":
		os.Exit(3)
	case "kill":
		lib.Back = func(int) int {
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
		lib.Callback(1)
	case "panic":
		runtime.LockOSThread()
		for range 5 {
			func() {
				defer func() { recover() }()
				lib.Callback(1)
			}()
		}
		lib.Quick(1, 2)
	case "children":
		for range 3 {
			out, err := exec.Command(os.Args[0], "return").CombinedOutput()
			if err != nil {
				fmt.Println(err, string(out))
				os.Exit(1)
			}
		}
	case "many":
		n, _ := strconv.Atoi(os.Args[2])
		for i := range n {
			lib.Quick(i, i)
		}
	case "wait":
		fmt.Println("ready")
		lib.Waits(60e6)
	}
}
