package model_test

import (
	"fmt"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
)

// Which of the containers have structs themselves: the nearest annotation counts, and then the
// option.
func TestValueTypeInContainer(t *testing.T) {
	const text = `struct P { 1: i32 x }
struct V { 1: i32 x } (value_type_in_container = "true")
typedef list<P> Ps
typedef list<P> (value_type_in_container) Vs
typedef P Other
struct S {
  1: list<P> a
  2: list<V> b
  3: list<V> c (value_type_in_container = "false")
  4: list<P> d (value_type_in_container)
  5: list<P> (value_type_in_container = "0") e (value_type_in_container = "1")
  6: Vs f
  7: Ps g (value_type_in_container)
  8: P h
  9: list<Other> i (value_type_in_container)
  10: V j
}
`
	want := map[bool]string{false: "a:- b:+ c:- d:+ e:- f:+ g:- h:- i:+ j:- ", true: "a:+ b:+ c:- d:+ e:- f:+ g:+ h:- i:+ j:- "}
	for all, want := range want {
		opt := files{"a.thrift": text}.options()
		opt.ValueTypeInContainer = all
		progs, errs := model.Load([]string{"a.thrift"}, opt)
		if errs.Fatal() {
			t.Fatal(errs)
		}
		got := ""
		for _, x := range progs[0].Structs[2].Fields {
			elem, sign := x.Type, "-"
			if elem.Elem != nil {
				elem = elem.Elem
			}
			if elem.InPlace {
				sign = "+"
			}
			got += fmt.Sprintf("%s:%s ", x.Name, sign)
		}
		if got != want {
			t.Errorf("for all %v: got\n%s, want\n%s", all, got, want)
		}
		checkWarnings(t, errs, "13: S.g: value_type_in_container has no effect")
	}
}
