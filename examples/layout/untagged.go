//go:build !cgo

package main

import "fmt"

func main() { fmt.Println("this example calls C: build it with CGO_ENABLED=1 and a C compiler") }
