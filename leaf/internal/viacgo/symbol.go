//go:build cgo

package viacgo

// #include "enter.h"
import "C"

import (
	"debug/elf"
	"strconv"
	"sync"
)

// Symbol returns the name of the C function that starts at fn, from the symbol table of the
// executable or else from the dynamic symbols of the shared libraries. A function without a
// name, as in a stripped program, is "at 0x…".
func Symbol(fn uintptr) string {
	if name := ownSymbols()[fn]; name != "" {
		return name
	}
	var buf [256]C.char
	if C.seam_symbol(C.uintptr_t(fn), &buf[0], C.int(len(buf))) != 0 {
		return C.GoString(&buf[0])
	}
	return "at 0x" + strconv.FormatUint(uint64(fn), 16)
}

// own are the symbols of the executable, once they could be read: for want of a descriptor
// they may be missing today and there tomorrow.
var own struct {
	sync.Mutex
	names map[uintptr]string
	read  bool
}

func ownSymbols() map[uintptr]string {
	own.Lock()
	defer own.Unlock()
	if !own.read {
		f, err := elf.Open("/proc/self/exe")
		if err != nil {
			return nil
		}
		defer f.Close()
		own.names, own.read = symbolsOf(f), true
	}
	return own.names
}

// symbolsOf maps the addresses of the executable's functions in memory to their names. A
// position-independent executable is not loaded where its file says; one function whose
// address is known in both gives the distance.
func symbolsOf(f *elf.File) map[uintptr]string {
	symbols, err := f.Symbols()
	if err != nil {
		return nil
	}
	const known = "seam_leaf_enter"
	var bias uintptr
	found := false
	for _, s := range symbols {
		if s.Name == known && elf.ST_TYPE(s.Info) == elf.STT_FUNC {
			bias, found = uintptr(Entry)-uintptr(s.Value), true
		}
	}
	if !found {
		return nil
	}
	names := make(map[uintptr]string)
	for _, s := range symbols {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC {
			names[uintptr(s.Value)+bias] = s.Name
		}
	}
	return names
}
