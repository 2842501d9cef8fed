package kitexmask

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cloudwego/kitex/client"
	"github.com/cloudwego/kitex/server"

	shop "github.com/seamgo/seam/bench/thrift/kitexmask/gen/catalog"
	"github.com/seamgo/seam/bench/thrift/kitexmask/gen/catalog/catalog"
	"github.com/seamgo/seam/bench/thrift/kitexpeer"
	"github.com/seamgo/seam/thrift"
	"github.com/seamgo/seam/thrift/fieldmask"
)

func item(sku string, parts int) *shop.Item {
	i := &shop.Item{Sku: sku, Title: "a title", Note: thrift.Ptr("a note"), ByName: map[string]*shop.Part{}}
	for n := range parts {
		p := &shop.Part{Id: int64(n), Name: fmt.Sprint("part ", n), Price: thrift.Ptr(1.5)}
		i.Parts = append(i.Parts, p)
		i.ByName[p.Name] = p
	}
	return i
}

type handler struct{}

func (*handler) Get(_ context.Context, sku string, paths []string) (*shop.Item, error) {
	m, err := fieldmask.New[shop.Item](paths...)
	if err != nil {
		return nil, err
	}
	i := item(sku, 3)
	i.Set_FieldMask(m)
	return i, nil
}

// All has a mask for every other item.
func (*handler) All(_ context.Context, paths []string) (list []*shop.Item, err error) {
	m, err := fieldmask.New[shop.Item](paths...)
	for n := range 4 {
		i := item(fmt.Sprint(n), 1)
		if n%2 == 0 {
			i.Set_FieldMask(m)
		}
		list = append(list, i)
	}
	return list, err
}

func (*handler) Put(_ context.Context, i *shop.Item) (string, error) { return show(i), nil }

// show says what there is of an item.
func show(i *shop.Item) string {
	var parts []string
	for _, p := range i.Parts {
		parts = append(parts, fmt.Sprintf("%d %s %t", p.Id, p.Name, p.Price != nil))
	}
	for name := range i.ByName {
		parts = append(parts, name)
	}
	slices.Sort(parts)
	return fmt.Sprintf("%s %s %t %q", i.Sku, i.Title, i.Note != nil, parts)
}

// A mask goes through Kitex's server and client by all of its transports for Thrift, in
// results, in lists of them and in arguments.
func TestMasksByKitex(t *testing.T) {
	address := kitexpeer.Serve(t, func(o ...server.Option) server.Server { return catalog.NewServer(new(handler), o...) })
	for by, protocol := range kitexpeer.Transports {
		t.Run(by, func(t *testing.T) {
			c, err := catalog.NewClient("catalog", append(kitexpeer.Options(address, protocol), client.WithRPCTimeout(time.Minute))...)
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range []struct {
				paths []string
				want  string
			}{
				{nil, `a a title true ["0 part 0 true" "1 part 1 true" "2 part 2 true" "part 0" "part 1" "part 2"]`},
				{[]string{"$.title"}, `a a title false []`}, // required fields are there whatever a mask says
				{[]string{"$.note", "$.parts[1].price"}, `a  true ["1  true"]`},
				{[]string{`$.by_name{"part 2"}`, "$.parts[*].name"}, `a  false ["0 part 0 false" "1 part 1 false" "2 part 2 false" "part 2"]`},
			} {
				got, err := c.Get(t.Context(), "a", x.paths)
				if err != nil {
					t.Errorf("%q: %v", x.paths, err)
				} else if text := show(got); text != x.want {
					t.Errorf("%q: %s, want %s", x.paths, text, x.want)
				}
				arg := item("a", 3)
				arg.Set_FieldMask(fieldmask.Must(fieldmask.New[shop.Item](x.paths...)))
				if text, err := c.Put(t.Context(), arg); err != nil || text != x.want {
					t.Errorf("%q, as an argument: %s, want %s (%v)", x.paths, text, x.want, err)
				}
			}
			list, err := c.All(t.Context(), []string{"$.title"})
			if err != nil {
				t.Fatal(err)
			}
			for n, i := range list {
				if masked := len(i.Parts) == 0; masked != (n%2 == 0) || i.Title == "" {
					t.Errorf("item %d: %s", n, show(i))
				}
			}
			if _, err := c.Get(t.Context(), "a", []string{"$.parts[*].nme"}); err == nil || !strings.Contains(err.Error(), `no field "nme"`) {
				t.Errorf("a path that is wrong: %v", err)
			}
		})
	}
}

// BenchmarkMask is what a mask costs: a part of an item is encoded as Kitex does it.
func BenchmarkMask(b *testing.B) {
	for _, x := range []struct {
		name  string
		paths []string
	}{
		{"none", nil}, {"one-field", []string{"$.title"}}, {"half", []string{"$.title", "$.parts[*].name"}}, {"all", []string{"$.*"}},
	} {
		for _, parts := range []int{2, 50} {
			b.Run(fmt.Sprintf("parts=%d/mask=%s", parts, x.name), func(b *testing.B) {
				i := item("a", parts)
				if x.paths != nil {
					i.Set_FieldMask(fieldmask.Must(fieldmask.New[shop.Item](x.paths...)))
				}
				buf := make([]byte, 1<<20)
				n := 0
				for b.Loop() {
					n = i.FastWriteNocopy(buf, nil)
				}
				b.SetBytes(int64(n))
			})
		}
	}
}
