// Package seam carries the source of library packages, with which the tool builds programs
// when it can't download the module. Other programs have no use for it.
package seam

import "embed"

// Crossing has the source of packages leaf, mem and include and of what they import from
// this module, by path in the module, test files included.
//
//go:embed leaf/*.go leaf/*.s leaf/internal/viacgo/* internal/abi/*.go internal/abi/*.s internal/crossing/*.go internal/bubble/*.go internal/csys/*
//go:embed mem/*.go include/*.go include/seam/*.h
var Crossing embed.FS

// Prof has the source of package prof and of what it imports from this module, but for what
// Unwind has, by path in the module, test files included.
//
//go:embed prof/*.go internal/crossing/*.go
var Prof embed.FS

// Unwind has the source of the unwinder of C stacks and of what it imports, likewise.
//
//go:embed internal/unwind/*.go internal/unwind/*.c internal/unwind/*.h internal/csys/csys.go internal/csys/kernel.h internal/csys/thread.h internal/csys/cfi.h internal/csys/coroutine.h internal/csys/step.h internal/csys/sections.h internal/csys/symbol.h internal/csys/handler.h internal/csys/seam_call.h
//go:embed internal/abi/*.go internal/abi/*.s
var Unwind embed.FS

// Netio has the C of package coro/netio.
//
//go:embed coro/netio/*.c coro/netio/*.h
var Netio embed.FS

// Weld has the C that package weld and welded programs share.
//
//go:embed weld/*.h
var Weld embed.FS

// Python has the source of package seam_ring, which takes seam/ring.h besides.
//
//go:embed python/build.py python/seam_ring/*.py python/seam_ring/*.c python/seam_ring/*.h
var Python embed.FS

// Heap has the C of the sampler of C's live heap, which programs preload; it takes files of Unwind's.
//
//go:embed internal/heap/*.c internal/heap/*.h internal/heap/agent/*.c
var Heap embed.FS
