// Package dlcall measures calls of C without cgo: by package dl and by purego, beside cgo and package leaf.
package dlcall

import (
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

// Experiment is `seam lab dl`.
var Experiment = lab.Experiment{
	Name:  "dl",
	Title: "What does a call of C cost without cgo?",
	About: "The same small C functions, called in a loop in six ways. cgo; leaf: package leaf, through cgo's linker. " +
		"dl, leaf and dl: package dl, which needs no cgo, with a function that returns at once and with one that may block and call Go. " +
		"purego's RegisterFunc, and its SyscallN, which takes integers only. " +
		"The functions take 0, 2 or 6 integers, 4 floats, a struct of 16 bytes by value, a Go string of 8 bytes, which each way makes a C string of first (cgo: C.CString and free), or call Go back once. " +
		"The process that measures has cgo, for the sake of the first two; packages dl and purego take the same ways with it as without. " +
		"The results of the calls are checked.",
	Cases:   func(lab.Mode) []lab.Case { return cases() },
	Explain: explain,
}

// How C is called.
const (
	viaCgo      = "cgo"
	viaLeaf     = "leaf"
	viaDlLeaf   = "dl-leaf"
	viaDl       = "dl-cgo"
	viaRegister = "purego-register"
	viaSyscall  = "purego-syscall"
)

var viaLabels = map[string]string{
	viaCgo: "cgo", viaLeaf: "leaf", viaDlLeaf: "dl, leaf", viaDl: "dl",
	viaRegister: "purego's RegisterFunc", viaSyscall: "purego's SyscallN",
}

// A kind of function has arguments of one kind, and is called in some of the ways: leaves don't call Go, and
// SyscallN takes no floats.
type kind struct {
	args, label string
	vias        []string
}

var (
	all   = strings.Fields("cgo leaf dl-leaf dl-cgo purego-register purego-syscall")
	kinds = []kind{
		{"int0", "no arguments", all},
		{"int2", "2 integers", all},
		{"int6", "6 integers", all},
		{"float4", "4 floats", all[:5]},
		{"struct", "a struct by value", all[:5]},
		{"string", "a string", all},
		{"callback", "a callback", strings.Fields("cgo dl-cgo purego-register purego-syscall")},
	}
)

func name(args, via string) string { return "DL/args=" + args + "/via=" + via }

func cases() []lab.Case {
	var list []lab.Case
	for _, k := range kinds {
		for _, via := range k.vias {
			list = append(list, lab.Case{
				Name: name(k.args, via), Label: k.label + ", " + viaLabels[via], Group: k.label, Base: via == viaCgo,
				Setup: func() (*lab.Op, error) { return setup(k.args, via) },
			})
		}
	}
	return list
}

// sumOf is what the results of n calls add up to: that of call i is i + more, or more alone for functions
// that don't take a number.
func sumOf(args string, n int) int64 {
	more, numbers := map[string]int64{"int0": 1, "int2": 2, "int6": 15, "float4": 7, "struct": 3, "string": 's', "callback": 1}[args], int64(0)
	if args != "int0" && args != "string" {
		numbers = int64(n) * int64(n-1) / 2
	}
	return int64(n)*more + numbers
}
