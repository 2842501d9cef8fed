//seam:test race 386

package descriptor

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

func shopText(t testing.TB) []byte {
	text, err := os.ReadFile("../generic/testdata/shop.json")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestNamesAreFound(t *testing.T) {
	set, err := Parse(shopText(t))
	if err != nil {
		t.Fatal(err)
	}
	order := set.Struct("shop.Order")
	if order == nil || order != set.Struct("Order") || order.Annotations["table"] != "orders" || !strings.Contains(order.Doc, "An order.") || order.Category != Plain {
		t.Fatalf("%+v", order)
	}
	id := order.Field("id")
	if id != order.ByID(1) || id.Requiredness != Required || id.Type.Kind != I64 || id.Annotations["api.path"] != "id" || id.Annotations["key"] != "1" {
		t.Errorf("%+v", id)
	}
	for name, want := range map[string]string{
		"items": "list<shop.Item>", "prices": "map<shop.Color,double>", "owner": "base.Id", "seen": "map<shop.Item,bool>", "raw": "binary",
	} {
		if got := order.Field(name).Type.String(); got != want {
			t.Errorf("%s is a %s, want %s", name, got, want)
		}
	}
	if owner := order.Field("owner").Type; owner.Kind != I64 || owner.Typedef != set.Typedef("base.Id") || owner.Typedef.Annotations["unit"] != "1" {
		t.Errorf("%+v", owner)
	}
	if most := order.Field("most").Default; most.Int != 50 || most.Const != set.Const("MOST") {
		t.Errorf("%+v", most)
	}
	if c := set.Enum("Color"); c.Value("GREEN").Value != 2 || c.ByNumber(1).Annotations["hex"] != "f00" || c.Value("BLUE") != nil {
		t.Errorf("%+v", c)
	}
	if order.Field("parent").Type.Struct != order || set.Struct("Choice").Category != Union || set.Struct("NotFound").Category != Exception {
		t.Error("structs are mixed up")
	}
	s := set.Service("Orders")
	get := s.Function("get")
	if s.Extends != set.Service("base.Health") || s.Function("ping").Success().Kind != Bool || get.Annotations["http"] != "GET" || get.Success().Struct != order ||
		len(get.Throws()) != 1 || get.Throws()[0].Type.Struct != set.Struct("NotFound") || !s.Function("note").Oneway || s.Function("put").Success().Kind != Void {
		t.Errorf("%+v", s)
	}
	if f := set.File("shop.thrift"); f.Includes[0] != set.File("base") || f.Namespaces["go"] != "shop" {
		t.Errorf("%+v", f)
	}
	for _, name := range []string{"Nothing", "base.Order", "shop.", "."} {
		if set.Struct(name) != nil || set.Service(name) != nil {
			t.Errorf("%s is there", name)
		}
	}
	again, err := Encode(set)
	if err != nil || !bytes.Equal(again, bytes.TrimSpace(shopText(t))) {
		t.Errorf("it is written as %s, %v", again, err)
	}
}

func TestTextsThatAreRefused(t *testing.T) {
	file := func(text string) string {
		return `{"seamDescriptors":1,"files":[{"path":"a.thrift","name":"a",` + text + `}]}`
	}
	double := `{"name":"T0","type":"map<i8,i8>"}`
	for c := 'a'; c < 'z'; c++ {
		before := "T0"
		if c > 'a' {
			before = "T" + string(c-1)
		}
		double += `,{"name":"T` + string(c) + `","type":"map<0.` + before + `,0.` + before + `>"}`
	}
	for in, want := range map[string]string{
		"":                        "no file of seam gen descriptors",
		"{}":                      "version 0, want 1",
		`{"seamDescriptors":2}`:   "version 2",
		`{"seamDescriptors":1}{}`: "more behind it",
		file(`"includes":[0]`):    "isn't before it",
		file(`"includes":[-1]`):   "isn't before it",
		file(`"typedefs":[{"name":"A","type":"0.A"}]`):                                                                        "leads to itself",
		file(`"typedefs":[{"name":"A","type":"list<0.B>"},{"name":"B","type":"set<0.A>"}]`):                                   "leads to itself",
		file(`"typedefs":[` + double + `]`):                                                                                   "more than 1024 parts",
		file(`"typedefs":[{"name":"A","type":"` + strings.Repeat("list<", 99) + `"}]`):                                        "64 deep",
		file(`"typedefs":[{"name":"A","type":"list<i8"}]`):                                                                    "no type",
		file(`"typedefs":[{"name":"A","type":"i8>"}]`):                                                                        "no type",
		file(`"typedefs":[{"name":"A","type":"9.B"}]`):                                                                        "no type",
		file(`"typedefs":[{"name":"A","type":"struct"}]`):                                                                     "no type",
		file(`"typedefs":[{"name":"A","type":"list<void>"}]`):                                                                 "no type",
		file(`"typedefs":[{"name":"A","type":"i8"}],"enums":[{"name":"A"}]`):                                                  "there twice",
		file(`"enums":[{"name":""}]`):                                                                                         "no name",
		file(`"enums":[{"name":"A","members":[{"name":"\"x"}]}]`):                                                             "no name",
		file(`"structs":[{"name":"A","kind":"class"}]`):                                                                       "neither struct",
		file(`"structs":[{"name":"A","kind":"struct","members":[{"name":"x","type":"void"}]}]`):                               "is void",
		file(`"structs":[{"name":"A","kind":"struct","members":[{"name":"x","type":"i8"},{"name":"x","id":1,"type":"i8"}]}]`): "two fields",
		file(`"structs":[{"name":"A","kind":"struct","members":[{"name":"x","type":"i8","value":{"int":128}}]}]`):             "128 is no i8",
		file(`"structs":[{"name":"A","kind":"struct","members":[{"name":"x","type":"double","value":{}}]}]`):                  "no double",
		file(`"structs":[{"name":"A","kind":"struct","members":[{"name":"x","type":"list<i8>","value":{"list":[null]}}]}]`):   "missing",
		file(`"consts":[{"name":"A","type":"i8","value":{"const":"0.A"}}]`):                                                   "leads to itself",
		file(`"consts":[{"name":"A","type":"i8"}]`):                                                                           "no value",
		file(`"consts":[{"name":"A","type":"i8","value":{}},{"name":"B","type":"bool","value":{"const":"0.A"}}]`):             "another type",
		file(`"services":[{"name":"A","type":"0.A"}]`):                                                                        "isn't before it",
		file(`"services":[{"name":"A","type":"0.B"}]`):                                                                        "no service",
	} {
		if _, err := Parse([]byte(in)); err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 300 {
			t.Errorf("%.100s: %v, want %s", in, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(shopText(f))
	f.Add([]byte(`{"seamDescriptors":1,"files":[{"path":"a","name":"a","typedefs":[{"name":"A","type":"map<i8,list<0.B>>"},{"name":"B","type":"uuid"}]}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		set, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Encode(set)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		set, err = Parse(again)
		if err != nil {
			t.Fatalf("%s is written as %s: %v", text, again, err)
		}
		if third, err := Encode(set); err != nil || !bytes.Equal(again, third) {
			t.Fatalf("%s is written as %s, %v", again, third, err)
		}
	})
}
