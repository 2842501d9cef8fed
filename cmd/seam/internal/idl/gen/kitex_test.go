package gen

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
	"github.com/seamgo/seam/internal/testenv"
)

const shop = `namespace go shop
enum Colour { RED = 1, GREEN = 2 }
struct Item { 1: optional string name = "x"; 2: optional i32 n }
exception Gone { 1: string why }
service Base { void ping() }
service Shop extends Base {
  Item get(1: i64 id, 2: Item shop) throws (1: Gone gone)
  Colour colour()
  oneway void tell(1: string server, 2: string ctx)
}
service Client { i32 count(1: list<Item> methods) }
service Talk {
  Item chat(1: Item streaming) (streaming.mode = "bidirectional")
  Item put_all(1: Item item) throws (1: Gone gone) (streaming.mode = "client")
  Item all(1: Item client) (streaming.mode = "server")
  Item one(1: Item some) throws (1: Gone gone) (streaming.mode = "unary")
}
service low_args extends Talk { void plain() }
`

// What is written for a server is built, and what its owner has made of it is kept.
func TestKitexMain(t *testing.T) {
	testenv.Builds(t)
	opt := Options{PackagePrefix: "app/gen", Kitex: true}
	generate := func(text, dir string) map[string][]byte {
		t.Helper()
		progs := loadAs(t, model.Options{KeepStreams: true, Kitex: true}, map[string]string{"shop.thrift": text}, "shop.thrift")
		opt.Out = filepath.Join(dir, "gen")
		files, err := Generate(progs, opt)
		if err != nil {
			t.Fatal(err)
		}
		writeFiles(t, files)
		old := map[string][]byte{}
		for _, name := range []string{"handler.go", "main.go", "own.go"} {
			if text, err := os.ReadFile(filepath.Join(dir, name)); err == nil {
				old[name] = text
			}
		}
		made, err := KitexMain(progs, opt, old)
		if err != nil {
			t.Fatal(err)
		}
		for name, text := range made {
			if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if out, err := goIn(dir, "vet", "./..."); err != nil {
			t.Fatalf("go vet: %v\n%s", err, out)
		}
		return made
	}
	dir := newModule(t, "app")
	made := generate(shop, dir)
	for _, want := range []string{"func (s *ShopImpl) Ping(", "func (s *ShopImpl) Get(ctx context.Context, id int64, shop *shop.Item) (resp *shop.Item, err error)", "type ClientImpl struct{}",
		"func (s *TalkImpl) Chat(stream shop.Talk_chatServer) error {", "func (s *TalkImpl) PutAll(stream shop.Talk_put_allServer) error {",
		"func (s *TalkImpl) All(req *shop.Item, stream shop.Talk_allServer) error {", "func (s *TalkImpl) One(ctx context.Context, some *shop.Item) (resp *shop.Item, err error) {"} {
		if !strings.Contains(string(made["handler.go"]), want) {
			t.Errorf("handler.go lacks %q:\n%s", want, made["handler.go"])
		}
	}
	if !strings.Contains(string(made["main.go"]), "RegisterService(s, new(ClientImpl))") {
		t.Errorf("main.go does not register all:\n%s", made["main.go"])
	}
	if made := generate(shop, dir); len(made) > 0 {
		t.Errorf("the same again changes files: %s", made)
	}
	// The owner moves a method to another file, changes one, and renames an import.
	text, _ := os.ReadFile(filepath.Join(dir, "handler.go"))
	changed := strings.NewReplacer(`"app/gen/shop"`, `types "app/gen/shop"`, "shop.Item", "types.Item", "shop.Colour", "types.Colour", "shop.Talk_", "types.Talk_").Replace(string(text))
	cut := strings.Index(changed, "// Ping is")
	end := cut + strings.Index(changed[cut:], "}\n") + 2
	own := "package main\n\nimport \"context\"\n\n" + changed[cut:end]
	changed = changed[:cut] + changed[end:]
	changed = strings.Replace(changed, "type ShopImpl struct{}", "type ShopImpl struct{ mine int } // kept", 1)
	os.WriteFile(filepath.Join(dir, "own.go"), []byte(own), 0o666)
	os.WriteFile(filepath.Join(dir, "handler.go"), []byte(changed), 0o666)
	made = generate(strings.Replace(shop, "Colour colour()", "Colour colour()\n  list<Item> all(1: Item like)", 1), dir)
	handler := string(made["handler.go"])
	for _, want := range []string{"mine int } // kept", "func (s *ShopImpl) All(ctx context.Context, like *types.Item) (resp []*types.Item, err error)"} {
		if !strings.Contains(handler, want) {
			t.Errorf("handler.go lacks %q:\n%s", want, handler)
		}
	}
	if strings.Contains(handler, "BaseImpl) Ping(") || strings.Count(handler, ") Get(") != 1 || made["main.go"] != nil {
		t.Errorf("something is there twice:\n%s", handler)
	}
	// What can't be read is not written over.
	if _, err := KitexMain(load(t, map[string]string{"shop.thrift": shop}, "shop.thrift"), opt, map[string][]byte{"handler.go": []byte("package main\nfunc {")}); err == nil {
		t.Error("a handler.go that can't be read is taken")
	}
}

// What no stream of Kitex's carries is refused where its code is asked for.
func TestWhatDoesNotStream(t *testing.T) {
	for function, want := range map[string]string{
		`S f(1: S a, 2: S b) (streaming.mode = "client")`:  "has 2 arguments",
		`S f() (streaming.mode = "server")`:                "has 0 arguments",
		`S f() (streaming.mode = "unary")`:                 "has 0 arguments",
		`S f(1: string a) (streaming.mode = "client")`:     "streams string",
		`list<S> f(1: S a) (streaming.mode = "server")`:    "returns list<S>",
		`void f(1: S a) (streaming.mode = "server")`:       "returns void",
		`oneway void f(1: S a) (streaming.mode = "unary")`: "is oneway and streams",
		`void f(1: string a) (streaming.mode = "unary")`:   "",
		`T f(1: T a) (streaming.mode = "bidirectional")`:   "",
	} {
		text := []byte("struct S {} typedef S T service V { " + function + " }")
		for _, keep := range []bool{true, false} {
			_, errs := model.Load([]string{"a.thrift"}, model.Options{KeepStreams: keep, Kitex: keep, ReadFile: func(string) ([]byte, error) { return text, nil }})
			var fatal []string
			for _, e := range errs {
				if !e.Warning {
					fatal = append(fatal, e.Error())
				}
			}
			if refused := keep && want != ""; refused != (len(fatal) == 1) || refused && !strings.Contains(fatal[0], want) {
				t.Errorf("%s (kept: %v): %q, want %q", function, keep, fatal, want)
			}
		}
	}
}

// The other functions of a service that streams are there, in its client, its server and what
// Kitex has to know; those that stream only where they are kept for Kitex, and not in our own
// client, processor and descriptors.
func TestStreamsAreLeftOut(t *testing.T) {
	const text = `struct P {} service S { P chat(1: P s) (streaming.mode = "bidirectional") P say(1: P s) }`
	for _, keep := range []bool{false, true} {
		progs := loadAs(t, model.Options{KeepStreams: keep, Kitex: keep}, map[string]string{"a.thrift": text}, "a.thrift")
		for _, opt := range []Options{{PackagePrefix: "p"}, {PackagePrefix: "p", Kitex: true, Descriptors: true}} {
			if keep && !opt.Kitex {
				continue
			}
			files, err := Generate(progs, opt)
			if err != nil {
				t.Fatal(err)
			}
			var all, descriptors []byte
			for _, f := range files {
				all = append(all, f.Text...)
				if strings.HasSuffix(f.Path, "_descriptors.go") {
					descriptors = f.Text
				}
			}
			if !bytes.Contains(all, []byte(") Say(")) || bytes.Contains(bytes.ToLower(all), []byte("chat")) != keep {
				t.Errorf("the code is not that of say, and of chat (%v):\n%s", keep, all)
			}
			if keep && !bytes.Contains(all, []byte("(UnimplementedS) Chat(stream S_chatServer) error")) {
				t.Errorf("a handler's type lacks the stream:\n%s", all)
			}
			for _, not := range []string{"(c *SClient) Chat", "handleChat(ctx context.Context, c *thrift.Call)"} {
				if bytes.Contains(all, []byte(not)) {
					t.Errorf("there is %q", not)
				}
			}
			if bytes.Contains(descriptors, []byte("chat")) || opt.Descriptors && !bytes.Contains(descriptors, []byte("say")) {
				t.Errorf("the descriptors are\n%s", descriptors)
			}
		}
	}
}

// A default that is held by value is left out where the field has it, and is what a reader
// has who didn't find the field.
func TestByValueIsUndone(t *testing.T) {
	progs := load(t, map[string]string{"a.thrift": `struct S { 1: optional i32 n = 3 }`}, "a.thrift")
	for _, c := range []struct {
		opt  Options
		want string
	}{{Options{Kitex: true}, "\tN int32 "}, {Options{}, "\tN *int32 "}} {
		c.opt.PackagePrefix = "p"
		files, err := Generate(progs, c.opt)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(files[0].Text), c.want) {
			t.Errorf("%+v: no %q in\n%s", c.opt, c.want, files[0].Text)
		}
	}
}

func TestKitexPackagesCollide(t *testing.T) {
	for name, c := range map[string]struct{ a, b, want string }{
		"with a namespace": {"namespace go api\ninclude \"b.thrift\"\nservice Echo { b.S f() }", "namespace go api.echo\nstruct S {}", "a.thrift:3:9: the package of service Echo would be api/echo, which is that of another file's namespace"},
		"with each other":  {"namespace go api\ninclude \"b.thrift\"\nservice Echo extends b.eCho {}", "namespace go api\nservice eCho {}", "would be api/echo, like that of service"},
	} {
		t.Run(name, func(t *testing.T) {
			progs := load(t, map[string]string{"a.thrift": c.a, "b.thrift": c.b}, "a.thrift")
			if _, err := Generate(progs, Options{PackagePrefix: "p", Kitex: true}); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %v, want %q", err, c.want)
			}
			if _, err := Generate(progs, Options{PackagePrefix: "p"}); err != nil {
				t.Error(err)
			}
		})
	}
}
