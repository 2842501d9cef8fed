package heap

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A Function is one of a program's own allocator, which is counted as malloc is.
type Function struct {
	Name        string
	size, block []int // its arguments, from 1, of which the size is the product, and that which is a block
}

// mostFunctions is what the record has bits for, mostArguments what registers hold on amd64.
const (
	mostFunctions = 32
	mostArguments = 6
)

var nameAndArguments = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*)\(([a-z_, ]*)\)$`)

// counted are functions that the library stands in front of anyway.
var counted = []string{"malloc", "calloc", "realloc", "free", "memalign", "aligned_alloc", "valloc", "pvalloc", "posix_memalign", "mmap", "mmap64", "munmap", "mremap"}

// ParseFunctions reads "pool_alloc(_, size)", "pool_calloc(_, size, size)", "pool_free(_, block)" and
// "pool_realloc(_, block, size)".
func ParseFunctions(list []string) (functions []Function, err error) {
	for _, text := range list {
		m := nameAndArguments.FindStringSubmatch(strings.TrimSpace(text))
		if m == nil {
			return nil, fmt.Errorf("%q: want a function of C's with its arguments, size, block or _ each, such as pool_alloc(_, size) or pool_free(_, block)", text)
		}
		f := Function{Name: m[1]}
		arguments := strings.Split(m[2], ",")
		for i, a := range arguments {
			switch strings.TrimSpace(a) {
			case "size":
				f.size = append(f.size, i+1)
			case "block":
				f.block = append(f.block, i+1)
			case "_":
			default:
				return nil, fmt.Errorf("%q: argument %d is %q: want size, block or _", text, i+1, strings.TrimSpace(a))
			}
		}
		switch {
		case len(arguments) > mostArguments:
			return nil, fmt.Errorf("%q has %d arguments: want %d at most", text, len(arguments), mostArguments)
		case len(f.size) == 0 && len(f.block) == 0, len(f.block) > 1, len(f.size) > 2:
			return nil, fmt.Errorf("%q: want one size (or two that are multiplied), or one block that is freed, or both", text)
		case slices.Contains(counted, f.Name):
			return nil, fmt.Errorf("%q: %s is counted anyway", text, f.Name)
		case slices.ContainsFunc(functions, func(g Function) bool { return g.Name == f.Name }):
			return nil, fmt.Errorf("%q: %s is named twice", text, f.Name)
		}
		functions = append(functions, f)
	}
	if len(functions) > mostFunctions {
		return nil, fmt.Errorf("%d functions are named: want %d at most", len(functions), mostFunctions)
	}
	return functions, nil
}

// hooks is the source of functions that stand in front of these.
func hooks(list []Function) string {
	var b strings.Builder
	b.WriteString("#include \"named.h\"\n#ifdef SEAM_UNWIND\n")
	for i, f := range list {
		size := make([]string, len(f.size))
		for k, n := range f.size {
			size[k] = fmt.Sprintf("a%d", n)
		}
		switch product := strings.Join(size, " * "); {
		case len(f.block) == 0:
			fmt.Fprintf(&b, "NAMED_ALLOC(%d, %q, %s)\n", i, f.Name, product)
		case len(f.size) == 0:
			fmt.Fprintf(&b, "NAMED_FREE(%d, %q, a%d)\n", i, f.Name, f.block[0])
		default:
			fmt.Fprintf(&b, "NAMED_REALLOC(%d, %q, a%d, %s)\n", i, f.Name, f.block[0], product)
		}
	}
	b.WriteString("#endif\n")
	return b.String()
}

// unseen says of functions that were never called through the dynamic linker what that leaves out.
func unseen(list []Function, called uint32) (notes []string) {
	for i, f := range list {
		if called&(1<<i) != 0 {
			continue
		}
		what := "what it hands out isn't counted"
		if len(f.size) == 0 {
			what = "what it frees counts as live"
		}
		notes = append(notes, fmt.Sprintf("no call of %s was seen: %s. Either there was none, or the dynamic linker has no part in it: the function is in the program itself, or is static, hidden or -Bsymbolic in its library", f.Name, what))
	}
	return notes
}
