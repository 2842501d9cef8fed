package codec_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/seamgo/seam/thrift/codec"
)

// Decoders expect the fields in order; any other is as good, and a field may come twice.
func TestFieldsInAnyOrder(t *testing.T) {
	moved := 0
	codecCases(t, 20, func(t *testing.T, c codecCase) {
		m := c.message()
		fields := codec.Fields(encode(t, m, c.c), c.c)
		rng := rand.New(rand.NewPCG(c.seed, 7))
		for range 10 {
			if n := len(fields); n > 0 && rng.IntN(3) == 0 {
				fields = append(fields, fields[rng.IntN(n)])
			}
			got := c.make()
			if err := decode(append(bytes.Join(fields, nil), 0), got, c.c); err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			if !equal(got, m) {
				t.Fatalf("%s: %s", c.name, difference(got, m))
			}
			if len(fields) > 1 {
				moved++
			}
			rng.Shuffle(len(fields), func(i, k int) { fields[i], fields[k] = fields[k], fields[i] })
		}
	})
	if moved < 1000 {
		t.Errorf("only %d messages had fields to move", moved)
	}
}
