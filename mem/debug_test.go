//go:build cgo && linux

package mem_test

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/seamgo/seam/internal/child"
	"github.com/seamgo/seam/mem"
	"github.com/seamgo/seam/mem/internal/ctest"
)

// A misuse is one that only debug mode can find. Each runs in a child process with
// SEAM_MEM=debug, which prints the error.
var misuses = []struct {
	name string
	run  func() error
	says []string
	dies bool
}{
	{"c writes past the room of a fill", func() error {
		_, _, err := fillWith(make([]byte, 64), 10, ctest.Overrun, 1000)
		return expect(err, mem.ErrOverrun)
	}, []string{"C wrote 7 bytes past its 64"}, false},
	{"c writes past a grown room", func() error {
		_, _, err := fillWith(nil, 10, ctest.Overrun, 1000)
		return expect(err, mem.ErrOverrun)
	}, []string{"C wrote 7 bytes past its 0"}, false},
	{"c writes past an arena", func() error {
		a, err := mem.NewArena(1024)
		if err != nil {
			return err
		}
		rows.Call(&ctest.Arena{Arena: a.C(), N: 3, Lie: ctest.Overrun})
		_, err = a.Again(1 << 20)
		return expect(err, mem.ErrOverrun)
	}, []string{"C wrote 7 bytes past the 1024 of an arena's chunk"}, false},
	{"c writes past a buffer", func() error {
		p, b := debugBuffer()
		callBuffer(ctest.BufKeepFn, p, b.Handle(), 0)
		callBuffer(ctest.KeptWriteFn, p, b.Handle(), 64+9)
		return expect(b.Release(), mem.ErrOverrun)
	}, []string{"10 bytes past its 64"}, false},
	{"a damaged buffer is not used again", func() error {
		p, b := debugBuffer()
		callBuffer(ctest.BufKeepFn, p, b.Handle(), 0)
		callBuffer(ctest.KeptWriteFn, p, b.Handle(), 64)
		_ = b.Release()
		_, err := p.Get(64)
		return expect(err, mem.ErrExhausted)
	}, []string{"Go has 1"}, false},
	{"c keeps an address and writes later", func() error {
		p, b := debugBuffer()
		callBuffer(ctest.BufKeepFn, p, b.Handle(), 0)
		if err := b.Release(); err != nil {
			return err
		}
		callBuffer(ctest.KeptWriteFn, p, 0, 5)
		if err := p.Check(); !errors.Is(err, mem.ErrKept) {
			return fmt.Errorf("Check: %v", err)
		}
		_, err := p.Get(64)
		return expect(err, mem.ErrKept)
	}, []string{"byte 5 is 0x77: somebody kept its address without seam_buffer_hold"}, false},
	{"c keeps an address beyond its own release", func() error {
		p, b := debugBuffer()
		callBuffer(ctest.BufKeepFn, p, b.Handle(), 0)
		callBuffer(ctest.BufHoldFn, p, b.Handle(), 0)
		if err := b.Release(); err != nil {
			return err
		}
		callBuffer(ctest.BufFreeFn, p, b.Handle(), 0)
		if err := p.Check(); err != nil {
			return err
		}
		callBuffer(ctest.KeptWriteFn, p, 0, 7)
		if _, err := p.Get(64); !errors.Is(err, mem.ErrKept) {
			return fmt.Errorf("Get: %v", err)
		}
		return p.Close() // a damaged buffer is in nobody's hands
	}, []string{"<nil>"}, false},
	{"c holds a buffer and writes past it", func() error {
		p, b := debugBuffer()
		callBuffer(ctest.BufKeepFn, p, b.Handle(), 0)
		callBuffer(ctest.BufHoldFn, p, b.Handle(), 0)
		callBuffer(ctest.KeptWriteFn, p, b.Handle(), 64)
		err := b.Release()
		if e := cError(ctest.BufFreeFn, p, b.Handle()); e != 0 {
			return fmt.Errorf("C may not release what it holds: %d", e)
		}
		if _, e := p.Get(64); !errors.Is(e, mem.ErrOverrun) {
			return fmt.Errorf("Get: %v", e)
		}
		return expect(err, mem.ErrOverrun)
	}, []string{"1 bytes past its 64"}, false},
	{"parts with strings", func() error {
		a, err := mem.NewArena(1024)
		if err != nil {
			return err
		}
		args := ctest.Arena{Arena: a.C(), N: 2}
		rows.Call(&args)
		_, err = mem.Elements[string](a, args.Table)
		return expect(err, mem.ErrType)
	}, []string{"string has a string"}, false},
	{"more views than there may be snapshots", func() error {
		p := ctest.Malloc(64)
		owner := mem.NewOwner(func() { ctest.Free(p) })
		for range 10_000 {
			if _, err := mem.Of[byte](owner, p, 64, 64); err != nil {
				return err
			}
		}
		return owner.Release()
	}, []string{"<nil>"}, false},
	{"go keeps a slice and writes later", func() error {
		p, b := debugBuffer()
		s, _ := b.Bytes()
		if err := b.Release(); err != nil {
			return err
		}
		s[63] = 1
		return expect(p.Close(), mem.ErrKept)
	}, []string{"byte 63 is 0x1"}, false},
	{"c says its memory is where none is", func() error {
		_, err := mem.Of[byte](nil, at(8192), 10, 10) // below what programs may map
		return expect(err, mem.ErrRange)
	}, []string{"0x2000: not mapped"}, false},
	{"c says its memory is longer than it is", func() error {
		p := ctest.Malloc(1 << 16)
		defer ctest.Free(p)
		_, err := mem.Of[byte](nil, p, 1<<30, 1<<30)
		return expect(err, mem.ErrRange)
	}, []string{"1073741824 elements of 1 bytes"}, false},
	{"elements that C can't have", func() error {
		type row struct {
			ID   int
			Name [2]struct{ S string }
		}
		p := ctest.Malloc(64)
		defer ctest.Free(p)
		_, err := mem.Of[row](nil, p, 1, 1)
		return expect(err, mem.ErrType)
	}, []string{"string in S in Name"}, false},
	{"a slice of a view is used after the release", func() error {
		p := ctest.Malloc(64)
		owner := mem.NewOwner(func() { ctest.Free(p) })
		v, err := mem.Of[byte](owner, p, 64, 64)
		if err != nil {
			return err
		}
		s, err := v.Slice()
		if err != nil || len(s) != 64 {
			return err
		}
		if err := owner.Release(); err != nil {
			return err
		}
		return useAfterRelease(s)
	}, []string{"signal SIGSEGV", "useAfterRelease"}, true},
	{"a view is written to", func() error {
		p := ctest.Malloc(64)
		v, err := mem.Of[byte](mem.NewOwner(nil), p, 64, 64)
		if err != nil {
			return err
		}
		s, _ := v.Slice()
		return writeToView(s)
	}, []string{"signal SIGSEGV", "writeToView"}, true},
	{"c reads past the end of its own", func() error {
		p := ctest.Malloc(64)
		v, err := mem.Of[uint32](mem.NewOwner(nil), p, 5, 5)
		if err != nil {
			return err
		}
		s, _ := v.Slice()
		return fmt.Errorf("read %d", *(*uint32)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(s)), 20)))
	}, []string{"signal SIGSEGV"}, true},
	{"parts of an arena after its reset", func() error {
		a, err := mem.NewArena(1024)
		if err != nil {
			return err
		}
		args := ctest.Arena{Arena: a.C(), N: 3}
		rows.Call(&args)
		table, err := mem.Elements[ctest.Row](a, args.Table)
		if err != nil {
			return err
		}
		a.Reset()
		return fmt.Errorf("%#x", uint64(table[1].Value))
	}, []string{"0xdbdbdbdbdbdbdbdb"}, false},
}

func debugBuffer() (*mem.Pool, mem.Buffer) {
	p, err := mem.NewPool(mem.Class{Size: 64, Count: 1})
	if err != nil {
		panic(err)
	}
	b, err := p.Get(64)
	if err != nil {
		panic(err)
	}
	return p, b
}

//go:noinline
func useAfterRelease(s []byte) error { return fmt.Errorf("read %d", s[10]) }

//go:noinline
func writeToView(s []byte) error { s[3] = 1; return errors.New("written") }

// expect says where an error is not the one that is wanted.
func expect(err, want error) error {
	if !errors.Is(err, want) {
		return fmt.Errorf("NOT %q BUT %w", want, err)
	}
	return err
}

func TestMain(m *testing.M) {
	if name := os.Getenv("SEAM_TEST_MISUSE"); name != "" {
		for _, misuse := range misuses {
			if misuse.name == name {
				fmt.Println(misuse.run())
				os.Exit(0)
			}
		}
		os.Exit(3)
	}
	os.Exit(m.Run())
}

func TestMisuse(t *testing.T) {
	for _, misuse := range misuses {
		t.Run(misuse.name, func(t *testing.T) {
			t.Parallel()
			out, err := again(t, "SEAM_TEST_MISUSE="+misuse.name)
			if misuse.dies != (err != nil) {
				t.Errorf("the process ended with %v", err)
			}
			for _, want := range misuse.says {
				if !strings.Contains(out, want) {
					t.Errorf("it does not say %q:\n%s", want, out)
				}
			}
			if strings.Contains(out, "NOT ") {
				t.Error(out)
			}
		})
	}
}

// again runs this test's binary in debug mode.
func again(t *testing.T, env string, args ...string) (string, error) {
	t.Helper()
	cmd := child.Self(t, args...)
	cmd.Env = append(os.Environ(), "SEAM_MEM=debug", env)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// Everything that works works in debug mode.
func TestDebugMode(t *testing.T) {
	if debugging() {
		t.Skip("this is debug mode")
	}
	out, err := again(t, "SEAM_STRESS=20000", "-test.short", "-test.skip=Allocate|TestMisuse|TestManyPools|Fuzz")
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// An arena that is forgotten takes its pins along: a Pinner that is found with something
// pinned would end the program.
func TestForgottenArena(t *testing.T) {
	for range 100 {
		newArena(t, 10)
	}
	for range 5 {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
}
