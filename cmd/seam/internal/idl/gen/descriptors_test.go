package gen

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
	"github.com/seamgo/seam/internal/testenv"
	"github.com/seamgo/seam/thrift/descriptor"
)

// What the tests of the library read is what the tool writes.
func TestDescriptorsOfTheLibrary(t *testing.T) {
	dir := filepath.Join(testenv.Repository(t), "thrift", "generic", "testdata")
	progs, errs := model.Load([]string{filepath.Join(dir, "shop.thrift")}, model.Options{})
	if errs.Fatal() {
		t.Fatal(errs)
	}
	text, err := Descriptors(slices.DeleteFunc(progs, func(p *model.Program) bool { return !p.Requested }))
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join(dir, "shop.json"))
	if err != nil || !bytes.Equal(text, bytes.TrimSpace(want)) {
		t.Errorf("%v\nit is\n%s\nmake it anew: seam gen descriptors -o thrift/generic/testdata/shop.json thrift/generic/testdata/shop.thrift", err, text)
	}
}

// Every file of the tests has descriptors that can be read, with as much in them.
func TestDescriptorsOfAll(t *testing.T) {
	for _, path := range thriftFiles(t, "../testdata/ok") {
		progs, errs := model.Load([]string{path}, model.Options{})
		if errs.Fatal() {
			t.Fatal(errs)
		}
		text, err := Descriptors(progs)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		set, err := descriptor.Parse(text)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		structs, constants, functions := 0, 0, 0
		count := func(list []*model.Program) {
			for _, p := range list {
				structs += len(p.Structs)
				constants += len(p.Consts)
				for _, s := range p.Services {
					functions += len(s.Functions)
				}
			}
		}
		count(progs)
		for _, f := range set.Files {
			structs -= len(f.Structs)
			constants -= len(f.Consts)
			for _, s := range f.Services {
				functions -= len(s.Functions)
			}
		}
		if structs != 0 || constants != 0 || functions != 0 || len(set.Files) != len(progs) {
			t.Errorf("%s: %d structs, %d constants, %d functions are missing; %d files of %d", path, structs, constants, functions, len(set.Files), len(progs))
		}
	}
}

// Code with descriptors builds, where a field has the method's name too, and a program that
// never asks for them doesn't have their text.
func TestDescriptorsInAProgram(t *testing.T) {
	module := newModule(t, "described")
	idl := filepath.Join(module, "a.thrift")
	source := "namespace go a\nstruct Item { 1: string thrift_descriptor (mark = \"find me in the program\") }\nstruct Other { 1: Item item }\n"
	if err := os.WriteFile(idl, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	progs, errs := model.Load([]string{idl}, model.Options{})
	if errs.Fatal() {
		t.Fatal(errs)
	}
	files, err := Generate(progs, Options{Out: module, PackagePrefix: "described", Descriptors: true})
	if err != nil {
		t.Fatal(err)
	}
	writeFiles(t, files)
	for name, use := range map[string]string{
		"silent": `println(new(a.Other).String())`,
		"asking": `println(new(a.Other).ThriftDescriptor().Field("item").Type.String(), a.ThriftDescriptorsA().Struct("Item").Field("thrift_descriptor").Annotations["mark"])`,
	} {
		dir := filepath.Join(module, name)
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte("package main\n\nimport \"described/a\"\n\nfunc main() { "+use+" }\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		if out, err := goIn(module, "build", "-o", "./"+name, "./"+name); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		program, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if has := bytes.Contains(program, []byte("find me in the program")); has != (name == "asking") {
			t.Errorf("%s: its program has the text: %v", name, has)
		}
		out, err := goIn(module, "run", "./"+name)
		if err != nil || name == "asking" && !strings.Contains(string(out), "a.Item find me in the program") {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}
