//go:build linux && !android && (amd64 || arm64) && gc && !asan && !msan && go1.25 && !go1.28

package dl

import (
	"testing"

	"github.com/ebitengine/purego"
)

func BenchmarkLeaf(b *testing.B) {
	add := leafOf[addArgs](b, "add")
	b.ReportAllocs()
	a := addArgs{A: 1, B: 2}
	for range b.N {
		add.Call(&a)
	}
}

// Arguments that lie as in C: the plan moves them.
func BenchmarkPlanned(b *testing.B) {
	add := leafOf[addiArgs](b, "addi")
	b.ReportAllocs()
	a := addiArgs{A: 1, B: 2}
	for range b.N {
		add.Call(&a)
	}
}

func BenchmarkFloats(b *testing.B) {
	mul := leafOf[mulArgs](b, "mul")
	b.ReportAllocs()
	a := mulArgs{A: 1, B: 2}
	for range b.N {
		mul.Call(&a)
	}
}

func BenchmarkFunc(b *testing.B) {
	add := funcOf[addArgs](b, "add")
	b.ReportAllocs()
	a := addArgs{A: 1, B: 2}
	for range b.N {
		add.Call(&a)
	}
}

func BenchmarkPuregoRegisterFunc(b *testing.B) {
	at, err := testLib(b).symbol("add")
	if err != nil {
		b.Fatal(err)
	}
	var add func(a, b int64) int64
	purego.RegisterFunc(&add, at)
	b.ReportAllocs()
	for range b.N {
		add(1, 2)
	}
}

func BenchmarkPuregoSyscallN(b *testing.B) {
	at, err := testLib(b).symbol("add")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for range b.N {
		purego.SyscallN(at, 1, 2)
	}
}

// A call of C that calls Go.
func BenchmarkCallback(b *testing.B) {
	back, err := NewCallback("back", func(a *callbackArgs) { a.R = a.N })
	if err != nil {
		b.Fatal(err)
	}
	defer back.Release()
	call := funcOf[callArgs](b, "call")
	b.ReportAllocs()
	a := callArgs{F: back.Pointer(), N: 1}
	for range b.N {
		call.Call(&a)
	}
}

var pureBack = purego.NewCallback(func(n int64, data uintptr) int64 { return n })

func BenchmarkPuregoCallback(b *testing.B) {
	call := funcOf[callArgs](b, "call")
	b.ReportAllocs()
	a := callArgs{F: pureBack, N: 1}
	for range b.N {
		call.Call(&a)
	}
}
