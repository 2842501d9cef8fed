// Swap writes the AVX2 kernels of thrift/internal/swap: an assembly file and
// the Go declarations that belong to it.
//
//	go generate ./thrift/internal/swap
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
)

func main() {
	// A set of its own: avo has put its flags into the usual one.
	flags := flag.NewFlagSet("swap", flag.ExitOnError)
	asm := flags.String("asm", "", "write the assembly to `file`")
	stubs := flags.String("stubs", "", "write the Go declarations to `file`")
	flags.Parse(os.Args[1:])
	if err := run(*asm, *stubs); err != nil {
		fmt.Fprintln(os.Stderr, "swap:", err)
		os.Exit(1)
	}
}

func run(asmFile, stubFile string) error {
	if asmFile == "" || stubFile == "" {
		return fmt.Errorf("both -asm and -stubs are needed")
	}
	asm, stubs, err := generate()
	if err != nil {
		return err
	}
	if err := os.WriteFile(asmFile, asm, 0o644); err != nil {
		return err
	}
	return os.WriteFile(stubFile, stubs, 0o644)
}

// generate returns both files as they are committed.
func generate() (asm, stubs []byte, err error) {
	f, err := kernels()
	if err != nil {
		return nil, nil, err
	}
	if err := pass.Compile.Execute(f); err != nil {
		return nil, nil, err
	}
	cfg := printer.Config{Name: "cmd/seam/internal/asm/swap", Pkg: "swap"}
	if asm, err = printer.NewGoAsm(cfg).Print(f); err != nil {
		return nil, nil, err
	}
	stubs, err = printer.NewStubs(cfg).Print(f)
	return asm, stubs, err
}
