package cgofile

import (
	"strings"
	"testing"
)

const callersText = `package p

func f(t *T, a []byte) {
	func() { _cgo0 := /*line :9:2*/t.c; _cgoCheckPointer(_cgo0, nil); /*line :9:7*/_Cfunc_close(_cgo0); }()
	_, err := func() (_Ctype_int, error) { _cgo0 := /*line :10:2*/t.c; _cgoIndex1 := /*line :10:5*/&a; _cgo1 := (*_cgoIndex1)[0:]; _cgoCheckPointer(_cgo0, nil); _cgoCheckPointer(_cgo1, *_cgoIndex1); return /*line :10:7*/_C2func_get(_cgo0, func() _Ctype_int{ _cgo0 := t.d; _cgoCheckPointer(_cgo0, nil); return _Cfunc_inner(_cgo0); }()); }()
	_cgoCheckPointer(err, nil) // the user's own
}
`

// The checks of one function are found, with and without errno, and those of a call among its
// arguments are another's.
func TestCallers(t *testing.T) {
	c := ParseCallers("a.cgo1.go", []byte(callersText))
	for _, stub := range []string{"_Cfunc_close", "_C2func_get", "_Cfunc_get"} {
		c.CheckIf(&Stub{GoName: stub}, "yes")
	}
	want := callersText
	for _, check := range []string{"_cgoCheckPointer(_cgo0, nil); /*line :9", "_cgoCheckPointer(_cgo0, nil); _cgoCheckPointer(_cgo1", "_cgoCheckPointer(_cgo1, *_cgoIndex1)"} {
		if strings.Count(want, check) != 1 {
			t.Fatal(check)
		}
		call, rest, _ := strings.Cut(check, ")")
		want = strings.Replace(want, check, "if yes { "+call+") }"+rest, 1)
	}
	if got := string(c.Bytes()); got != want {
		t.Errorf("it is now\n%s", got)
	}
	if ParseCallers("b.cgo1.go", []byte("package p\n\nfunc (T) generic[X any]() {{\n")) != nil {
		t.Error("what can't be parsed has calls")
	}
}
