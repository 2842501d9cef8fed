package codec_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/seamgo/seam/internal/child"
	"github.com/seamgo/seam/internal/testenv"
	"github.com/seamgo/seam/thrift"
	"github.com/seamgo/seam/thrift/codec"
	"github.com/seamgo/seam/thrift/internal/kinds"
	bare "github.com/seamgo/seam/thrift/internal/kinds/small"
)

func protocolOf(c codec.InCompact) thrift.Protocol {
	if c {
		return thrift.Compact
	}
	return thrift.Binary
}

// readers give the same bytes in different pieces.
var readers = []func(b []byte) io.Reader{
	func(b []byte) io.Reader { return bytes.NewReader(b) },
	func(b []byte) io.Reader { return iotest.OneByteReader(bytes.NewReader(b)) },
	func(b []byte) io.Reader { return iotest.DataErrReader(iotest.HalfReader(bytes.NewReader(b))) },
}

// walkItems reads an Item by walking its items, and puts them back.
func walkItems(d *thrift.Decoder) (*bare.Item, error) {
	m := new(bare.Item)
	var items []*bare.Item
	for p, err := range thrift.Elements(d, m, &m.Items) {
		if err != nil {
			return nil, err
		}
		items = append(items, p)
	}
	if len(items) > 0 {
		m.Items = items
	}
	return m, nil
}

// checkStream holds a stream to what the decoder of the whole makes of the same bytes.
func checkStream(t *testing.T, b []byte, c codec.InCompact, reuse bool) {
	t.Helper()
	want := new(bare.Item)
	n, wantErr := decodeWith(b, want, c, thrift.Options{})
	for k, reader := range readers {
		d := thrift.NewDecoder(reader(b), thrift.StreamOptions{Protocol: protocolOf(c), Reuse: reuse})
		var got *bare.Item
		var err error
		if reuse {
			got, err = new(bare.Item), nil
			kept := []*bare.Item{}
			for p, e := range thrift.Elements(d, got, &got.Items) {
				if e != nil {
					err = e
				} else {
					kept = append(kept, p.Clone())
				}
			}
			if len(kept) > 0 {
				got.Items = kept
			}
		} else {
			got, err = walkItems(d)
		}
		if err != nil && (strings.Contains(err.Error(), "twice") || outOfMemory(err)) || outOfMemory(wantErr) {
			continue
		}
		if len(b) == 0 {
			if err != io.EOF {
				t.Fatalf("nothing: %v", err)
			}
			continue
		}
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("%v, reader %d: the stream gives %v, the whole %v\n% x", c, k, err, wantErr, b)
		}
		if err != nil {
			var e *thrift.DecodeError
			if !errors.As(err, &e) || e.Offset < 0 || e.Offset > len(b) || strings.Contains(err.Error(), "mistake of seam") || !strings.HasPrefix(err.Error(), "Item") {
				t.Fatalf("%v, reader %d: %v; the whole: %v\n% x", c, k, err, wantErr, b)
			}
			continue
		}
		if d.InputOffset() != int64(n) {
			t.Fatalf("%v, reader %d: the stream ends at %d, the whole at %d\n% x", c, k, d.InputOffset(), n, b)
		}
		if equal(want, want) && !equal(got, want) {
			t.Fatalf("%v, reader %d: %s\n% x", c, k, difference(got, want), b)
		}
	}
	d := thrift.NewDecoder(readers[len(b)%len(readers)](b), thrift.StreamOptions{Protocol: protocolOf(c)})
	got := new(bare.Item)
	if err := d.Decode(got); (err == nil) != (wantErr == nil) {
		t.Fatalf("%v: Decode gives %v, the whole %v\n% x", c, err, wantErr, b)
	} else if err == nil && equal(want, want) && !equal(got, want) {
		t.Fatalf("%v: Decode: %s\n% x", c, difference(got, want), b)
	}
}

// record is an Item of some hundred bytes with fields of most kinds.
func record(k int) *bare.Item {
	p := &bare.Item{Name: fmt.Sprint("record ", k), Size: int64(k) << (k % 40), Words: []string{"one", "", "two words and a long one that is longer than most"}, Counts: map[int32]int64{int32(k): 7}, Key: &bare.Key{A: 1, B: 2.5}}
	if k%3 == 0 {
		p.Flag = thrift.Ptr(k%2 == 0)
		p.Parts = map[string]*bare.Item{"part": {Name: "p"}}
		p.Items = []*bare.Item{{Name: "inner", Matrix: [][]int32{{1, 2, 3}, {}}}}
	}
	if k%4 == 1 {
		p.One = &bare.One{Text: thrift.Ptr("text")}
		p.Colour = thrift.Ptr(bare.Colour_GREEN)
	}
	return p
}

func streamItem(seed uint64) *bare.Item {
	m := record(int(seed))
	for k := range 20 {
		m.Items = append(m.Items, record(k))
	}
	return m
}

// What is whole, cut off anywhere, or changed anywhere is read as from memory.
func TestStreamIsAsFromMemory(t *testing.T) {
	for seed := range uint64(4) {
		for _, c := range []codec.InCompact{false, true} {
			b := encode(t, streamItem(seed), c)
			checkStream(t, append(b, "what follows"...), c, false)
			checkStream(t, b, c, true)
			r := rand.New(rand.NewPCG(seed, 1))
			for range 40 {
				checkStream(t, b[:r.IntN(len(b))], c, false)
				bad := bytes.Clone(b)
				bad[r.IntN(len(b))] = byte(r.Uint32())
				checkStream(t, bad, c, r.IntN(2) == 0)
			}
		}
	}
}

func FuzzStream(f *testing.F) {
	for seed := range uint64(4) {
		for _, c := range []codec.InCompact{false, true} {
			m := record(int(seed))
			m.Items = append(m.Items, record(1), &bare.Item{Name: "b"})
			f.Add(encode(f, m, c), bool(c), seed%2 == 0)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte, compact, reuse bool) {
		if len(b) < 1<<14 {
			checkStream(t, b, codec.InCompact(compact), reuse)
		}
	})
}

// In the loop the fields in front of the list are there, after it all of them; what was taken
// out of the struct meanwhile stays as it was.
func TestStreamFieldsAround(t *testing.T) {
	want := &bare.Item{Name: "outer", Words: []string{"x", "y"}, Items: []*bare.Item{{Name: "a"}, {Name: "b"}}, Matrix: [][]int32{{1}, {2, 3}}}
	b := encode(t, want, true)
	d := thrift.NewDecoder(bytes.NewReader(append(b, b...)), thrift.StreamOptions{Protocol: thrift.Compact})
	for range 2 {
		var m bare.Item
		var names []string
		var words []string
		for p, err := range thrift.Elements(d, &m, &m.Items) {
			if err != nil {
				t.Fatal(err)
			}
			if m.Name != "outer" || len(m.Words) != 2 || m.Matrix != nil {
				t.Errorf("in the loop: %v", &m)
			}
			words = m.Words
			names = append(names, p.Name)
		}
		if !slices.Equal(names, []string{"a", "b"}) || len(m.Matrix) != 2 || len(m.Items) != 0 || m.Items == nil {
			t.Errorf("%v, %v", names, &m)
		}
		m.Words[0] = "changed"
		if words[0] != "x" {
			t.Error("the end of the struct was decoded into memory that the loop has given away")
		}
	}
	for _, err := range thrift.Elements(d, want, &want.Items) {
		if err != io.EOF {
			t.Errorf("at the end: %v", err)
		}
	}
}

func TestStreamInPlace(t *testing.T) {
	m := &kinds.Values{Pointers: []*kinds.Spot{{X: 1}}, Some: []kinds.Spot{{X: 2}, {X: 3}}, Unique: []kinds.Spot{{X: 4}}}
	for _, c := range []codec.InCompact{false, true} {
		b := encode(t, m, c)
		for k, list := range []func(*kinds.Values) *[]kinds.Spot{
			func(v *kinds.Values) *[]kinds.Spot { return &v.Some },
			func(v *kinds.Values) *[]kinds.Spot { return &v.Unique }, // a set
		} {
			var got kinds.Values
			var xs []int32
			for p, err := range thrift.ElementsInPlace(thrift.NewDecoder(bytes.NewReader(b), thrift.StreamOptions{Protocol: protocolOf(c)}), &got, list(&got)) {
				if err != nil {
					t.Fatal(err)
				}
				xs = append(xs, p.X)
			}
			if want := [][]int32{{2, 3}, {4}}[k]; !slices.Equal(xs, want) || len(got.Pointers) != 1 {
				t.Errorf("%v: %v, want %v; %v", c, xs, want, &got)
			}
		}
	}
}

// firstError is the error of a walk through the items of a message.
func firstError(b []byte, opt thrift.StreamOptions) error {
	_, err := walkItems(thrift.NewDecoder(bytes.NewReader(b), opt))
	return err
}

func TestStreamErrors(t *testing.T) {
	binaryList := func(elem byte, n uint32, rest ...byte) []byte {
		b := append([]byte{11, 0, 1, 0, 0, 0, 1, 'n', 15, 0, 8, elem}, binary.BigEndian.AppendUint32(nil, n)...)
		return append(b, rest...)
	}
	var missing bare.Item
	for name, c := range map[string]struct {
		b    []byte
		opt  thrift.StreamOptions
		want string
	}{
		"as many as there can be":   {binaryList(12, 1<<31-1), thrift.StreamOptions{}, "Item.items[0]: unexpected end of input at byte 16"},
		"more than there can be":    {binaryList(12, 1<<32-1), thrift.StreamOptions{}, "claims 4294967295 elements"},
		"of numbers":                {binaryList(8, 1), thrift.StreamOptions{}, "Item.items: list of struct expected, found one of i32 at byte 11"},
		"twice":                     {append(binaryList(12, 0), 15, 0, 8, 12, 0, 0, 0, 0, 0), thrift.StreamOptions{}, "twice"},
		"over the limit":            {binaryList(12, 3), thrift.StreamOptions{Decode: thrift.Options{Limits: thrift.Limits{Container: 2}}}, "Item.items: list of 3 elements is over the limit of 2 at byte 11"},
		"element without its name":  {binaryList(12, 2, 11, 0, 1, 0, 0, 0, 1, 'a', 0, 0, 0), thrift.StreamOptions{}, "Item.items[1].name: required field is missing at byte 26"},
		"struct without its name":   {[]byte{15, 0, 8, 12, 0, 0, 0, 0, 0}, thrift.StreamOptions{}, "Item.name: required field is missing"},
		"a type that doesn't exist": {[]byte{99, 0, 8}, thrift.StreamOptions{}, "doesn't exist"},
		"a large element": {append(binaryList(12, 1, 11, 0, 1, 0, 0, 200, 0), make([]byte, 60_000)...),
			thrift.StreamOptions{Decode: thrift.Options{Limits: thrift.Limits{Message: 1000}}}, "limit"},
		"too much around it": {append([]byte{11, 0, 1, 0, 0, 3, 0}, make([]byte, 800)...), thrift.StreamOptions{Decode: thrift.Options{Limits: thrift.Limits{Message: 700}}}, "limit"},
		"too deep":           {binaryList(12, 1, 11, 0, 1, 0, 0, 0, 1, 'a', 0, 0), thrift.StreamOptions{Decode: thrift.Options{Limits: thrift.Limits{Depth: 1}}}, "Item.items[0]: structs are nested deeper"},
	} {
		if err := firstError(c.b, c.opt); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the error is %v, want one with %q", name, err, c.want)
		}
	}
	d := thrift.NewDecoder(iotest.ErrReader(os.ErrPermission), thrift.StreamOptions{})
	if err := d.Decode(&missing); !errors.Is(err, os.ErrPermission) {
		t.Errorf("the reader's error: %v", err)
	}
	if err := d.Decode(&missing); !errors.Is(err, os.ErrPermission) {
		t.Errorf("and again: %v", err)
	}
	var other []*bare.Item
	for _, err := range thrift.Elements(d, &missing, &other) {
		if err == nil || !strings.Contains(err.Error(), "no field of *small.Item") {
			t.Errorf("a list of its own: %v", err)
		}
	}
	b := encode(t, streamItem(1), false)
	d = thrift.NewDecoder(bytes.NewReader(b), thrift.StreamOptions{})
	for range thrift.Elements(d, &missing, &missing.Items) {
		break
	}
	if err := d.Decode(&missing); err == nil || !strings.Contains(err.Error(), "left early") {
		t.Errorf("after a loop that was left: %v", err)
	}
}

// Elements larger than the decoder's buffer, and a struct around them that is.
func TestStreamLargeElements(t *testing.T) {
	text := strings.Repeat("x", 700_000)
	m := &bare.Item{Name: text, Items: []*bare.Item{{Name: "a"}, {Name: text + "b"}, {Name: "c"}}, Words: []string{text}}
	for _, c := range []codec.InCompact{false, true} {
		b := encode(t, m, c)
		for _, reader := range []func([]byte) io.Reader{readers[0], readers[2]} {
			got, err := walkItems(thrift.NewDecoder(reader(b), thrift.StreamOptions{Protocol: protocolOf(c)}))
			if err != nil || !equal(got, m) {
				t.Errorf("%v: %v", c, err)
			}
		}
	}
}

func TestStreamReuseDoesNotAllocate(t *testing.T) {
	testenv.Allocations(t)
	one := func(n int) float64 {
		m := &kinds.Values{}
		for range n {
			m.Pointers = append(m.Pointers, &kinds.Spot{X: 7, Track: []int64{1, 2, 3}})
		}
		b := encode(t, m, false)
		return testing.AllocsPerRun(10, func() {
			var v kinds.Values
			for _, err := range thrift.Elements(thrift.NewDecoder(bytes.NewReader(b), thrift.StreamOptions{Reuse: true}), &v, &v.Pointers) {
				if err != nil {
					t.Fatal(err)
				}
			}
		})
	}
	if few, many := one(10), one(5000); many > few+1 {
		t.Errorf("10 elements take %v allocations, 5000 take %v", few, many)
	}
}

// What EncodeElements writes is what would have been written from memory.
func TestEncodeElements(t *testing.T) {
	for _, n := range []int{0, 1, 14, 15, 3000} {
		for _, c := range []codec.InCompact{false, true} {
			m := &bare.Item{Name: "outer", Words: []string{"w"}, Matrix: [][]int32{{1}}, Items: []*bare.Item{}}
			for k := range n {
				m.Items = append(m.Items, &bare.Item{Name: fmt.Sprint("item ", k)})
			}
			want := encode(t, m, c)
			items := m.Items
			m.Items = nil
			var got bytes.Buffer
			e := thrift.NewEncoder(&got, protocolOf(c))
			if err := thrift.EncodeElements(e, m, &m.Items, n, slices.Values(items)); err != nil || !bytes.Equal(got.Bytes(), want) {
				t.Errorf("%d, %v: %v, %d bytes instead of %d", n, c, err, got.Len(), len(want))
			}
			for _, wrong := range []int{n - 1, n + 1} {
				if err := thrift.EncodeElements(thrift.NewEncoder(io.Discard, protocolOf(c)), m, &m.Items, wrong, slices.Values(items)); err == nil {
					t.Errorf("%d elements pass for %d", n, wrong)
				}
			}
		}
	}
}

// longStream is the bytes of an Item with n items, which are nowhere.
func longStream(t testing.TB, c codec.InCompact, size int64) (r io.Reader, n int64) {
	element := record(9)
	element.Name = strings.Repeat("name ", 20)
	b := encode(t, element, c)
	n = size / int64(len(b))
	n = n / 1000 * 1000
	outer := encode(t, &bare.Item{Name: "outer", Matrix: [][]int32{{1, 2}}, Items: []*bare.Item{}}, c)
	start, end := codec.FindField(outer, bool(c), 8)
	head := bytes.Clone(outer[:start])
	if c {
		head = binary.AppendUvarint(append(head, 15<<4|12), uint64(n))
	} else {
		head = binary.BigEndian.AppendUint32(append(head, 12), uint32(n))
	}
	return io.MultiReader(bytes.NewReader(head), &repeated{bytes.Repeat(b, 1000), 0, n / 1000}, bytes.NewReader(outer[end:])), n
}

// repeated gives a block so many times.
type repeated struct {
	block []byte
	at    int
	times int64
}

func (r *repeated) Read(p []byte) (n int, err error) {
	if r.times == 0 {
		return 0, io.EOF
	}
	n = copy(p, r.block[r.at:])
	if r.at += n; r.at == len(r.block) {
		r.at, r.times = 0, r.times-1
	}
	return n, nil
}

// A list of 128 MB, in a soak of 2 GB, is read by a process that has never more than 64 MB of
// memory.
func TestStreamLargerThanMemory(t *testing.T) {
	const most = 64 << 20
	size := int64(100 << 20)
	if os.Getenv("SEAM_SOAK") != "" {
		size = 2 << 30
	}
	if os.Getenv("SEAM_TEST_STREAM") == "" {
		testenv.OneGoroutine(t)
		if runtime.GOOS != "linux" {
			t.Skip("reads /proc")
		}
		if len(child.Emulator()) > 0 {
			t.Skip("the emulator's memory would be measured")
		}
		cmd := child.Self(t, "-test.run=^TestStreamLargerThanMemory$", "-test.v")
		cmd.Env = append(os.Environ(), "SEAM_TEST_STREAM=1")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		for line := range strings.Lines(string(out)) {
			if strings.Contains(line, "at most") {
				t.Log(strings.TrimSpace(line))
			}
		}
		return
	}
	for _, c := range []codec.InCompact{false, true} {
		r, n := longStream(t, c, size)
		var m bare.Item
		var seen int64
		d := thrift.NewDecoder(r, thrift.StreamOptions{Protocol: protocolOf(c)})
		for p, err := range thrift.Elements(d, &m, &m.Items) {
			if err != nil {
				t.Fatal(err)
			}
			if len(p.Name) != 100 {
				t.Fatalf("element %d: %v", seen, p)
			}
			seen++
		}
		if seen != n || len(m.Matrix) != 1 || d.InputOffset() < size-1<<20 {
			t.Errorf("%d elements of %d in %d bytes; %v", seen, n, d.InputOffset(), &m)
		}
		peak := peakMemory(t)
		t.Logf("%v: %d elements in %d MB, with at most %.1f MB of memory", c, seen, d.InputOffset()>>20, float64(peak)/(1<<20))
		if peak > most {
			t.Errorf("%d bytes of memory, more than %d", peak, most)
		}
	}
}

// peakMemory is the most memory that the process has had.
func peakMemory(t testing.TB) (bytes int64) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	if _, err := fmt.Sscanf(rest, "%d kB", &bytes); err != nil {
		t.Fatal(err)
	}
	return bytes << 10
}

// BenchmarkStream reads the same message from a stream and from memory.
func BenchmarkStream(b *testing.B) {
	for _, c := range []codec.InCompact{false, true} {
		r, _ := longStream(b, c, 8<<20)
		whole, err := io.ReadAll(r)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(c.String()+"/memory", func(b *testing.B) {
			b.SetBytes(int64(len(whole)))
			for b.Loop() {
				if err := decode(whole, new(bare.Item), c); err != nil {
					b.Fatal(err)
				}
			}
		})
		for _, reuse := range []bool{false, true} {
			b.Run(fmt.Sprintf("%v/stream/reuse=%v", c, reuse), func(b *testing.B) {
				b.SetBytes(int64(len(whole)))
				for b.Loop() {
					var m bare.Item
					for _, err := range thrift.Elements(thrift.NewDecoder(bytes.NewReader(whole), thrift.StreamOptions{Protocol: protocolOf(c), Reuse: reuse}), &m, &m.Items) {
						if err != nil {
							b.Fatal(err)
						}
					}
				}
			})
		}
	}
}
