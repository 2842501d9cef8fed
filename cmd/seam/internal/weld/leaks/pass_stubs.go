package leaks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/weld/cgofile"
)

// An allocator is a function of libc whose result is for free.
type allocator struct {
	params string // kinds: n is a number, p a pointer
	result string
	block  string // Go expression for the block
	size   string
}

// allocators are those that are known, by name. #0 stands for the name of the
// first parameter.
var allocators = map[string]allocator{
	cgofile.Malloc:   {"n", "p", "r1", "uint64(#0)"},
	"calloc":         {"nn", "p", "r1", "uint64(#0) * uint64(#1)"},
	"realloc":        {"pn", "p", "r1", "uint64(#1)"},
	"reallocarray":   {"pnn", "p", "r1", "uint64(#1) * uint64(#2)"},
	"aligned_alloc":  {"nn", "p", "r1", "uint64(#1)"},
	"memalign":       {"nn", "p", "r1", "uint64(#1)"},
	"valloc":         {"n", "p", "r1", "uint64(#0)"},
	"posix_memalign": {"pnn", "n", "*(*unsafe.Pointer)(unsafe.Pointer(#0))", "uint64(#2)"},
	"strdup":         {"p", "p", "r1", "#text"},
	"strndup":        {"pn", "p", "r1", "#text"},
}

// frees are the functions whose first argument is a block that may end there.
var frees = map[string]string{"free": "p", "realloc": "pn", "reallocarray": "pnn"}

// encloseStubs makes the stubs tell of their blocks.
func encloseStubs(p *cgofile.Package) error {
	cgo := p.Gotypes.ImportCgo()
	p.Stubs(func(_ int, s *cgofile.Stub) {
		before, after := "", ""
		if _, ok := frees[s.Name]; ok {
			before = fmt.Sprintf("%s.SeamLeaksFreeing(_seam_leaks, unsafe.Pointer(%s))\n\t", cgo, s.Params[0])
		}
		if a, ok := allocators[s.Name]; ok {
			names := []string{"#text", cgo + ".SeamLeaksText"}
			for i, name := range s.Params {
				names = append(names, fmt.Sprintf("#%d", i), name)
			}
			fill := strings.NewReplacer(names...)
			done := "r1 != nil"
			if a.result == "n" {
				done = "r1 == 0" // an error number
			}
			after = fmt.Sprintf("\n\tif %s {\n\t\t%s.SeamLeaksMade(_seam_leaks, unsafe.Pointer(%s), %s)\n\t}", done, cgo, fill.Replace(a.block), fill.Replace(a.size))
		}
		p.Gotypes.Enclose(s, before, after)
	})
	return nil
}

// fits reports whether types are of the kinds.
func fits(types []string, kinds string) bool {
	if len(types) != len(kinds) {
		return false
	}
	for i, t := range types {
		isPointer := t == "unsafe.Pointer" || strings.HasPrefix(t, "*")
		if kinds[i] == 'p' && !isPointer || kinds[i] == 'n' && !slices.Contains(numbers, t) {
			return false
		}
	}
	return true
}

// numbers are the names that cgo has for what libc takes and gives.
var numbers = []string{"_Ctype_size_t", "_Ctype_ulong", "_Ctype_ulonglong", "_Ctype_uint", "_Ctype_int", "_Ctype_long", "uint64", "uint32"}
