package compat_test

import (
	"io/fs"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/idl/compat"
	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
)

// FuzzCompare compares two files of any text: a version never differs from
// itself, and what is told has a place.
func FuzzCompare(f *testing.F) {
	f.Add(audited, common)
	f.Add(common, "struct P { 1: string x } enum Num { ONE = 2 } typedef i64 Id")
	f.Add("struct S { 1: S a = {} } service V { void f(1: S s) }", "union S { 1: list<S> a } service V extends W { i32 g() } service W {}")
	f.Fuzz(func(t *testing.T, old, new string) {
		a, b := parse(old), parse(new)
		for _, p := range [][]*model.Program{a, b} {
			if changes := compat.Compare(p, p, compat.Options{}); len(changes) > 0 {
				t.Errorf("a version differs from itself: %v", changes)
			}
		}
		for _, c := range compat.Compare(a, b, compat.Options{}) {
			if c.Message == "" || c.Path == "" || c.Old.File == "" && c.New.File == "" {
				t.Errorf("%+v lacks something", c)
			}
		}
	})
}

func parse(src string) []*model.Program {
	progs, _ := model.Load([]string{"a.thrift"}, model.Options{NoCode: true, KeepStreams: true, ReadFile: func(p string) ([]byte, error) {
		if p != "a.thrift" {
			return nil, fs.ErrNotExist
		}
		return []byte(src), nil
	}})
	return progs
}
