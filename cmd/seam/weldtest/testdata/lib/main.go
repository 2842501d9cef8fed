// Package main is a library for C programs.
package main

import "C"

import "example.com/lib/c"

//export LibSum
func LibSum(a C.long) C.long { return C.long(c.Sum(int(a), 1, 1)) }

//export LibAllocs
func LibAllocs() C.long { return C.long(c.Allocs()) }

func main() {}
