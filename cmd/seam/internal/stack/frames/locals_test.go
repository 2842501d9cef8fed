package frames

import (
	"debug/dwarf"
	"debug/elf"
	"encoding/binary"
	"os"
	"slices"
	"testing"
)

const withLocals = `package main

type inner [2000]byte

type outer struct {
	a inner
	n int
}

//go:noinline
func use(o *outer, i *inner) { o.a[o.n]++; i[o.n]++ }

//go:noinline
func work(n int) {
	var named inner
	var of outer
	var plain [300]uint64
	of.n = n
	use(&of, &named)
	for i := range plain {
		plain[i] = uint64(n)
	}
	println(plain[n], named[n])
}

func main() { work(3) }
`

func localsOf(t *testing.T, file string) []Local {
	t.Helper()
	b, err := Analyse(file, Options{Top: 1})
	if err != nil {
		t.Fatal(err)
	}
	if b.Largest[0].Function != "main.work" {
		t.Fatalf("the largest frame is that of %s", b.Largest[0].Function)
	}
	return b.Largest[0].Locals
}

func TestLocalsHaveNamesAndTypes(t *testing.T) {
	dir := write(t, map[string]string{"main.go": withLocals})
	file := build(t, dir, nil, "-ldflags=-compressdwarf=false")
	want := []Local{{"plain", "[300]uint64", 2400, 17}, {"of", "main.outer", 2008, 16}, {"named", "main.inner", 2000, 15}}
	if got := localsOf(t, file); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}

	// A type that is defined by itself has no size.
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	e, err := elf.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	d, err := e.DWARF()
	if err != nil {
		t.Fatal(err)
	}
	info := data[e.Section(".debug_info").Offset:]
	patched := false
	for r := d.Reader(); ; {
		entry, err := r.Next()
		if err != nil || entry == nil {
			break
		}
		name, _ := entry.Val(dwarf.AttrName).(string)
		of, ok := entry.Val(dwarf.AttrType).(dwarf.Offset)
		if entry.Tag != dwarf.TagTypedef || name != "main.outer" || !ok {
			continue
		}
		for at := entry.Offset; !patched && at < entry.Offset+64; at++ {
			if binary.LittleEndian.Uint32(info[at:]) == uint32(of) {
				binary.LittleEndian.PutUint32(info[at:], uint32(entry.Offset))
				patched = true
			}
		}
	}
	if !patched {
		t.Fatal("no type main.outer in the debugging data")
	}
	if err := os.WriteFile(file, data, 0o777); err != nil {
		t.Fatal(err)
	}
	if got := localsOf(t, file); !slices.Equal(got, []Local{want[0], want[2]}) {
		t.Errorf("with a type that is defined by itself: got %v, want plain and named", got)
	}
}
