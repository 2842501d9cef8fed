package gen

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
)

// load checks programs that are given as text, by the names of their files.
func load(t *testing.T, files map[string]string, roots ...string) []*model.Program {
	t.Helper()
	return loadAs(t, model.Options{}, files, roots...)
}

func loadAs(t *testing.T, opt model.Options, files map[string]string, roots ...string) []*model.Program {
	t.Helper()
	opt.ReadFile = func(path string) ([]byte, error) {
		text, ok := files[path]
		if !ok {
			return nil, fs.ErrNotExist
		}
		return []byte(text), nil
	}
	progs, errs := model.Load(roots, opt)
	if errs.Fatal() {
		t.Fatal(errs)
	}
	return progs
}

func TestExported(t *testing.T) {
	for name, want := range map[string]string{
		"name":        "Name",
		"Name":        "Name",
		"user_id":     "UserID",
		"userId":      "UserID",
		"userID":      "UserID",
		"user_ids":    "UserIds",
		"id":          "ID",
		"Id":          "ID",
		"HttpServer":  "HTTPServer",
		"httpURL":     "HTTPURL",
		"jsonRpc":     "JSONRPC",
		"utf8_text":   "UTF8Text",
		"MAX_SIZE":    "MAX_SIZE",
		"Foo_Bar":     "Foo_Bar",
		"foo_Bar":     "Foo_Bar",
		"foo__bar":    "Foo_Bar",
		"field_1":     "Field_1",
		"field1":      "Field1",
		"_private":    "Private",
		"__x":         "X_X",
		"_":           "X_",
		"_1":          "X_1",
		"trailing_":   "Trailing_",
		"with.dot":    "WithDot",
		"identity":    "Identity",
		"idle":        "Idle",
		"uuidOfOrder": "UUIDOfOrder",
		"grüße":       "Gr_E",
	} {
		if got := exported(name); got != want {
			t.Errorf("%s becomes %s, want %s", name, got, want)
		}
	}
}

func TestParameter(t *testing.T) {
	taken := map[string]bool{"ctx": true}
	for _, c := range [][2]string{
		{"name", "name"}, {"Name", "name_"}, {"user_id", "userID"}, {"ID", "id"}, {"HTTPServer", "httpServer"},
		{"type", "type_"}, {"string", "string_"}, {"ctx", "ctx_"}, {"len", "len_"}, {"MAX_SIZE", "max_SIZE"}, {"_", "x_"},
	} {
		if got := parameter(c[0], taken); got != c[1] {
			t.Errorf("%s becomes %s, want %s", c[0], got, c[1])
		}
	}
}

// fieldsOf are the Go names of a struct's fields.
func fieldsOf(t *testing.T, fields string) []string {
	t.Helper()
	progs := load(t, map[string]string{"a.thrift": "struct S {" + fields + "}"}, "a.thrift")
	made := fieldNames(progs[0].Structs[0], NamingGo)
	var list []string
	for _, x := range progs[0].Structs[0].Fields {
		list = append(list, made[x])
	}
	return list
}

func TestFieldNames(t *testing.T) {
	for _, c := range []struct{ fields, want string }{
		{"1: i32 a 2: i32 b", "A B"},
		{"1: i32 equal 2: i32 clone 3: i32 string_ 4: i32 error", "Equal_ Clone_ String_ Error_"},
		{"1: i32 read 2: i32 write 3: i32 b_length 4: i32 fast_read", "Read_ Write_ BLength_ FastRead_"},
		{"1: i32 user_id 2: i32 userId 3: i32 UserID", "UserID UserID_ UserID__"},
		{"1: i32 equal 2: i32 equal_", "Equal_ Equal__"},
		{"1: i32 name 2: i32 get_name", "Name GetName_"},
		{"1: i32 get_name 2: i32 name", "GetName_ Name"},
		{"1: i32 get_name", "GetName"},
		{"1: i32 name 2: i32 get_name 3: i32 get_get_name_", "Name GetName_ GetGetName__"},
		{"1: i32 unknown_fields", "UnknownFields_"},
	} {
		if got := strings.Join(fieldsOf(t, c.fields), " "); got != c.want {
			t.Errorf("%s: got %s, want %s", c.fields, got, c.want)
		}
	}
}

// Whatever the names are: no field is another's name, a method or a getter.
func FuzzFieldNames(f *testing.F) {
	f.Add("get_name name Get_name getName _get_name get_get_name equal Equal get_equal")
	f.Add("a A _a __a a_ get_a GetA get_get_a GetGetA getGetA_")
	f.Fuzz(func(t *testing.T, words string) {
		s := &model.Struct{Program: &model.Program{}}
		for i, word := range strings.Fields(words) {
			s.Fields = append(s.Fields, &model.Field{ID: int16(i), Name: word})
		}
		made := fieldNames(s, NamingGo)
		seen := map[string]bool{}
		for _, x := range s.Fields {
			name := made[x]
			if seen[name] || methods[name] {
				t.Errorf("%q: two things are called %s", words, name)
			}
			seen[name] = true
		}
		for _, x := range s.Fields {
			if seen["Get"+made[x]] {
				t.Errorf("%q: field and getter Get%s", words, made[x])
			}
		}
	})
}

func TestNamesOnTopLevel(t *testing.T) {
	progs := load(t, map[string]string{"a.thrift": `
		struct user_id {}
		struct userId {}
		struct Foo {}
		struct NewFoo {}
		enum Colour { RED, red, ParseColour }
		struct ParseColour {}
		typedef i32 STORE
		struct StoreClient {}
		const i32 Foo_ = 1
		const i32 foo = 2
		service Store { void get() }
		struct StoreGetArgs {}
	`}, "a.thrift")
	g := &generator{opt: &Options{}, naming: NamingGo, names: map[*model.Program]*names{}}
	n := g.namesOf(progs[0])
	for thrift, want := range map[string]string{
		"user_id": "UserID", "userId": "UserID_", "Foo": "Foo", "NewFoo": "NewFoo", "Colour": "Colour", "ParseColour": "ParseColour",
		"STORE": "STORE", "StoreClient": "StoreClient", "StoreGetArgs": "StoreGetArgs",
	} {
		if got := n.types[thrift]; got != want {
			t.Errorf("type %s is %s, want %s", thrift, got, want)
		}
	}
	for _, c := range [][2]string{
		{n.makers["Foo"], "NewFoo_"}, {n.makers["NewFoo"], "NewNewFoo"}, {n.parsers["Colour"], "ParseColour_"},
		{n.consts["foo"], "Foo__"}, {n.consts["Foo_"], "Foo_"}, {n.services["Store"], "Store_"}, {n.kitex["Store_get_args"], "Store_GetArgs"},
	} {
		if c[0] != c[1] {
			t.Errorf("got %s, want %s", c[0], c[1])
		}
	}
	var all []string
	for _, name := range n.all {
		all = append(all, name.goName)
	}
	slices.Sort(all)
	if len(slices.Compact(slices.Clone(all))) != len(all) {
		t.Errorf("a name is given twice: %v", all)
	}
}
