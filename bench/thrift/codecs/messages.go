package codecs

import (
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/seamgo/seam/bench/thrift/peers/kitex"
)

// Wire holds the messages in the binary protocol, by name.
type Wire map[string][]byte

// Reference returns the messages that every library is given. They are the same in
// every process.
var Reference = sync.OnceValue(func() Wire {
	return Wire{
		"ex64":   fastWrite(Example(64)),
		"ex4096": fastWrite(Example(4096)),
		"order":  fastWrite(Order()),

		"log":      fastWrite(Log()),
		"blob":     fastWrite(Blob()),
		"points":   fastWrite(Points()),
		"counters": fastWrite(Counters()),
		"history":  fastWrite(History()),
		"table":    fastWrite(Table()),
	}
})

// Example returns a message of nested lists and maps: data1 is 8 lists of n.
func Example(n int) *kitex.Example {
	r := rand.New(rand.NewPCG(1, 2))
	e := &kitex.Example{Data2: map[int64][]int8{}}
	for range 8 {
		list := make([]int64, n)
		for i := range list {
			list[i] = anySize(r)
		}
		e.Data1 = append(e.Data1, list)
	}
	for len(e.Data2) < 16 {
		list := make([]int8, 32)
		for i := range list {
			list[i] = int8(r.Uint32())
		}
		e.Data2[anySize(r)] = list
	}
	for range 16 {
		m := map[int64]int8{}
		for len(m) < 8 {
			m[anySize(r)] = int8(r.Uint32())
		}
		e.Data3 = append(e.Data3, m)
	}
	return e
}

// anySize returns numbers of all lengths, which are as many bytes in the binary
// protocol and 1 to 10 in the compact one.
func anySize(r *rand.Rand) int64 { return int64(r.Uint64()) >> r.IntN(64) }

// Order returns a message as services send them.
func Order() *kitex.Order {
	items := []*kitex.Item{
		{Sku: "BK-10442-DE", Title: "The Practice of Programming", Quantity: 1, Cents: 3495},
		{Sku: "ST-00031-EU", Title: "Fountain pen, medium nib, blue", Quantity: 2, Cents: 2190, Discount: ptr(0.1)},
		{Sku: "ST-00207-EU", Title: "Ink bottle 50 ml", Quantity: 4, Cents: 890},
		{Sku: "PA-77120-EU", Title: "Notebook A5, dotted, 192 pages", Quantity: 3, Cents: 1290, Gift: true},
		{Sku: "BK-20917-UK", Title: "Elements of Style", Quantity: 1, Cents: 1199, Discount: ptr(0.25)},
		{Sku: "EL-55301-CN", Title: "Desk lamp, 4000 K, dimmable", Quantity: 1, Cents: 5900},
		{Sku: "EL-55388-CN", Title: "USB-C cable, 2 m", Quantity: 2, Cents: 1450},
		{Sku: "GF-00001-EU", Title: "Wrapping, green", Quantity: 1, Cents: 350, Gift: true},
	}
	return &kitex.Order{
		Id: 7_301_994_551_203, Customer: "c-4471-9920-ab", Email: "maria.lindqvist@example.com",
		Status: kitex.Status_PAID, Created: 1_763_721_600_123, Updated: 1_763_725_201_456,
		Paid: true, Total: 261.35, Version: 12, Currency: "EUR", Tags: []string{"repeat-customer", "gift", "eu-vat", "fragile"},
		Shipping: &kitex.Address{Name: "Maria Lindqvist", Street: "Storgatan 14B", City: "Umeå", Postcode: "903 26", Country: "SE", Phone: ptr("+46 90 555 0142")},
		Items:    items,
		Attributes: map[string]string{
			"channel": "web", "campaign": "autumn-2025", "locale": "sv_SE", "user-agent": "Mozilla/5.0 (X11; Linux x86_64)",
			"warehouse": "eu-north-1", "carrier": "postnord", "session": "5f0c2d9e4b7a4f6e", "experiment": "checkout-b",
		},
		Note:     ptr("Please leave the parcel with the neighbour."),
		Deadline: ptr(int64(1_764_028_800_000)),
	}
}

func ptr[T any](v T) *T { return &v }

// Equivalent says in which way two encoded messages differ: nil if they hold the
// same values, in whatever order maps were written.
func Equivalent(msg string, a, b []byte) error {
	return equivalents[msg](a, b)
}

var equivalents = map[string]func(a, b []byte) error{
	"ex64": equivalent[kitex.Example], "ex4096": equivalent[kitex.Example], "order": equivalent[kitex.Order],
	"log": equivalent[kitex.LogEvent], "blob": equivalent[kitex.Blob], "points": equivalent[kitex.Tracks],
	"counters": equivalent[kitex.Counters], "history": equivalent[kitex.History], "table": equivalent[kitex.Table],
}

func equivalent[T any, M interface {
	*T
	fastCodec
	DeepEqual(*T) bool
}](a, b []byte) error {
	x, y := M(new(T)), M(new(T))
	for _, side := range []struct {
		into M
		from []byte
	}{{x, a}, {y, b}} {
		if n, err := side.into.FastRead(side.from); err != nil || n != len(side.from) {
			return fmt.Errorf("%d of %d bytes read: %v", n, len(side.from), err)
		}
	}
	if !x.DeepEqual((*T)(y)) {
		return fmt.Errorf("got %v\nwant %v", x, y)
	}
	return nil
}
