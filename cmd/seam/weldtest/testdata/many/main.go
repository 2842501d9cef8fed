// Command many prints what all packages print.
package main

import (
	"os"

	"example.com/many/cxx"
	"example.com/many/errs"
	"example.com/many/lto"
	"example.com/many/macros"
	"example.com/many/pc"
	"example.com/many/strict"
	"example.com/many/values"
)

func main() {
	for range 3 {
		values.Print(os.Stdout)
		errs.Print(os.Stdout)
		macros.Print(os.Stdout)
		strict.Print(os.Stdout)
		lto.Print(os.Stdout)
		cxx.Print(os.Stdout)
		pc.Print(os.Stdout)
	}
}
