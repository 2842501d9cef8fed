package cgofile

import (
	"strings"
	"testing"
)

// What cgo writes for C.free(unsafe.Pointer(cs)), as a statement and behind defer.
const (
	freeNow   = "func() { _cgo0 := /*line :3:9*/unsafe.Pointer(cs); _cgoCheckPointer(_cgo0, nil); /*line :3:28*/_Cfunc_free(_cgo0); }()"
	freeLater = "defer func() func() { _cgo0 := /*line :4:15*/unsafe.Pointer(cs); return func() { _cgoCheckPointer(_cgo0, nil); /*line :4:34*/_Cfunc_free(_cgo0); }}()()"
	makeOne   = "cs := ( /*line :2:8*/_Cfunc_CString /*line :2:16*/)(s)"
)

// A string is found if its variable has it alone, from the declaration to the end of its scope.
func TestStrings(t *testing.T) {
	for _, c := range []struct {
		what, body string
		freed      int // calls of C.free of strings that are found
	}{
		{"freed behind its use", makeOne + "; use(cs); " + freeNow, 1},
		{"freed at the end", makeOne + "; " + freeLater + "; use(cs)", 1},
		{"freed on two ways out", makeOne + "; if use(cs) { " + freeNow + "; return }; " + freeNow, 2},
		{"freed by a deferred function", makeOne + "; defer func() { " + freeNow + " }()", 1},
		{"freed by a goroutine", makeOne + "; go func() { use(cs); " + freeNow + " }()", 1},
		{"in a loop", "for { " + makeOne + "; " + freeNow + " }", 1},
		{"in the head of an if", "if " + makeOne + "; use(cs) { " + freeNow + " } else { " + freeNow + " }", 2},
		{"in cases", "switch { case true: " + makeOne + "; " + freeNow + "\ncase false: " + makeOne + "; " + freeNow + " }", 2},
		{"another variable of this name outside", "cs := 1; { " + makeOne + "; " + freeNow + " }; cs = 2; var p = &cs", 1},
		{"fields of this name", makeOne + "; x.cs = nil; f(T{cs: 1}, &x.cs); " + freeNow, 1},
		{"returned on one way", makeOne + "; if use(cs) { " + freeNow + "; return nil }; return cs", 1},

		{"never freed", makeOne + "; use(cs)", 0},
		{"freed elsewhere", "if true { " + makeOne + " }; " + freeNow, 0},
		{"assigned again", makeOne + "; cs = other; " + freeNow, 0},
		{"assigned again with others", makeOne + "; cs, err = f(); " + freeNow, 0},
		{"assigned again in a function", makeOne + "; func() { (cs) = nil }(); " + freeNow, 0},
		{"assigned by range", makeOne + "; for _, cs = range list { }; " + freeNow, 0},
		{"its address taken", makeOne + "; f(&cs); " + freeNow, 0},
		{"its address taken behind the free", makeOne + "; " + freeNow + "; f(&(cs))", 0},
		{"another of its name inside", makeOne + "; { cs := other(); " + freeNow + " }", 0},
		{"a variable of its name inside", makeOne + "; { var cs *T; " + freeNow + " }", 0},
		{"a parameter of its name", makeOne + "; f(func(cs *T) { " + freeNow + " })", 0},
		{"a result of its name", makeOne + "; f(func() (cs *T) { " + freeNow + "; return })", 0},
		{"received", makeOne + "; select { case cs = <-ch: }; " + freeNow, 0},
		{"a type switch of its name", makeOne + "; switch cs := x.(type) { case *T: " + freeNow + " }", 0},
		{"another function", "cs := other(s); " + freeNow, 0},
		{"of two", "cs, err := _Cfunc_CString(s), f(); " + freeNow, 0},
		{"a part of it freed", makeOne + "; " + strings.Replace(freeNow, "Pointer(cs)", "Add(cs, 1)", 1), 0},
		{"a field freed", makeOne + "; " + strings.Replace(freeNow, "(cs)", "(x.cs)", 1), 0},
		{"freed by another", makeOne + "; " + strings.Replace(freeNow, "_Cfunc_free", "_Cfunc_close", 1), 0},
	} {
		text := "package p\n\nfunc g(s string) any { " + c.body + " }\n"
		f := ParseCallers("a.cgo1.go", []byte(text))
		if f == nil {
			t.Fatalf("%s: no Go: %s", c.what, text)
		}
		g := &Generated{callers: []*Callers{f}}
		s, err := g.Strings()
		if err != nil || len(s.Frees) != c.freed || (c.freed > 0) != (s.Freed > 0) {
			t.Errorf("%s: %+v, %v; want %d", c.what, s, err, c.freed)
		}
		f.ReuseStrings("take", "give")
		f.CheckIf(&Stub{GoName: freeBlock}, "yes") // what a leaf line of free does as well
		got := string(f.Bytes())
		if ParseCallers("a.cgo1.go", []byte(got)) == nil {
			t.Errorf("%s: it is no Go any more: %s", c.what, got)
		}
		if n := strings.Count(got, "give(_cgo0, _seam_block"); n != c.freed {
			t.Errorf("%s: %d are given back: %s", c.what, n, got)
		}
		if n := strings.Count(got, "cs, _seam_block"); n != s.Freed || n != strings.Count(got, "take /*line") {
			t.Errorf("%s: %d are taken: %s", c.what, n, got)
		}
	}
}

// Where a string is freed is said as the user knows it.
func TestStringsPositions(t *testing.T) {
	f := ParseCallers("a.cgo1.go", []byte("package p\n\n//line /x/a.go:1:1\nfunc g(s string) {\n\t"+makeOne+"\n\t"+freeNow+"\n\t( /*line :9:1*/_Cfunc_CString /*line :9:2*/)(s)\n}\n"))
	s, err := (&Generated{callers: []*Callers{f}}).Strings()
	if err != nil || s.Made != 2 || s.Freed != 1 || len(s.Frees) != 1 || s.Frees[0].String() != "/x/a.go:3:28" {
		t.Errorf("%+v, %v", s, err)
	}
}
