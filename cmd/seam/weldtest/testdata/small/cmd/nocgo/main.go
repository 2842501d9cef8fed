// Command nocgo uses packages of the standard library that call C, and none of
// this module that does.
package main

import (
	"fmt"
	"net"
	"os/user"

	"example.com/small/plain"
)

func main() {
	addresses, err := net.LookupHost("127.0.0.1")
	u, userErr := user.Current()
	fmt.Println(addresses, err, u != nil, userErr, plain.Twice(21))
}
