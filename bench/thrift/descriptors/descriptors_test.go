package descriptors

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cloudwego/thriftgo/parser"
	"github.com/cloudwego/thriftgo/semantic"
	"github.com/cloudwego/thriftgo/thrift_reflection"

	"github.com/seamgo/seam/thrift/descriptor"
)

// Both say the same of a Thrift file: names, numbers, types, what is required, annotations,
// functions and what they throw.
func TestThriftgoSaysTheSame(t *testing.T) {
	for _, path := range []string{"../../../thrift/generic/testdata/shop.thrift", "../idl/shapes.thrift", "../idl/order.thrift", "../conform/conform.thrift"} {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			// Neither UUIDs nor references are known to thriftgo.
			strange := func(line string) bool { return strings.Contains(line, "uuid") || strings.Contains(line, " & ") }
			if strange(string(text)) {
				var known []string
				for line := range strings.Lines(string(text)) {
					if !strange(line) {
						known = append(known, line)
					}
				}
				path = filepath.Join(t.TempDir(), filepath.Base(path))
				if err := os.WriteFile(path, []byte(strings.Join(known, "")), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			c := exec.Command("go", "run", "github.com/seamgo/seam/cmd/seam", "gen", "descriptors", path)
			c.Stderr = os.Stderr
			out, err := c.Output()
			if err != nil {
				t.Fatal(err)
			}
			set, err := descriptor.Parse(out)
			if err != nil {
				t.Fatal(err)
			}
			ast, err := parser.ParseFile(path, nil, true)
			if err != nil {
				t.Fatal(err)
			}
			if err := semantic.ResolveSymbols(ast); err != nil {
				t.Fatal(err)
			}
			ours, theirs := lines(set.File(filepath.Base(path))), theirLines(thrift_reflection.GetFileDescriptor(ast))
			if len(ours) < 5 || !slices.Equal(ours, theirs) {
				for _, l := range ours {
					if !slices.Contains(theirs, l) {
						t.Errorf("only ours:   %s", l)
					}
				}
				for _, l := range theirs {
					if !slices.Contains(ours, l) {
						t.Errorf("only theirs: %s", l)
					}
				}
				t.Errorf("%d lines, thriftgo has %d", len(ours), len(theirs))
			}
		})
	}
}

func lines(f *descriptor.File) (list []string) {
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	// Names of the file's own types have no file in front, as in the source.
	typ := func(t *descriptor.Type) string { return strings.ReplaceAll(t.String(), f.Name+".", "") }
	note := func(a descriptor.Annotations) string {
		many := map[string][]string{}
		for key, value := range a {
			many[key] = []string{value}
		}
		return fmt.Sprint(many)
	}
	fields := func(of string, list []*descriptor.Field) {
		for _, x := range list {
			add("%s.%s %d %s %s %v %s", of, x.Name, x.ID, typ(x.Type), x.Requiredness, x.Default != nil, note(x.Annotations))
		}
	}
	for language, name := range f.Namespaces {
		add("namespace %s %s", language, name)
	}
	for _, x := range f.Includes {
		add("include %s", x.Name)
	}
	for _, x := range f.Typedefs {
		add("typedef %s %s %s", x.Name, typ(x.Type), note(x.Annotations))
	}
	for _, x := range f.Consts {
		add("const %s %s", x.Name, typ(x.Type))
	}
	for _, x := range f.Enums {
		add("enum %s %s", x.Name, note(x.Annotations))
		for _, v := range x.Values {
			add("%s.%s %d %s", x.Name, v.Name, v.Value, note(v.Annotations))
		}
	}
	for _, x := range f.Structs {
		add("%s %s %s", x.Category, x.Name, note(x.Annotations))
		fields(x.Name, x.Fields)
	}
	for _, x := range f.Services {
		base := ""
		if x.Extends != nil {
			base = strings.TrimPrefix(x.Extends.File.Name+"."+x.Extends.Name, f.Name+".")
		}
		add("service %s extends %s %s", x.Name, base, note(x.Annotations))
		for _, fn := range x.Functions {
			name := x.Name + "." + fn.Name
			add("%s returns %s, oneway %v %s", name, typ(fn.Success()), fn.Oneway, note(fn.Annotations))
			fields(name, fn.Args.Fields)
			fields(name+" throws", fn.Throws())
		}
	}
	slices.Sort(list)
	return list
}

func theirLines(f *thrift_reflection.FileDescriptor) (list []string) {
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	var typ func(t *thrift_reflection.TypeDescriptor) string
	typ = func(t *thrift_reflection.TypeDescriptor) string {
		switch {
		case t == nil:
			return "void"
		case t.KeyType != nil:
			return "map<" + typ(t.KeyType) + "," + typ(t.ValueType) + ">"
		case t.ValueType != nil:
			return t.Name + "<" + typ(t.ValueType) + ">"
		case t.Name == "byte":
			return "i8"
		}
		return t.Name
	}
	note := func(a map[string][]string) string { return fmt.Sprint(a) }
	fields := func(of string, list []*thrift_reflection.FieldDescriptor) {
		for _, x := range list {
			add("%s.%s %d %s %s %v %s", of, x.Name, x.ID, typ(x.Type), strings.ToLower(x.Requiredness), x.DefaultValue != nil, note(x.Annotations))
		}
	}
	for language, name := range f.Namespaces {
		add("namespace %s %s", language, name)
	}
	for name := range f.Includes {
		add("include %s", name)
	}
	for _, x := range f.Typedefs {
		add("typedef %s %s %s", x.Alias, typ(x.Type), note(x.Annotations))
	}
	for _, x := range f.Consts {
		add("const %s %s", x.Name, typ(x.Type))
	}
	for _, x := range f.Enums {
		add("enum %s %s", x.Name, note(x.Annotations))
		for _, v := range x.Values {
			add("%s.%s %d %s", x.Name, v.Name, v.Value, note(v.Annotations))
		}
	}
	for _, of := range []struct {
		word string
		list []*thrift_reflection.StructDescriptor
	}{{"struct", f.Structs}, {"union", f.Unions}, {"exception", f.Exceptions}} {
		for _, x := range of.list {
			add("%s %s %s", of.word, x.Name, note(x.Annotations))
			fields(x.Name, x.Fields)
		}
	}
	for _, x := range f.Services {
		add("service %s extends %s %s", x.Name, x.Base, note(x.Annotations))
		for _, fn := range x.Methods {
			name := x.Name + "." + fn.Name
			add("%s returns %s, oneway %v %s", name, typ(fn.Response), fn.IsOneway, note(fn.Annotations))
			fields(name, fn.Args)
			fields(name+" throws", fn.ThrowExceptions)
		}
	}
	slices.Sort(list)
	return list
}
