//go:build linux && (amd64 || arm64) && gc && cgo && !asan && !msan && go1.25 && !go1.28

package leaf

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	_ "github.com/seamgo/seam/leaf" // calls C, without which the run-time's assembly is not linked

	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/leaf/rt"
)

// functions are what the run-time exports.
var functions = map[string]any{
	"Call": rt.SeamCall, "CallOpen": rt.SeamCallOpen, "CallCoro": rt.SeamCallCoro,
	"Prepare": rt.SeamPrepare, "Race": rt.SeamRace, "CalledBack": rt.SeamCalledBack, "MayCallGo": rt.SeamMayCallGo,
	"Enter": rt.SeamEnter, "Leave": rt.SeamLeave, "Park": rt.SeamPark, "View": rt.SeamView, "Take": rt.SeamTake, "Give": rt.SeamGive,
}

// Nobody compares what stubs declare with what the run-time has, since the linker binds them by name.
func TestDeclarationsAreTheRuntimes(t *testing.T) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", "package p\n\nimport \"unsafe\"\n"+Declarations, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	config := types.Config{Importer: importer.Default(), IgnoreFuncBodies: true}
	p, err := config.Check("p", fset, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, name := range p.Scope().Names() {
		f, ok := p.Scope().Lookup(name).(*types.Func)
		if !ok {
			continue
		}
		found++
		short := strings.TrimPrefix(name, "_seam_")
		if !strings.Contains(Declarations, "//go:linkname "+name+" runtime/cgo.Seam"+short+"\n") {
			t.Errorf("%s is bound to another name", name)
		}
		want := reflect.TypeOf(functions[short])
		if want == nil {
			t.Errorf("the run-time has no Seam%s", short)
			continue
		}
		s := f.Signature()
		if s.Params().Len() != want.NumIn() || s.Results().Len() != want.NumOut() {
			t.Errorf("%s is %v, the run-time's is %v", name, s, want)
			continue
		}
		for i := range want.NumIn() {
			if got := kind(s.Params().At(i).Type()); got != kindOf(want.In(i)) {
				t.Errorf("%s: parameter %d is passed as %s, the run-time's as %s", name, i, got, kindOf(want.In(i)))
			}
		}
		for i := range want.NumOut() {
			if got := kind(s.Results().At(i).Type()); got != kindOf(want.Out(i)) {
				t.Errorf("%s: the result is passed as %s, the run-time's as %s", name, got, kindOf(want.Out(i)))
			}
		}
	}
	if found != len(functions) {
		t.Errorf("%d functions are declared, the run-time has %d", found, len(functions))
	}
	for _, x := range []struct {
		in, field string
		want      uintptr
	}{
		{"_seam_Slot", "Entry", unsafe.Offsetof(rt.SeamSlot{}.Entry)},
		{"_seam_Slot", "Call", unsafe.Offsetof(rt.SeamSlot{}.Call)},
		{"_seam_Parked", "Call", unsafe.Offsetof(rt.SeamParked{}.Call)},
	} {
		s := p.Scope().Lookup(x.in).Type().Underlying().(*types.Struct)
		var fields []*types.Var
		at := -1
		for i := range s.NumFields() {
			fields = append(fields, s.Field(i))
			if s.Field(i).Name() == x.field {
				at = i
			}
		}
		if got := types.SizesFor("gc", "amd64").Offsetsof(fields)[at]; got != int64(x.want) {
			t.Errorf("%s.%s is at %d, the run-time's at %d", x.in, x.field, got, x.want)
		}
	}
}

// kind is how a value is passed: all pointers are alike.
func kind(t types.Type) string {
	switch t := t.Underlying().(type) {
	case *types.Pointer:
		return "pointer"
	case *types.Signature:
		return "func"
	case *types.Basic:
		if t.Kind() == types.UnsafePointer {
			return "pointer"
		}
		return t.Name()
	}
	return "?"
}

func kindOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer, reflect.UnsafePointer:
		return "pointer"
	case reflect.Func:
		return "func"
	}
	return t.Kind().String()
}
