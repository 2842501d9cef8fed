package callgraph

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"
)

//go:embed externals.txt
var externalsText string

// externals are the functions of externals.txt.
var externals = sync.OnceValue(func() map[string]Class {
	list, err := readExternals(externalsText)
	if err != nil {
		panic(err) // a bug of ours: the file is part of the program
	}
	return list
})

// readExternals reads the list: a class and a name a line, # begins a comment.
func readExternals(text string) (map[string]Class, error) {
	list := map[string]Class{}
	number := 0
	for line := range strings.Lines(text) {
		number++
		line, _, _ = strings.Cut(line, "#")
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		if len(fields) != 2 {
			return nil, fmt.Errorf("externals.txt:%d: want a class and a name", number)
		}
		class, name := Class(fields[0]), fields[1]
		switch class {
		case Harmless, Allocates, Locks, Threads, Blocks, CallsBack, NoReturn:
		default:
			return nil, fmt.Errorf("externals.txt:%d: %q is no class", number, class)
		}
		if _, twice := list[name]; twice {
			return nil, fmt.Errorf("externals.txt:%d: %s stands here twice", number, name)
		}
		list[name] = class
	}
	return list, nil
}

// ClassOf tells what an external function can do. The C library has some under
// several names: with a check of the buffer (__memcpy_chk), for files larger than
// 2 GB (open64), as an older or newer standard wants it (__isoc99_sscanf).
func ClassOf(name string) Class {
	list := externals()
	if c, ok := list[name]; ok {
		return c
	}
	plain := name
	for _, prefix := range []string{"__builtin_", "__isoc99_", "__isoc23_", "__GI_"} {
		plain = strings.TrimPrefix(plain, prefix)
	}
	if base, ok := strings.CutSuffix(plain, "_chk"); ok {
		plain = strings.TrimPrefix(base, "__")
	}
	if c, ok := list[plain]; ok {
		return c
	}
	if c, ok := list[strings.TrimSuffix(plain, "64")]; ok {
		return c
	}
	// One function for each size and order of memory access.
	for _, prefix := range []string{"__atomic_", "__sync_", "__aarch64_cas", "__aarch64_swp", "__aarch64_ld", "__asan_", "__ubsan_", "__tsan_"} {
		if strings.HasPrefix(name, prefix) {
			return Harmless
		}
	}
	return Unknown
}
