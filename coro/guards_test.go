//go:build cgo && linux && (amd64 || arm64)

package coro_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/seamgo/seam/coro"
	"github.com/seamgo/seam/coro/internal/ctest"
	"github.com/seamgo/seam/coro/internal/native"
)

// How guards are made, where coroutines have stacks of their own.
func init() {
	faults["many"] = many
	faults["many-old-kernel"] = func() { native.Guards = native.GuardsNever; many() }
	faults["frame-1500000-many"] = func() {
		native.Guards = native.GuardsAlways
		faults["frame-1500000-locked"]()
	}
}

// many makes more stacks than there could be if each took two of the 65,530 mappings that
// Linux usually allows.
func many() {
	var list []*coro.Coroutine
	var failed error
	for len(list) < 40_000 {
		co, err := coro.New(ctest.Count, at(&ctest.Args{N: 1}), coro.Options{StackSize: 32 << 10})
		if err != nil {
			failed = err
			break
		}
		list = append(list, co)
	}
	fmt.Println("MANY", failed == nil || !native.GuardsWork() && errors.Is(failed, coro.ErrNoStack), len(list), failed)
	for _, co := range list[:1000] {
		if err := co.Close(); err != nil {
			fmt.Println("CLOSE", err)
		}
	}
	n, err := coro.Locked.With(coro.Options{StackSize: 32 << 10}).Call(context.Background(), ctest.Return, at(&ctest.Args{A: 7}))
	fmt.Println("NEXT", n, err)
}
