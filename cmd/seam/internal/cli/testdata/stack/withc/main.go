package main

// static int twice(int n) { return 2 * n; }
import "C"

func deep(n int) int {
	var frame [4 << 10]byte
	frame[n] = byte(C.twice(C.int(n)))
	if n > 0 {
		return deep(n-1) + int(frame[n])
	}
	return int(frame[n])
}

func main() { println(deep(10)) }
