// Command yields imports a package that registers traceback functions of its own, which is
// initialised first since its path is first in the alphabet.
package main

import (
	"fmt"

	_ "a.example/yields/other"

	"github.com/seamgo/seam/prof"
)

func main() { fmt.Println(prof.Status()) }
