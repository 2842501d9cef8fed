package recording

import (
	"cmp"
	"path"
	"regexp"
	"strings"
)

// Frame is a place in Go source.
type Frame struct {
	Func string `json:"func"` // "example.com/m.(*T).Method"
	File string `json:"file"`
	Line int    `json:"line"`
}

// CompareFrames orders frames by function, file and line.
func CompareFrames(a, b Frame) int {
	return cmp.Or(cmp.Compare(a.Func, b.Func), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
}

// Tidy takes away the frames that cgo made: stubs, and the closures around
// calls whose arguments have to be checked. It returns the name of the outermost
// stub too: "CString", "_CMalloc", "f"; "" if there was none.
func Tidy(stack []Frame) (rest []Frame, stub string) {
	for len(stack) > 1 {
		_, name, _ := strings.Cut(path.Base(stack[0].Func), ".")
		if s, ok := stubName(name); ok {
			stub, stack = s, stack[1:]
			continue
		}
		inner, outer := stack[0], stack[1]
		if inner.Line != outer.Line || inner.File != outer.File || !closureIn(inner.Func, outer.Func) {
			break
		}
		stack = stack[1:]
	}
	if n := len(stack); n > 1 && stack[n-1].Func == "runtime.goexit" {
		stack = stack[:n-1]
	}
	return stack, stub
}

var closures = regexp.MustCompile(`(\.func[0-9]+)+$`)

// closureIn reports whether a function is a closure in another, or in one of that
// one's closures: "p.F.func1" or, inlined, "p.F.F.func1.func2" in "p.F".
func closureIn(inner, outer string) bool {
	return closures.MatchString(inner) && strings.HasPrefix(inner, closures.ReplaceAllString(outer, "")+".")
}

func stubName(function string) (string, bool) {
	for _, prefix := range []string{"_Cfunc_", "_C2func_"} {
		if name, ok := strings.CutPrefix(function, prefix); ok {
			return name, true
		}
	}
	return "", function == "_cgo_cmalloc"
}
