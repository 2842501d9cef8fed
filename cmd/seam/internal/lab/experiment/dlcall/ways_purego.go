//go:build cgo && linux && (amd64 || arm64)

package dlcall

import (
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/dl"
)

// back is made once: purego never frees one.
var back = sync.OnceValue(func() uintptr {
	return purego.NewCallback(func(n int64, _ uintptr) int64 { return n + 1 })
})

// registered is C's function as a Go function, made by purego, which panics where it knows no way.
func registered[F any](args string) (f F, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = lab.Skip("purego: %v", r)
		}
	}()
	purego.RegisterFunc(&f, uintptr(functions[args]))
	return f, nil
}

func registerLoop(args string) (l loop, end func(), err error) {
	switch args {
	case "int0":
		f, err := registered[func() int64](args)
		return func(n int) (sum int64) {
			for range n {
				sum += f()
			}
			return sum
		}, nil, err
	case "int2":
		f, err := registered[func(a, b int64) int64](args)
		return func(n int) (sum int64) {
			for i := range n {
				sum += f(int64(i), 2)
			}
			return sum
		}, nil, err
	case "int6":
		f, err := registered[func(a, b, c, d, e, f int64) int64](args)
		return func(n int) (sum int64) {
			for i := range n {
				sum += f(int64(i), 1, 2, 3, 4, 5)
			}
			return sum
		}, nil, err
	case "float4":
		f, err := registered[func(a, b, c, d float64) float64](args)
		return func(n int) (sum int64) {
			for i := range n {
				sum += int64(f(float64(i), 1, 2, 4))
			}
			return sum
		}, nil, err
	case "struct":
		f, err := registered[func(pair) float64](args)
		return func(n int) (sum int64) {
			for i := range n {
				sum += int64(f(pair{int64(i), 3}))
			}
			return sum
		}, nil, err
	case "string":
		f, err := registered[func(string) int64](args)
		return func(n int) (sum int64) {
			for range n {
				sum += f(text)
			}
			return sum
		}, nil, err
	case "callback":
		back := back()
		f, err := registered[func(f uintptr, n int64, data uintptr) int64](args)
		return func(n int) (sum int64) {
			for i := range n {
				sum += f(back, int64(i), 0)
			}
			return sum
		}, nil, err
	}
	panic("dl: no loop for " + args)
}

func syscallLoop(args string) (l loop, end func(), err error) {
	fn := uintptr(functions[args])
	return map[string]loop{
		"int0": func(n int) (sum int64) {
			for range n {
				r, _, _ := purego.SyscallN(fn)
				sum += int64(r)
			}
			return sum
		},
		"int2": func(n int) (sum int64) {
			for i := range n {
				r, _, _ := purego.SyscallN(fn, uintptr(i), 2)
				sum += int64(r)
			}
			return sum
		},
		"int6": func(n int) (sum int64) {
			for i := range n {
				r, _, _ := purego.SyscallN(fn, uintptr(i), 1, 2, 3, 4, 5)
				sum += int64(r)
			}
			return sum
		},
		"string": func(n int) (sum int64) {
			for range n {
				r, _, _ := purego.SyscallN(fn, uintptr(unsafe.Pointer(dl.CString(text))))
				sum += int64(r)
			}
			return sum
		},
		"callback": func(n int) (sum int64) {
			back := back()
			for i := range n {
				r, _, _ := purego.SyscallN(fn, back, uintptr(i), 0)
				sum += int64(r)
			}
			return sum
		},
	}[args], nil, nil
}
