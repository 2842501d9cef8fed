//go:build linux || darwin

package dl

import (
	"math"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

func system(t *testing.T, linux string) *Lib {
	t.Helper()
	name := linux
	if runtime.GOOS == "darwin" {
		name = "/usr/lib/libSystem.B.dylib"
	}
	lib, err := Open(name)
	if err != nil {
		t.Skip(err) // musl has it elsewhere
	}
	return lib
}

type cosArgs struct {
	X float64
	R float64 `dl:"result"`
}

// What systems without the assembly do is tried on those that have it, too.
func TestViaPurego(t *testing.T) {
	cos, err := system(t, "libm.so.6").symbol("cos")
	if err != nil {
		t.Fatal(err)
	}
	s, err := signatureOf(reflect.TypeFor[cosArgs]())
	if err != nil {
		t.Fatal(err)
	}
	call, err := viaPurego(s, cos)
	if err != nil {
		t.Fatal(err)
	}
	a := cosArgs{X: 1}
	if call(unsafe.Pointer(&a)); math.Abs(a.R-math.Cos(1)) > 1e-12 {
		t.Error(a)
	}
	for want, typ := range map[string]reflect.Type{
		"errno is reported": reflect.TypeFor[struct {
			E int32 `dl:"errno"`
		}](),
		"variadic functions": reflect.TypeFor[struct {
			A int32
			B int32 `dl:"variadic"`
		}](),
		"unsupported kind": reflect.TypeFor[struct{ C complex128 }](), // in the words of purego
	} {
		s, err := signatureOf(typ)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := viaPurego(s, cos); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", s, err)
		}
	}
}

// A library's function calls Go, whatever the path.
func TestSort(t *testing.T) {
	t.Log(Status())
	type sortArgs struct {
		Base        unsafe.Pointer
		Count, Size uintptr
		Compare     uintptr
	}
	type compareArgs struct {
		A, B *int64
		R    int32 `dl:"result"`
	}
	sort, err := Of[sortArgs](system(t, "libc.so.6"), "qsort")
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		compare, err := NewCallback("compare", func(a *compareArgs) { a.R = int32(*a.A - *a.B) })
		if err != nil {
			t.Fatal(err)
		}
		list := []int64{5, 3, 8, 1, 9, 2}
		sort.Call(&sortArgs{unsafe.Pointer(&list[0]), 6, 8, compare.Pointer()})
		if !slices.IsSorted(list) {
			t.Error(list)
		}
		compare.Release()
	}
	cos, err := LeafOf[cosArgs](system(t, "libm.so.6"), "cos")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 1000 {
		a := cosArgs{X: float64(i)}
		if cos.Call(&a); math.Abs(a.R-math.Cos(a.X)) > 1e-12 {
			t.Error(a)
		}
	}
}

func TestStrings(t *testing.T) {
	for _, s := range []string{"", "a", "käse"} {
		if got := GoString(CString(s)); got != s {
			t.Errorf("%q became %q", s, got)
		}
	}
	if GoString(nil) != "" {
		t.Error("nil is no empty string")
	}
	defer func() {
		if r, ok := recover().(string); !ok || !strings.Contains(r, "zero byte at 1 of 3") {
			t.Error(r)
		}
	}()
	CString("a\x00b")
}
