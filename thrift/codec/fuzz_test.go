package codec_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
	"github.com/seamgo/seam/thrift"
	"github.com/seamgo/seam/thrift/codec"
	"github.com/seamgo/seam/thrift/internal/kinds/unknown/small"
)

// checkDecoders holds the generated decoder to the reference: both must
// accept the same bytes and give the same end, whatever the options are.
// What was accepted must come back when it is written again. It gives the error, if
// there was one.
func checkDecoders(t *testing.T, make func() thrift.Message, b []byte, c codec.InCompact, opt thrift.Options) error {
	t.Helper()
	fresh := make()
	n, err := decodeWith(b, fresh, c, opt)
	want, wantErr := codec.Reference(make(), b, c, opt)
	used := make()
	fillSome(used, uint64(len(b)%16))
	usedN, usedErr := decodeWith(b, used, c, opt)
	if outOfMemory(err) || outOfMemory(usedErr) {
		return err // the reference does not count memory, and a used object takes less
	}
	if (err == nil) != (wantErr == nil) || n != want {
		t.Fatalf("%s, %v, %+v: the decoder gives %d, %v, the reference %d, %v\n% x", typeName(fresh), c, opt, n, err, want, wantErr, b)
	}
	if n != usedN || fmt.Sprint(err) != fmt.Sprint(usedErr) {
		t.Fatalf("%s, %v, %+v: a used object gives %d, %v, a fresh one %d, %v\n% x", typeName(fresh), c, opt, usedN, usedErr, n, err, b)
	}
	if err != nil {
		checkDecodeError(t, typeName(fresh), b, err)
		if err.Error() != wantErr.Error() {
			t.Fatalf("%v, then %v", err, wantErr)
		}
		return err
	}
	if !equal(fresh, fresh) {
		return nil // it has a double that is not a number
	}
	if !equal(fresh, used) {
		t.Fatalf("%s, %v: a used object is read as another: %s\n% x", typeName(fresh), c, difference(used, fresh), b)
	}
	for _, to := range []codec.InCompact{false, true} {
		again, err := appendTo(nil, fresh, to)
		if err != nil {
			if !errors.Is(err, thrift.ErrUnion) { // its only member is unknown
				t.Fatalf("%s, %v: %v\n% x", typeName(fresh), to, err, b)
			}
			return nil
		}
		got := make()
		if _, err := decodeWith(again, got, to, thrift.Options{}); err != nil || !equal(got, fresh) {
			t.Fatalf("%s: written again in %v: %v: %s\n% x", typeName(fresh), to, err, difference(got, fresh), b)
		}
	}
	return nil
}

func outOfMemory(err error) bool {
	return errors.Is(err, thrift.ErrLimit) && strings.Contains(err.Error(), "Amplify")
}

// checkDecodeError holds an error to what it promises.
func checkDecodeError(t *testing.T, name string, b []byte, err error) {
	t.Helper()
	var e *thrift.DecodeError
	if !errors.As(err, &e) {
		t.Fatalf("%T is no *DecodeError", err)
	}
	if strings.Contains(err.Error(), "mistake of seam") {
		t.Fatalf("%v\n% x", err, b)
	}
	if e.Offset < 0 || e.Offset > len(b) || e.Err == nil {
		t.Fatalf("%v: the input has %d bytes\n% x", err, len(b), b)
	}
	if rest, ok := strings.CutPrefix(e.Path, name); !ok || rest != "" && rest[0] != '.' {
		t.Fatalf("%v: the path begins with %s", err, name)
	}
}

// options are chosen by the bits of a byte.
func options(bits byte) thrift.Options {
	opt := thrift.Options{Views: bits&1 != 0, UTF8: bits&2 != 0}
	if bits&4 != 0 {
		opt.Limits.Depth = 3
	}
	if bits&8 != 0 {
		opt.Limits.Container = 3
	}
	if bits&16 != 0 {
		opt.Limits.String = 5
	}
	if bits&32 != 0 {
		opt.Limits.Amplify = 1
	}
	if bits&64 != 0 {
		opt.Limits.Depth = 1
	}
	return opt
}

// changed is b with a few bytes that are other ones, and perhaps others
// between them or a part left out: the values that confuse decoders.
func changed(r *rand.Rand, b []byte) []byte {
	b = append([]byte(nil), b...)
	for range 1 + r.IntN(3) {
		if len(b) == 0 {
			break
		}
		k := r.IntN(len(b))
		v := []byte{0, 1, 2, 0x7F, 0x80, 0xFF, 8, 11, 12, 13, 15, b[k] + 1, b[k] - 1, b[k] ^ 0x80, byte(r.IntN(256))}[r.IntN(15)]
		switch r.IntN(8) {
		case 0:
			b = append(b[:k], b[k+1:]...)
		case 1:
			b = append(b[:k], append([]byte{v}, b[k:]...)...)
		case 2:
			j := k + r.IntN(len(b)-k)
			b = append(b[:j], b[k:]...) // a part twice
		default:
			b[k] = v
		}
	}
	return b
}

func TestDecodersAgreeOnBytesThatWereChanged(t *testing.T) {
	testenv.OneGoroutine(t)
	codecCases(t, 25, func(t *testing.T, c codecCase) {
		r := rand.New(rand.NewPCG(c.seed, 7))
		b := encode(t, c.message(), c.c)
		if len(b) > 3000 {
			return
		}
		for round := range 60 {
			opt := options(0)
			if round%2 == 0 {
				opt = options(byte(r.IntN(128)))
			}
			checkDecoders(t, c.make, changed(r, b), c.c, opt)
		}
		for bit := range 7 {
			checkDecoders(t, c.make, b, c.c, options(1<<bit))
		}
	})
}

func TestEveryTruncationIsRefused(t *testing.T) {
	testenv.OneGoroutine(t)
	codecCases(t, 8, func(t *testing.T, c codecCase) {
		b := encode(t, c.message(), c.c)
		step := 1 + len(b)/150
		for n := 0; n < len(b); n += step {
			m := c.make()
			err := decode(b[:n:n], m, c.c)
			if err == nil {
				t.Fatalf("%s: %d of %d bytes are accepted", c.name, n, len(b))
			}
			checkDecodeError(t, typeName(m), b[:n], err)
			if !errors.Is(err, thrift.ErrTruncated) && !errors.Is(err, thrift.ErrLength) {
				t.Fatalf("%s: %d of %d bytes: %v", c.name, n, len(b), err)
			}
			if _, wantErr := codec.Reference(m, b[:n], c.c, thrift.Options{}); fmt.Sprint(wantErr) != err.Error() {
				t.Fatalf("%s: %v, the reference says %v", c.name, err, wantErr)
			}
		}
		m := c.make()
		if err := decode(append(b, 0), m, c.c); !errors.Is(err, thrift.ErrTrailing) {
			t.Fatalf("%s: a byte more: %v", c.name, err)
		}
		if n, err := decodeWith(append(b, 0), m, c.c, thrift.Options{}); n != len(b) || err != nil {
			t.Fatalf("%s: a byte more, which may be there: %d of %d bytes, %v", c.name, n, len(b), err)
		}
	})
}

// checkSkip holds skipping to the reference. What was skipped can be
// translated to the other protocol and back.
func checkSkip(t *testing.T, typ codec.Type, b []byte, c codec.InCompact, depth int) {
	t.Helper()
	next, left := codec.Skip(b, c, typ, depth)
	want := codec.ReferenceSkip(b, c, typ, depth)
	if (next < 0) != (want < 0) || next >= 0 && next != want {
		t.Fatalf("%v, %v, depth %d: skipping gives %d, the reference %d\n% x", typ, c, depth, next, want, b)
	}
	if next < 0 {
		return
	}
	if next > len(b) || left != depth {
		t.Fatalf("%v, %v: skipping gives %d of %d bytes, and the depth %d of %d\n% x", typ, c, next, len(b), left, depth, b)
	}
	if c && typ == codec.TypeBool {
		return // in a field it has no bytes
	}
	// A struct whose only field is the value, read by one that knows no field.
	head := codec.FieldHead(c, typ)
	message := append(append(append([]byte(nil), head...), b[:next]...), 0)
	opt := thrift.Options{Limits: thrift.Limits{Depth: depth + 2}}
	var once, twice small.Nothing
	if n, err := decodeWith(message, &once, c, opt); err != nil || n != len(message) {
		t.Fatalf("%v, %v: as an unknown field: %d, %v\n% x", typ, c, n, err, b)
	}
	other := encode(t, &once, !c)
	if n, err := decodeWith(other, &twice, !c, opt); err != nil || n != len(other) {
		t.Fatalf("%v, %v: translated: %d of %d, %v\n% x\n% x", typ, c, n, len(other), err, b, other)
	}
	if again := encode(t, &twice, !c); string(again) != string(other) {
		t.Fatalf("%v, %v: translated twice:\n% x\nthen\n% x", typ, c, other, again)
	}
}

func TestSkippingAgreesWithTheReference(t *testing.T) {
	testenv.OneGoroutine(t)
	codecCases(t, 10, func(t *testing.T, c codecCase) {
		r := rand.New(rand.NewPCG(c.seed, 9))
		b := encode(t, c.message(), c.c)
		checkSkip(t, codec.TypeStruct, b, c.c, 70)
		if next, _ := codec.Skip(b, c.c, codec.TypeStruct, 70); next != len(b) {
			t.Fatalf("%s: %d of %d bytes are skipped", c.name, next, len(b))
		}
		if len(b) > 5000 {
			return
		}
		for round := range 60 {
			depth := 70
			if round%4 == 0 {
				depth = r.IntN(5)
			}
			checkSkip(t, codec.TypeStruct, changed(r, b), c.c, depth)
		}
	})
}

// hostile are messages that were made to do harm.
func hostile(t testing.TB) [][]byte {
	var list [][]byte
	for _, s := range []string{
		"", "00", "ff", "7f", "80",
		"0f 0004 08 7fffffff", "0f 0004 08 80000000", "0f 0004 08 ffffffff 00000000",
		"0f 000b 0c 00000004 00 00 00 00 00", "0b 0007 ffffffff", "0b 0007 7fffffff 'x'",
		"0d 0001 02 03 00000002 01 02 01 03 00", "0d 0001 02 03 ffffffff",
		"0c 0004 0c 0004 0c 0004 0c 0004 00 00 00 00 00", "0f 0001 0f 00000001 0f 00000001 0f 00000000 00",
		"49 f5 ffffffff0f", "49 f5 ffffffff7f", "49 f5 ffffffffffffffffff01", "49 f5 ffffffffffffffffffff",
		"78 ffffffff07", "15 ffffffff1f", "05 ffff07 00", "1b 05 57", "1b ffffffff07 88", "0b ff01 01 cc 00 00 00",
		"1e 00", "1f 00", "19 1e 00", "1c 1c 1c 1c 00 00 00 00 00", "19 19 19 19 00 00",
		"01 ffff03 15 00 00", "01 feff03 11 00",
	} {
		list = append(list, wire(t, s))
	}
	return list
}

func fuzzDecoder(f *testing.F, c codec.InCompact) {
	for k, make := range kindsTypes {
		for seed := range uint64(3) {
			m := make()
			fill(m, seed)
			if b := encode(f, m, c); len(b) < 3000 {
				f.Add(byte(k), byte(seed*37), b)
			}
		}
		for _, b := range hostile(f) {
			f.Add(byte(k), byte(0), b)
		}
	}
	f.Fuzz(func(t *testing.T, typ, bits byte, b []byte) {
		checkDecoders(t, kindsTypes[int(typ)%len(kindsTypes)], b, c, options(bits&127))
	})
}

func FuzzDecodeBinary(f *testing.F) { fuzzDecoder(f, false) }

func FuzzDecodeCompact(f *testing.F) { fuzzDecoder(f, true) }

func FuzzSkip(f *testing.F) {
	for _, make := range kindsTypes {
		for _, c := range []codec.InCompact{false, true} {
			m := make()
			fill(m, 3)
			if b := encode(f, m, c); len(b) < 3000 {
				f.Add(byte(codec.TypeStruct), byte(64), bool(c), b)
			}
		}
	}
	for _, b := range hostile(f) {
		if len(b) > 4096 {
			continue // copies of large inputs would be all that the fuzzer does
		}
		for _, typ := range codec.KnownTypes {
			f.Add(byte(typ), byte(64), false, b)
			f.Add(byte(typ), byte(3), true, b)
		}
	}
	f.Fuzz(func(t *testing.T, typ, depth byte, compact bool, b []byte) {
		k := codec.KnownTypes[int(typ)%len(codec.KnownTypes)]
		checkSkip(t, k, b, codec.InCompact(compact), int(depth%100))
	})
}
