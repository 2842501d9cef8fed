//go:build cgo && unix

package mem_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/seamgo/seam/internal/testenv"
	"github.com/seamgo/seam/leaf"
	"github.com/seamgo/seam/mem"
	"github.com/seamgo/seam/mem/internal/ctest"
)

var (
	sum    = leaf.Of[ctest.View]("sum", ctest.SumFn)
	write  = leaf.Of[ctest.Fill]("write", ctest.WriteFn)
	rows   = leaf.Of[ctest.Arena]("rows", ctest.RowsFn)
	rowsOn = leaf.Of[ctest.Arena]("rows_on", ctest.RowsOnFn)
	poll   = leaf.Of[ctest.Token]("poll", ctest.PollFn)
)

// The types that both languages have are of one size.
func TestSizes(t *testing.T) {
	got := map[string]uintptr{
		"seam_str": unsafe.Sizeof(mem.Str{}), "seam_span": unsafe.Sizeof(mem.Span[int64]{}), "seam_bytes": unsafe.Sizeof(mem.Bytes{}),
		"seam_part": unsafe.Sizeof(mem.Part{}), "seam_arena": 40, "seam_token": 16, "seam_buffer_entry": 64,
		"view": unsafe.Sizeof(ctest.View{}), "fill": unsafe.Sizeof(ctest.Fill{}), "buffer": unsafe.Sizeof(ctest.Buffer{}),
		"arena": unsafe.Sizeof(ctest.Arena{}), "token": unsafe.Sizeof(ctest.Token{}),
	}
	if want := ctest.Sizes(); !reflect.DeepEqual(got, want) {
		t.Errorf("Go has %v\nC has %v", got, want)
	}
}

// C reads strings and slices where they are.
func TestView(t *testing.T) {
	text := "the sum of these bytes"
	want := int64(0)
	for _, c := range []byte(text) {
		want += int64(c)
	}
	args := ctest.View{In: mem.StrOf(text)}
	if sum.Call(&args); args.Sum != want {
		t.Errorf("a string: %d, want %d", args.Sum, want)
	}
	args = ctest.View{In: mem.StrOfBytes([]byte(text)), Numbers: mem.SpanOf([]int64{1000, 2000})}
	if sum.Call(&args); args.Sum != want+3000 {
		t.Errorf("bytes and numbers: %d, want %d", args.Sum, want+3000)
	}
	args = ctest.View{In: mem.StrOf(""), Numbers: mem.SpanOf[int64](nil)}
	if sum.Call(&args); args.Sum != 0 {
		t.Errorf("nothing: %d", args.Sum)
	}
	if got := ctest.CgoSum(text); got != want {
		t.Errorf("by cgo: %d, want %d", got, want)
	}
}

// fillWith is the loop of Fill's documentation.
func fillWith(buf []byte, size, lie int64, limit int) ([]byte, int, error) {
	fill, calls := mem.FillInto(buf), 0
	for again := true; again; calls++ {
		args := ctest.Fill{Out: fill.Room(), Size: size, Lie: lie}
		write.Call(&args)
		var err error
		if again, err = fill.Again(args.Out, limit); err != nil {
			return nil, calls + 1, err
		}
	}
	return fill.Bytes(), calls, nil
}

func TestFill(t *testing.T) {
	for _, size := range []int{0, 1, 99, 100, 101, 128, 129, 5000} {
		for _, room := range []int{0, 1, 128} {
			got, calls, err := fillWith(make([]byte, 3, max(3, room))[:0:room], int64(size), ctest.Truth, 5000)
			want := make([]byte, size)
			for i := range want {
				want[i] = byte(i)
			}
			if err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%d bytes into %d: %d bytes, %v", size, room, len(got), err)
			}
			if fits := size <= room; fits != (calls == 1) || calls > 2 {
				t.Errorf("%d bytes into %d took %d calls", size, room, calls)
			}
		}
	}
	buf := make([]byte, 0, 256)
	got, _, _ := fillWith(buf, 100, ctest.Truth, 1000)
	if !debugging() && unsafe.SliceData(got) != unsafe.SliceData(buf) {
		t.Error("the result is not in place")
	}
}

// Nothing is allocated for a call whose result fits.
func TestAllocate(t *testing.T) {
	testenv.Allocations(t)
	if debugging() {
		t.Skip("debug mode allocates")
	}
	text, buf, a := "some text", make([]byte, 256), newArena(t, 1<<14)
	for _, test := range []struct {
		name string
		call func()
	}{
		{"views", func() {
			args := ctest.View{In: mem.StrOf(text), Numbers: mem.SpanOf([]int64{1, 2, 3})}
			sum.Call(&args)
		}},
		{"fill", func() {
			if _, calls, err := fillWith(buf, 100, ctest.Truth, 1000); calls != 1 || err != nil {
				t.Error(calls, err)
			}
		}},
		{"fill of a buffer on the stack", func() {
			var buf [256]byte
			if got, _, err := fillWith(buf[:], 100, ctest.Truth, 1000); len(got) != 100 || err != nil {
				t.Error(len(got), err)
			}
		}},
		{"arena", func() {
			a.Reset()
			args := ctest.Arena{Arena: a.C(), N: 100}
			rows.Call(&args)
			if again, err := a.Again(1 << 20); again || err != nil {
				t.Error(again, err)
			}
			if table, err := mem.Elements[ctest.Row](a, args.Table); len(table) != 100 || err != nil {
				t.Error(len(table), err)
			}
		}},
	} {
		if n := testing.AllocsPerRun(100, test.call); n != 0 {
			t.Errorf("%s: %v allocations a call", test.name, n)
		}
	}
}

// Done says what Again would: whether C has left a result that fits and makes sense.
func TestFillDone(t *testing.T) {
	for _, size := range []int64{0, 10, 64, 65} {
		for lie := int64(ctest.Truth); lie <= ctest.NeedHalf; lie++ {
			if lie == ctest.Overrun {
				continue // for debug mode, whose room has something behind it
			}
			quick := mem.FillInto(make([]byte, 64))
			slow := quick
			args := ctest.Fill{Out: quick.Room(), Size: size, Lie: lie}
			write.Call(&args)
			again, err := slow.Again(args.Out, 1000)
			if done, want := quick.Done(args.Out), err == nil && !again && !debugging(); done != want {
				t.Errorf("%d bytes, lie %d: Done is %v, Again %v, %v", size, lie, done, again, err)
			} else if done && !bytes.Equal(quick.Bytes(), slow.Bytes()) {
				t.Errorf("%d bytes, lie %d: other results", size, lie)
			} else if !done && len(quick.Bytes()) != 0 {
				t.Errorf("%d bytes, lie %d: a result of what is not done", size, lie)
			}
		}
	}
}

// C that lies about its result is found out, with the numbers.
func TestFillLies(t *testing.T) {
	for _, test := range []struct {
		name  string
		size  int64
		lie   int64
		limit int
		want  error
		says  string
	}{
		{"length above the room", 10, ctest.LenTooLong, 1000, mem.ErrLength, "74 bytes into 64"},
		{"negative length", 10, ctest.LenNegative, 1000, mem.ErrNegative, "-5"},
		{"needs no more than it had", 10, ctest.NeedTooSmall, 1000, mem.ErrNeed, "needs 64 bytes and had 64"},
		{"needs all there is", 10, ctest.NeedHuge, 1000, mem.ErrNegative, "18446744073709551615"},
		{"another address", 10, ctest.OtherData, 1000, mem.ErrChanged, "64 bytes at"},
		{"another capacity", 10, ctest.OtherCap, 1000, mem.ErrChanged, "65 at"},
		{"more than the limit", 2000, ctest.Truth, 1000, mem.ErrLimit, "needs 2000 bytes, the limit is 1000"},
	} {
		t.Run(test.name, func(t *testing.T) {
			says := test.says
			if unsafe.Sizeof(0) == 4 {
				says = strings.Replace(says, "18446744073709551615", "4294967295", 1)
			}
			got, _, err := fillWith(make([]byte, 64), test.size, test.lie, test.limit)
			if !errors.Is(err, test.want) || !strings.Contains(err.Error(), says) || got != nil {
				t.Errorf("%d bytes, %v; want %v that says %q", len(got), err, test.want, says)
			}
		})
	}
}

func newArena(t *testing.T, size int) *mem.Arena {
	t.Helper()
	a, err := mem.NewArena(size)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// A table whose rows lead to names, all in Go memory, read in place.
func TestArena(t *testing.T) {
	a := newArena(t, 0)
	for _, n := range []int{1, 10, 1000, 10, 0} {
		a.Reset()
		args, calls := ctest.Arena{Arena: a.C(), N: int64(n)}, 0
		for again := true; again; calls++ {
			rows.Call(&args)
			var err error
			if again, err = a.Again(1 << 20); err != nil {
				t.Fatal(err)
			}
		}
		if calls > 2 {
			t.Errorf("%d rows took %d calls", n, calls)
		}
		table, err := mem.Elements[ctest.Row](a, args.Table)
		if err != nil || len(table) != n {
			t.Fatalf("%d rows of %d, %v", len(table), n, err)
		}
		for i, row := range table {
			name, err := a.String(row.Name)
			want := ""
			for k := 0; k <= i%20; k++ {
				want += string(rune('a' + (i+k)%26))
			}
			if err != nil || name != want || row.Value != int64(i)*int64(i) {
				t.Fatalf("row %d: %q %d, %v; want %q", i, name, row.Value, err, want)
			}
		}
	}
	if part := ctest.CgoRows(a.C(), 3); part.Len == 0 {
		t.Error("by cgo: no rows")
	}
}

// C that goes on where it stopped keeps what it has made.
func TestArenaMore(t *testing.T) {
	a := newArena(t, 1024)
	args, calls := ctest.Arena{Arena: a.C(), N: 5000}, 0
	for again := true; again; calls++ {
		rowsOn.Call(&args)
		var err error
		if again, err = a.More(1 << 20); err != nil {
			t.Fatal(err)
		}
	}
	if args.Done != 5000 || calls < 3 || a.Used() != 5000*8 {
		t.Fatalf("%d of 5000 in %d calls, %d bytes used", args.Done, calls, a.Used())
	}
	for i := range uint64(5000) {
		one, err := mem.Elements[int64](a, mem.Part{At: args.Table.At + 8*i, Len: 8})
		if err != nil || one[0] != int64(i) {
			t.Fatalf("element %d: %v, %v", i, one, err)
		}
	}
	args = ctest.Arena{Arena: a.C(), N: 1 << 20}
	var err error
	for again := true; again && err == nil; {
		rowsOn.Call(&args)
		again, err = a.More(1 << 18)
	}
	if !errors.Is(err, mem.ErrLimit) {
		t.Errorf("beyond the limit: %v", err)
	}
	a.Reset()
	if a.Used() != 0 {
		t.Errorf("%d bytes used after Reset", a.Used())
	}
}

// What C asks for in all may exceed every number; it never comes out small.
func TestArenaNeedsTooMuch(t *testing.T) {
	for _, huge := range []uint64{math.MaxUint64, math.MaxUint64 - 6, 1 << 63} {
		a := newArena(t, 1024)
		args := ctest.Arena{Arena: a.C(), Lie: int64(huge)}
		leaf.Call(ctest.AllocTwiceFn, unsafe.Pointer(&args))
		again, err := a.Again(1 << 20)
		if huge > math.MaxUint64>>32 && unsafe.Sizeof(uintptr(0)) == 4 { // a size_t there is a small part of it
			continue
		}
		if again || !errors.Is(err, mem.ErrLimit) {
			t.Errorf("%#x bytes and some: %v, %v", huge, again, err)
		}
	}
}

// What was not made by its function says so.
func TestZeroValues(t *testing.T) {
	var p mem.Pool
	var c mem.Cache
	var a mem.Arena
	for what, err := range map[string]error{
		"Pool.Get": second(p.Get(1)), "Pool.GetWait": second(p.GetWait(context.Background(), 1)), "Pool.Close": p.Close(),
		"Pool.NewCache": second(p.NewCache(1, 1)), "Pool.Buffer": second(p.Buffer(0)), "Cache.Get": second(c.Get()),
		"Arena.Again": second(a.Again(1)), "Arena.More": second(a.More(1)), "Arena.Bytes": second(a.Bytes(mem.Part{Len: 1})),
	} {
		if err == nil {
			t.Errorf("%s of a zero value has no error", what)
		}
	}
	if a.Reset(); a.Used() != 0 || p.Check() != nil {
		t.Error("a zero value is in use")
	}
}

// Sizes that no program has are errors before anything is pinned.
func TestArenaTooLarge(t *testing.T) {
	if _, err := mem.NewArena(math.MaxInt); !errors.Is(err, mem.ErrOverflow) {
		t.Errorf("NewArena: %v", err)
	}
	if _, err := mem.NewArena(-1); !errors.Is(err, mem.ErrNegative) {
		t.Errorf("NewArena: %v", err)
	}
	runtime.GC()
	if _, _, err := fillWith(nil, 0, ctest.NeedHalf, math.MaxInt); !errors.Is(err, mem.ErrLimit) {
		t.Errorf("a result of half of all memory: %v", err)
	}
}

func TestArenaLies(t *testing.T) {
	for _, test := range []struct {
		name string
		n    int64
		lie  int64
		want error
		says string
	}{
		{"used more than there is", 5, ctest.UsedTooMuch, mem.ErrLength, "used 1025 bytes of an arena's chunk of 1024"},
		{"needs less than there is", 5, ctest.NeedTooSmall, mem.ErrNeed, "needs 1 bytes"},
		{"needs everything", 5, ctest.NeedHuge, mem.ErrLimit, "limit is 1048576"},
		{"another address", 5, ctest.OtherData, mem.ErrChanged, "chunk of 1024"},
		{"another capacity", 5, ctest.OtherCap, mem.ErrChanged, "is now 1025"},
		{"a part longer than the arena", 5, ctest.LenTooLong, mem.ErrRange, "are not a part of the arena"},
		{"a part at the end of all", 5, ctest.LenNegative, mem.ErrRange, "at 18446744073709551612"},
		{"too large", 100000, ctest.Truth, mem.ErrLimit, "limit is 1048576"},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := newArena(t, 1024)
			args := ctest.Arena{Arena: a.C(), N: test.n, Lie: test.lie}
			rows.Call(&args)
			_, err := a.Again(1 << 20)
			if err == nil {
				_, err = mem.Elements[ctest.Row](a, args.Table)
			}
			if !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("%v; want %v that says %q", err, test.want, test.says)
			}
		})
	}
	a := newArena(t, 1024)
	args := ctest.Arena{Arena: a.C(), N: 3}
	rows.Call(&args)
	if _, err := mem.Elements[ctest.Row](a, mem.Part{At: args.Table.At, Len: args.Table.Len - 1}); !errors.Is(err, mem.ErrSize) {
		t.Errorf("a row and a bit: %v", err)
	}
	if _, err := mem.Elements[ctest.Row](a, mem.Part{At: args.Table.At + 1, Len: 24}); !errors.Is(err, mem.ErrAlign) {
		t.Errorf("an odd place: %v", err)
	}
}

// The header is C11 and C++17, without a warning, alone and beside coro.h in any order.
func TestHeader(t *testing.T) {
	testenv.OtherProgram(t)
	include, err := filepath.Abs("../include")
	if err != nil {
		t.Fatal(err)
	}
	const code = `
static int f(const seam_token *t, seam_coro *co, const seam_coro *cco) {
	return seam_cancelled(t) + seam_cancelled(co) + seam_cancelled(cco) + (seam_deadline_ns(t) > seam_deadline_ns(co));
}
int (*g)(const seam_token *, seam_coro *, const seam_coro *) = f;
int h(seam_bytes *b, seam_arena *a, const seam_pool *p, seam_buffer x) {
	seam_put(b, "x", 1);
	return seam_room(b, 1) != NULL && seam_arena_put(a, "x", 1).len == 1 && seam_buffer_hold(p, x) == 0;
}
#ifdef __cplusplus
size_t i(seam_span s, seam_bytes &b, seam_arena *a, seam_str t) {
	seam::span<double> numbers(s);
	size_t n = 0;
	for (double d : numbers)
		n += d > 0;
	seam::write(b, seam::view(t));
	seam::arena arena(a);
	seam_part part;
	for (int &e : arena.array<int>(5, &part))
		e = 1;
	seam_arena_shrink(a, &part, 4);
	return n + numbers[0] + arena.put("hello").len + arena.full();
}
#endif
`
	cc := strings.Fields(cmp.Or(os.Getenv("CC"), "gcc"))
	for _, language := range []struct{ name, standard string }{{"c", "-std=c11"}, {"c++", "-std=c++17"}} {
		for _, order := range []string{
			"#ifdef __cplusplus\nextern \"C\" {\n#endif\n#include <seam/mem.h>\n#include <seam/coro.h>\n#ifdef __cplusplus\n}\n#endif\n",
			"#include <seam/mem.h>\n#include <seam/coro.h>\n", "#include <seam/coro.h>\n#include <seam/mem.h>\n"} {
			file := filepath.Join(t.TempDir(), "use.c")
			if err := os.WriteFile(file, []byte(order+code), 0o666); err != nil {
				t.Fatal(err)
			}
			compile := func(args ...string) ([]byte, error) {
				return exec.Command(cc[0], append(append(cc[1:], "-x", language.name, language.standard, "-fsyntax-only"), args...)...).CombinedOutput()
			}
			if _, err := compile(os.DevNull); err != nil {
				t.Skipf("%s has no compiler for %s", cc[0], language.name)
			}
			if out, err := compile("-Wall", "-Wextra", "-Werror", "-pedantic", "-I"+include, file); err != nil {
				t.Errorf("%s: %v\n%s", language.name, err, out)
			}
		}
	}
}
