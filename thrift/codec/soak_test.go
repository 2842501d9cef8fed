package codec_test

import (
	"encoding/binary"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
	"github.com/seamgo/seam/thrift"
	"github.com/seamgo/seam/thrift/codec"
	"github.com/seamgo/seam/thrift/internal/kinds"
	bare "github.com/seamgo/seam/thrift/internal/kinds/small"
)

// TestStressDecoders gives each decoder a great many inputs, each made of earlier ones: what
// the fuzz targets check, in one process and so a hundred times as often. SEAM_STRESS says how
// many.
func TestStressDecoders(t *testing.T) {
	testenv.OneGoroutine(t)
	for _, c := range []codec.InCompact{false, true} {
		t.Run(c.String(), func(t *testing.T) {
			var seeds []soakInput
			for k, make := range kindsTypes {
				for seed := range uint64(3) {
					m := make()
					fill(m, seed)
					seeds = append(seeds, soakInput{encode(t, m, c), k})
				}
				for _, b := range hostile(t) {
					seeds = append(seeds, soakInput{b, k})
				}
			}
			soak(t, seeds, func(in soakInput, r *rand.Rand) error {
				opt := options(0)
				if r.IntN(2) == 0 {
					opt = options(byte(r.IntN(128)))
				}
				err := checkDecoders(t, kindsTypes[in.kind], in.b, c, opt)
				if err == nil && r.IntN(8) == 0 {
					checkDecoders(t, kindsTypes[in.kind], inOtherOrder(r, in.b, c), c, opt)
				}
				return err
			})
		})
		t.Run("skip/"+c.String(), func(t *testing.T) {
			var seeds []soakInput
			for _, make := range kindsTypes {
				m := make()
				fill(m, 3)
				seeds = append(seeds, soakInput{encode(t, m, c), int(codec.TypeStruct)})
			}
			for _, b := range hostile(t) {
				for _, typ := range codec.KnownTypes {
					seeds = append(seeds, soakInput{b, int(typ)})
				}
			}
			soak(t, seeds, func(in soakInput, r *rand.Rand) error {
				depth := 70
				if r.IntN(4) == 0 {
					depth = r.IntN(5)
				}
				checkSkip(t, codec.Type(in.kind), in.b, c, depth)
				if next, _ := codec.Skip(in.b, c, codec.Type(in.kind), depth); next < 0 {
					return thrift.ErrMalformed
				}
				return nil
			})
		})
		t.Run("stream/"+c.String(), func(t *testing.T) {
			var seeds []soakInput
			for k := range 4 {
				m := record(k)
				m.Items = append(m.Items, record(1), &bare.Item{Name: "b"})
				seeds = append(seeds, soakInput{encode(t, m, c), 0})
			}
			soak(t, seeds, func(in soakInput, r *rand.Rand) error {
				checkStream(t, in.b, c, r.IntN(2) == 0)
				return decode(in.b, new(bare.Item), c)
			})
		})
	}
	var texts, generics []soakInput
	for seed := range uint64(8) {
		m := new(kinds.Optionals)
		fill(m, seed)
		b := encode(t, m, false)
		generics = append(generics, soakInput{b, 1})
		if text, err := genericOptions.FromThrift(m.ThriftDescriptor(), b); err == nil {
			generics = append(generics, soakInput{text, 0})
		}
		if b, err := thrift.AppendJSON(nil, m); err == nil {
			texts = append(texts, soakInput{b, 0})
		}
	}
	t.Run("JSON", func(t *testing.T) {
		soak(t, texts, func(in soakInput, r *rand.Rand) error { return checkJSON(t, in.b) })
	})
	t.Run("generic JSON", func(t *testing.T) {
		soak(t, generics, func(in soakInput, r *rand.Rand) error { return checkGeneric(t, in.b, in.kind == 1) })
	})
}

// A soakInput is an input and what it is for.
type soakInput struct {
	b    []byte
	kind int
}

// soak makes inputs of those that it has, and keeps what does something new: is refused for
// another reason, or at another place, than all before. Now and then it keeps what was
// accepted, too.
func soak(t *testing.T, seeds []soakInput, check func(in soakInput, r *rand.Rand) error) {
	n := 2000
	if v := os.Getenv("SEAM_STRESS"); v != "" {
		f, err := strconv.ParseFloat(v, 64)
		if err != nil {
			t.Fatalf("SEAM_STRESS: %v", err)
		}
		n = int(f)
	}
	const most, longest = 1 << 13, 3000
	r := rand.New(rand.NewPCG(rand.Uint64(), uint64(n)))
	pool, accepted := seeds, 0
	seen := map[string]bool{}
	for k := range n {
		in := pool[r.IntN(len(pool))]
		if k < len(seeds) {
			in = seeds[k] // once as it is
		} else {
			in.b = soakChanged(r, in.b, pool[r.IntN(len(pool))].b)
		}
		if len(in.b) > longest {
			continue
		}
		err := check(in, r)
		if t.Failed() {
			t.Logf("kind %d", in.kind)
			return
		}
		why := strconv.Itoa(in.kind)
		if err != nil {
			why += strings.Map(func(c rune) rune {
				if c >= '0' && c <= '9' {
					return -1
				}
				return c
			}, err.Error())
			if len(why) > 200 {
				why = why[:200]
			}
		} else {
			accepted++
		}
		if !seen[why] || err == nil && r.IntN(32) == 0 {
			seen[why] = true
			if len(pool) < most {
				pool = append(pool, in)
			} else {
				pool[len(seeds)+r.IntN(most-len(seeds))] = in
			}
		}
	}
	if accepted == 0 || len(seen) < 5 {
		t.Errorf("of %d inputs %d were accepted, with %d outcomes: too few for a test", n, accepted, len(seen))
	}
	t.Logf("%d inputs, %d accepted, %d outcomes", n, accepted, len(seen))
}

// soakChanged is b with something else in it: bytes, a length, a part of another input.
func soakChanged(r *rand.Rand, b, other []byte) []byte {
	switch r.IntN(8) {
	case 0: // the beginning of one, the end of another
		if len(b) > 0 && len(other) > 0 {
			return append(append([]byte(nil), b[:r.IntN(len(b))]...), other[r.IntN(len(other)):]...)
		}
	case 1: // a part of another in between
		if len(b) > 0 && len(other) > 0 {
			k, from := r.IntN(len(b)), r.IntN(len(other))
			to := from + 1 + r.IntN(min(len(other)-from, 64))
			return append(append(append([]byte(nil), b[:k]...), other[from:to]...), b[k:]...)
		}
	case 2: // a length of the binary protocol
		if len(b) >= 4 {
			b = append([]byte(nil), b...)
			k := r.IntN(len(b) - 3)
			left := uint32(len(b) - k - 4)
			binary.BigEndian.PutUint32(b[k:], []uint32{0, 1, left, left + 1, left - 1, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 16, left / 2}[r.IntN(10)])
			return b
		}
	case 3: // a length of the compact protocol
		if len(b) > 0 {
			k := r.IntN(len(b))
			left := uint64(len(b) - k - 1)
			v := []uint64{0, left, left + 1, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32, 1<<63 - 1, 1 << 63}[r.IntN(9)]
			return append(append(append([]byte(nil), b[:k]...), binary.AppendUvarint(nil, v)...), b[k+1:]...)
		}
	case 4: // cut off
		if len(b) > 0 {
			return append([]byte(nil), b[:r.IntN(len(b))]...)
		}
	}
	return changed(r, b)
}

// inOtherOrder is a message with its fields in another order; some are left out, some twice.
func inOtherOrder(r *rand.Rand, b []byte, c codec.InCompact) []byte {
	fields := codec.Fields(b, c)
	r.Shuffle(len(fields), func(i, k int) { fields[i], fields[k] = fields[k], fields[i] })
	var all []byte
	for _, f := range fields {
		for range []int{0, 1, 1, 1, 1, 1, 2}[r.IntN(7)] {
			all = append(all, f...)
		}
	}
	return append(all, 0)
}
