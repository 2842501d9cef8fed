//go:build cgo && linux && (amd64 || arm64)

package dlcall

import (
	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/dl"
)

// The functions as package dl describes them.
type (
	int0Args struct {
		R int64 `dl:"result"`
	}
	int2Args struct {
		A, B int64
		R    int64 `dl:"result"`
	}
	int6Args struct {
		A, B, C, D, E, F int64
		R                int64 `dl:"result"`
	}
	float4Args struct {
		A, B, C, D float64
		R          float64 `dl:"result"`
	}
	structArgs struct {
		P pair
		R float64 `dl:"result"`
	}
	stringArgs struct {
		S *byte
		R int64 `dl:"result"`
	}
	callbackArgs struct {
		F    uintptr
		N    int64
		Data uintptr
		R    int64 `dl:"result"`
	}
	backArgs struct {
		N    int64
		Data uintptr
		R    int64 `dl:"result"`
	}
)

// A pair is C's struct of the same layout.
type pair struct {
	N int64
	X float64
}

// made hands on what package dl has made, unless it takes another way than programs without cgo take: then
// there is nothing to measure.
func made[F any](f F, err error) (F, error) {
	if s := dl.Status(); s.Path != dl.PathAssembly {
		return f, lab.Skip("package dl goes through %s here: %s", s.Path, s.Reason)
	}
	return f, err
}

func dlLeafLoop(args string) (l loop, end func(), err error) {
	switch args {
	case "int0":
		f, err := made(dl.LeafAt[int0Args](nil, args, functions[args]))
		return func(n int) (sum int64) {
			for range n {
				a := int0Args{}
				f.Call(&a)
				sum += int64(a.R)
			}
			return sum
		}, nil, err
	case "int2":
		f, err := made(dl.LeafAt[int2Args](nil, args, functions[args]))
		return func(n int) (sum int64) {
			for i := range n {
				a := int2Args{A: int64(i), B: 2}
				f.Call(&a)
				sum += int64(a.R)
			}
			return sum
		}, nil, err
	case "int6":
		f, err := made(dl.LeafAt[int6Args](nil, args, functions[args]))
		return func(n int) (sum int64) {
			for i := range n {
				a := int6Args{A: int64(i), B: 1, C: 2, D: 3, E: 4, F: 5}
				f.Call(&a)
				sum += int64(a.R)
			}
			return sum
		}, nil, err
	case "float4":
		f, err := made(dl.LeafAt[float4Args](nil, args, functions[args]))
		return func(n int) (sum int64) {
			for i := range n {
				a := float4Args{A: float64(i), B: 1, C: 2, D: 4}
				f.Call(&a)
				sum += int64(a.R)
			}
			return sum
		}, nil, err
	case "struct":
		f, err := made(dl.LeafAt[structArgs](nil, args, functions[args]))
		return func(n int) (sum int64) {
			for i := range n {
				a := structArgs{P: pair{int64(i), 3}}
				f.Call(&a)
				sum += int64(a.R)
			}
			return sum
		}, nil, err
	case "string":
		f, err := made(dl.LeafAt[stringArgs](nil, args, functions[args]))
		return func(n int) (sum int64) {
			for range n {
				a := stringArgs{S: dl.CString(text)}
				f.Call(&a)
				sum += int64(a.R)
			}
			return sum
		}, nil, err
	}
	panic("dl: no loop for " + args)
}

func dlLoop(args string) (l loop, end func(), err error) {
	switch args {
	case "int0":
		f, err := made(dl.At[int0Args](nil, args, functions[args]))
		return func(n int) (sum int64) {
			for range n {
				a := int0Args{}
				f.Call(&a)
				sum += int64(a.R)
			}
			return sum
		}, nil, err
	case "int2":
		f, err := made(dl.At[int2Args](nil, args, functions[args]))
		return func(n int) (sum int64) {
			for i := range n {
				a := int2Args{A: int64(i), B: 2}
				f.Call(&a)
				sum += int64(a.R)
			}
			return sum
		}, nil, err
	case "int6":
		f, err := made(dl.At[int6Args](nil, args, functions[args]))
		return func(n int) (sum int64) {
			for i := range n {
				a := int6Args{A: int64(i), B: 1, C: 2, D: 3, E: 4, F: 5}
				f.Call(&a)
				sum += int64(a.R)
			}
			return sum
		}, nil, err
	case "float4":
		f, err := made(dl.At[float4Args](nil, args, functions[args]))
		return func(n int) (sum int64) {
			for i := range n {
				a := float4Args{A: float64(i), B: 1, C: 2, D: 4}
				f.Call(&a)
				sum += int64(a.R)
			}
			return sum
		}, nil, err
	case "struct":
		f, err := made(dl.At[structArgs](nil, args, functions[args]))
		return func(n int) (sum int64) {
			for i := range n {
				a := structArgs{P: pair{int64(i), 3}}
				f.Call(&a)
				sum += int64(a.R)
			}
			return sum
		}, nil, err
	case "string":
		f, err := made(dl.At[stringArgs](nil, args, functions[args]))
		return func(n int) (sum int64) {
			for range n {
				a := stringArgs{S: dl.CString(text)}
				f.Call(&a)
				sum += int64(a.R)
			}
			return sum
		}, nil, err
	case "callback":
		back, err := dl.NewCallback("lab", func(a *backArgs) { a.R = a.N + 1 })
		if err != nil {
			return nil, nil, err
		}
		f, err := made(dl.At[callbackArgs](nil, args, functions[args]))
		return func(n int) (sum int64) {
			for i := range n {
				a := callbackArgs{F: back.Pointer(), N: int64(i)}
				f.Call(&a)
				sum += int64(a.R)
			}
			return sum
		}, back.Release, err
	}
	panic("dl: no loop for " + args)
}
