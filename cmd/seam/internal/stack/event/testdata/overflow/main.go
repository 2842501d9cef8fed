package main

import "runtime/debug"

//go:noinline
func deeper(n int) int {
	var b [256]byte
	b[n%256] = 1
	return deeper(n+1) + int(b[1])
}

func main() {
	debug.SetMaxStack(1 << 20)
	done := make(chan int)
	go func() { done <- deeper(0) }()
	<-done
}
