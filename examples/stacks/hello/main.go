// Hello is a program whose main goroutine outgrows the 2 KB that it begins with: with
// today's Go while package fmt is initialised, in older ones at the Println.
package main

import "fmt"

func main() {
	fmt.Println("hello")
}
