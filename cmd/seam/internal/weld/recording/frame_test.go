package recording

import (
	"reflect"
	"testing"
)

func TestTidy(t *testing.T) {
	at := func(names ...string) (stack []Frame) {
		for i, name := range names {
			f := Frame{Func: name, File: "a.go", Line: 7}
			switch {
			case name[0] == '*': // cgo's own file
				f = Frame{Func: "example.com/p." + name[1:], File: "_cgo_gotypes.go", Line: i}
			case name[0] == '+': // another line
				f = Frame{Func: "example.com/p." + name[1:], File: "a.go", Line: 100 + i}
			case name[0] != 'r':
				f.Func = "example.com/p." + name
			}
			stack = append(stack, f)
		}
		return stack
	}
	for _, c := range []struct {
		name  string
		stack []Frame
		drop  int // frames in front
		end   int // and behind
		stub  string
	}{
		{name: "a call", stack: at("*_Cfunc_f", "F", "+main"), drop: 1, stub: "f"},
		{name: "with errno", stack: at("*_C2func_f", "F"), drop: 1, stub: "f"},
		{name: "CString", stack: at("*_cgo_cmalloc", "*_Cfunc_CString", "F"), drop: 2, stub: "CString"},
		{name: "checked arguments", stack: at("*_Cfunc_f", "F.func1", "F", "+main"), drop: 2, stub: "f"},
		{name: "nested calls, inlined", stack: at("*_cgo_cmalloc", "*_Cfunc__CMalloc", "F.F.func1.func2", "F.func1", "F"), drop: 4, stub: "_CMalloc"},
		{name: "a method", stack: at("*_Cfunc_f", "(*T).F.func1", "(*T).F"), drop: 2, stub: "f"},
		{name: "a closure in another line", stack: at("*_Cfunc_f", "F.func1", "+F"), drop: 1, stub: "f"},
		{name: "another function in the same line", stack: at("*_Cfunc_f", "Fa", "F"), drop: 1, stub: "f"},
		{name: "a goroutine", stack: at("F", "runtime.goexit"), end: 1},
		{name: "a stub alone", stack: at("*_Cfunc_f")},
		{name: "nothing", stack: nil},
	} {
		got, stub := Tidy(c.stack)
		if want := c.stack[c.drop : len(c.stack)-c.end]; !reflect.DeepEqual(got, want) || stub != c.stub {
			t.Errorf("%s: %v, %q, want %v, %q", c.name, got, stub, want, c.stub)
		}
	}
}
